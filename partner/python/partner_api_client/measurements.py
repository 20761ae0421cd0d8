"""The measurements of a home by name."""

from __future__ import annotations

from typing import Optional, Sequence, Union

from . import types
from ._generated.operations import MEASUREMENT_UNITS


def measurement_of(
    measurements: Sequence[types.Measurement],
    name: Union[types.MeasurementName, str],
    component_id: Optional[str] = None,
) -> Optional[types.Measurement]:
    """Returns the measurement with a name, or None: `measurement_of(measurements, "outdoorTemperature")`.

    If several components have one of that name, returns the one of the given component, or the first. `MEASUREMENT_UNITS`
    has the unit of each name that this version knows; an appliance may have others.
    """
    for each in measurements:
        if each["name"] == name and component_id in (None, each["componentId"]):
            return each
    return None


__all__ = ["MEASUREMENT_UNITS", "measurement_of"]
