"""Lists in pages, and whole homes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, TypeVar

from . import types
from .answers import Answer

if TYPE_CHECKING:
    from .client import PartnerClient

Page = TypeVar("Page")


def pages_of(list_page: Callable[..., Answer[Page]], *ids: str, **request: Any) -> Iterator[Answer[Page]]:
    """The pages of a list from first to last: `pages_of(client.list_gateways, limit=100)`.

    Each is requested when the caller wants it. The methods `iter_…` of the client have the items of all pages.
    """
    while True:
        answer = list_page(*ids, **request)
        yield answer
        request["cursor"] = answer.body["nextCursor"]  # type: ignore[index]
        if request["cursor"] is None:
            return


def read_home(
    client: PartnerClient, gateway_id: str, include: types.GetGatewayInclude = "circuits,timePrograms"
) -> Answer[types.Gateway]:
    """A gateway with its circuits and their time programs, of as many pages as it takes."""
    heating: dict[str, Any] = {}
    hot_water: dict[str, Any] = {}
    cursor: Optional[str] = None
    while True:
        answer = client.get_gateway(gateway_id, include=include, cursor=cursor)
        _join(heating, answer.body.get("heatingCircuits", []))
        _join(hot_water, answer.body.get("dhwCircuits", []))
        cursor = answer.body.get("nextCursor")
        if cursor is None:
            answer.body["heatingCircuits"] = list(heating.values())
            answer.body["dhwCircuits"] = list(hot_water.values())
            return answer


def _join(circuits: dict[str, Any], later: Any) -> None:
    """Adds the circuits of a further page; one that was on a page before has the time programs of both."""
    for circuit in later:
        before = circuits.get(circuit["circuitId"])
        if before is not None and "timePrograms" in before:
            circuit = {**circuit, "timePrograms": before["timePrograms"] + circuit.get("timePrograms", [])}
        circuits[circuit["circuitId"]] = circuit
