"""``python -m genalpha`` is the command line."""

from genalpha.cli import main

if __name__ == "__main__":
    main(prog_name="genalpha")
