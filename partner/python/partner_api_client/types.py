"""The types of bodies, events and problems, with the property names of the API document."""

from ._generated.types import *  # noqa: F403
from ._generated.types import __all__ as __all__
