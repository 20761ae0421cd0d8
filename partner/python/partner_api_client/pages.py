"""Pages of lists, and homes of several pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, TypeVar

from . import types
from .answers import Answer

if TYPE_CHECKING:
    from .client import PartnerClient

Page = TypeVar("Page")


def pages_of(list_page: Callable[..., Answer[Page]], *ids: str, **request: Any) -> Iterator[Answer[Page]]:
    """Iterates over the answers of a list operation, page by page: `pages_of(client.list_gateways, limit=100)`.

    Each page is requested when the loop reaches it. The methods `iter_…` of the client iterate over the items of all pages.
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
    """Reads a gateway with its circuits and their time programs, and joins all pages into one answer.

    Raises PartnerApiError if the service refuses a page or does not answer.
    """
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
    """Adds the circuits of another page; a circuit on several pages gets the time programs of all of them."""
    for circuit in later:
        before = circuits.get(circuit["circuitId"])
        if before is not None and "timePrograms" in before:
            circuit = {**circuit, "timePrograms": before["timePrograms"] + circuit.get("timePrograms", [])}
        circuits[circuit["circuitId"]] = circuit
