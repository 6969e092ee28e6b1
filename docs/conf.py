"""How the book is built: ``make docs``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

import genalpha

project = "genalpha"
author = "The genalpha developers"
copyright = f"{author}, BSD-3-Clause"
version = release = genalpha.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "mathml",
    "run",
    "names",
    "verification",
]
exclude_patterns = ["_build", "_figures", "_generated", "benchmarks"]
nitpicky = True

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist", "fieldlist", "attrs_inline"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
suppress_warnings = ["config.cache"]

html_theme = "furo"
html_title = f"genalpha {version}"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
math_eqref_format = "({number})"
math_numfig = True
numfig = False

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
default_role = "name"
