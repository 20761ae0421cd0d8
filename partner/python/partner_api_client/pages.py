"""Pages of lists, and homes of several pages."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Iterator, NamedTuple, Optional, TypeVar

from . import types
from .answers import Answer
from .errors import PartnerApiError

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


class OwnerHome(NamedTuple):
    """A home of one of the company's owners: the answer with the home, or the error of its read."""

    user_id: str
    gateway_id: str
    answer: Optional[Answer[types.Gateway]]
    error: Optional[PartnerApiError]


def read_homes(
    client: PartnerClient, include: types.GetGatewayInclude = "circuits,timePrograms", *, concurrency: int = 8
) -> Iterator[OwnerHome]:
    """Reads the homes of all owners that the company may see, `concurrency` at a time, in the order of the contracts.

    Raises PartnerApiError if the service refuses a page of the contracts or does not answer, after the homes of the pages
    before.
    """

    def read(user_id: str, gateway_id: str) -> OwnerHome:
        try:
            return OwnerHome(user_id, gateway_id, read_home(client.for_owner(user_id), gateway_id, include), None)
        except PartnerApiError as error:
            return OwnerHome(user_id, gateway_id, None, error)

    reads: deque[Future[OwnerHome]] = deque()
    with ThreadPoolExecutor(concurrency) as pool:
        try:
            for contract in client.iter_contracts(limit=100, include="gateways"):
                for gateway_id in contract["gatewayIds"] or []:
                    reads.append(pool.submit(read, contract["userId"], gateway_id))
                    if len(reads) >= concurrency:
                        yield reads.popleft().result()
        except PartnerApiError as error:
            reads.append(Future())
            reads[-1].set_exception(error)
        while reads:
            yield reads.popleft().result()


def _join(circuits: dict[str, Any], later: Any) -> None:
    """Adds the circuits of another page; a circuit on several pages gets the time programs of all of them."""
    for circuit in later:
        before = circuits.get(circuit["circuitId"])
        if before is not None and "timePrograms" in before:
            circuit = {**circuit, "timePrograms": before["timePrograms"] + circuit.get("timePrograms", [])}
        circuits[circuit["circuitId"]] = circuit
