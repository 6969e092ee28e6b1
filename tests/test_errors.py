"""The exception tree: what catches what, and what an exception carries."""

import inspect
import pickle
import warnings

import pytest

from genalpha import errors

PUBLIC = [getattr(errors, name) for name in errors.__all__]
EXCEPTIONS = [cls for cls in PUBLIC if not issubclass(cls, Warning)]
WARNINGS = [cls for cls in PUBLIC if issubclass(cls, Warning)]

PARENTS = {
    "GenalphaError": (Exception,),
    "InputError": (errors.GenalphaError, ValueError),
    "ShapeError": (errors.InputError,),
    "NonFiniteError": (errors.GenalphaError,),
    "SingularMassError": (errors.GenalphaError,),
    "InconsistentInitialState": (errors.GenalphaError,),
    "ContradictoryConstraints": (errors.GenalphaError,),
    "StepError": (errors.GenalphaError,),
    "ConvergenceError": (errors.StepError,),
    "SingularityError": (errors.StepError,),
    "TooManySteps": (errors.StepError,),
    "FileError": (errors.GenalphaError, OSError),
    "CompilationError": (errors.GenalphaError,),
    "MissingExtra": (errors.GenalphaError, ImportError),
    "GenalphaWarning": (UserWarning,),
    "OrderWarning": (errors.GenalphaWarning,),
    "RedundantConstraintsWarning": (errors.GenalphaWarning,),
    "EnergyWarning": (errors.GenalphaWarning,),
    "DerivativeWarning": (errors.GenalphaWarning,),
    "UnsteadyWarning": (errors.GenalphaWarning,),
}


def test_tree():
    assert {cls.__name__: cls.__bases__ for cls in PUBLIC} == PARENTS


def test_every_class_is_public_and_drawn():
    defined = {name for name, cls in inspect.getmembers(errors, inspect.isclass) if cls.__module__ == errors.__name__}
    assert defined == set(errors.__all__)
    drawn = [line.split("── ")[1].split()[0] for line in errors.__doc__.splitlines() if "── " in line]
    assert sorted(drawn) == sorted(defined)


@pytest.mark.parametrize("cls", PUBLIC)
def test_every_class_says_what_it_is(cls):
    assert cls.__doc__.strip()


@pytest.mark.parametrize("cls", EXCEPTIONS)
def test_message_and_solution(cls):
    assert str(cls("what, where")) == "what, where"
    assert cls("what").solution is None
    partial = object()
    error = cls("what", solution=partial)
    assert error.solution is partial
    assert error.args == ("what",)


@pytest.mark.parametrize("cls", EXCEPTIONS)
def test_survives_pickling(cls):
    error = pickle.loads(pickle.dumps(cls("what", solution=[1.0, 2.0])))
    assert type(error) is cls
    assert str(error) == "what"
    assert error.solution == [1.0, 2.0]


def test_caught_as_builtin_exceptions():
    with pytest.raises(ValueError, match="negative"):
        raise errors.ShapeError("negative")
    with pytest.raises(ImportError, match="install"):
        raise errors.MissingExtra("install genalpha[plot]")


@pytest.mark.parametrize("cls", WARNINGS)
def test_warnings_can_be_silenced_together(cls, recwarn):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", errors.GenalphaWarning)
        warnings.warn("quiet", cls, stacklevel=1)
    assert not recwarn.list


def test_what_to_do_is_said_where_it_is_read():
    """The command line has an option where Python has an argument; a copy from another process says the same."""
    error = errors.InconsistentInitialState("correct 'pass project=True' or ", " to assemble it")
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert str(one) == "correct 'pass project=True' or pass project=True to assemble it"
        assert one.told("use --project") == "correct 'pass project=True' or use --project to assemble it"
    assert str(errors.InconsistentInitialState("all of it")) == "all of it"
