"""The settings of circuits that were read, in the form of a change."""

from __future__ import annotations

from typing import Any, Mapping, Union, cast, overload

from . import types
from ._generated.operations import CIRCUIT_SETTINGS


@overload
def settings_of(circuit: types.HeatingCircuit) -> types.HeatingCircuitUpdate: ...


@overload
def settings_of(circuit: types.DhwCircuit) -> types.DhwCircuitUpdate: ...


def settings_of(circuit: Union[types.HeatingCircuit, types.DhwCircuit]) -> Any:
    """Returns the known settings of a circuit that was read: without ids, state and measurements.

    The service refuses those in a change:
    `client.update_heating_circuit(gateway_id, circuit_id, {**settings_of(circuit), "roomSetpointCelsius": 21.5})`.
    Settings whose value is not known (None) are left out, and so are those that cannot be changed: their value in
    `limits` is None. Of levels, it returns those that `limits` lists; an event has no limits, and so no levels.
    """
    values = cast(Mapping[str, Any], circuit)
    limits = values.get("limits", {})
    known = [name for name in CIRCUIT_SETTINGS if values.get(name) is not None]
    settings = {name: values[name] for name in known if limits.get(name, True) is not None}
    settable = {each["level"] for each in limits.get("levelSetpoints") or []}
    levels = [each for each in settings.pop("levelSetpoints", []) if each["level"] in settable]
    return {**settings, "levelSetpoints": levels} if levels else settings
