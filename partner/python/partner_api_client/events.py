"""The feed of what has happened."""

from __future__ import annotations

import re
import threading
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Protocol, TypedDict, Union, cast

from . import types
from ._generated.operations import EVENT_TYPES
from .answers import Answer
from .errors import ProblemError, Stopped


class CursorStore(Protocol):
    """Keeps the cursor of a feed, for example in a file or in a row of a database."""

    def read(self) -> Optional[str]:
        """Returns None if no cursor was kept yet."""

    def keep(self, cursor: str) -> None:
        """Returns when a crash would not lose the cursor."""


#: Why the state has to be read: no cursor was kept; events were missed; some were not shown; or the company may see
#: another part of the state than before.
StateUnknown = Literal["begin", "cursor-expired", "withheld", "access-changed"]


class _UnknownEvent(TypedDict):
    id: str
    type: Literal["unknown-event"]
    newType: str
    at: str
    resource: str
    data: dict[str, Any]


class UnknownEvent(_UnknownEvent, total=False):
    """An event of a type that is newer than the client. It may be ignored."""

    userId: str
    gatewayId: str


#: An event of the feed; `type` says what its `data` holds.
FeedEvent = Union[types.KnownFeedEvent, UnknownEvent]

#: What the company may see changes with these, and events from before are not shown.
_ACCESS_TYPES = ("contract.changed", "consent.changed", "gateway.added")


def events_of(
    list_events: Callable[[str], Answer[types.FeedEventPage]],
    wait: Callable[[float], None],
    cursors: CursorStore,
    read_state: Callable[[StateUnknown], None],
    until_next: Optional[Callable[[], None]],
    stop: Optional[threading.Event],
) -> Iterator[FeedEvent]:
    """The events of the feed in their order, from where the kept cursor stands.

    The cursor is kept when the caller has taken all events of a page.
    """

    def read_anew(because: StateUnknown, following: str) -> str:
        read_state(because)
        cursors.keep(following)
        return following

    try:
        cursor = cursors.read()
        if cursor is None:
            # The cursor first: what happens while the state is read comes as an event, too.
            latest = list_events("latest").body["nextCursor"]
            cursor = read_anew("begin", latest)
        while True:
            try:
                answer = list_events(cursor)
            except ProblemError as error:
                if error.problem["code"] != "cursor-expired":
                    raise
                cursor = read_anew("cursor-expired", error.problem["oldestCursor"])
                continue
            page = answer.body
            events = [_typed_event(event) for event in page["items"]]
            for event in events:
                if stop is not None and stop.is_set():
                    return
                yield event
            has_moved = page["nextCursor"] != cursor
            because = _state_unknown_after(events, page["withheld"])
            if because is not None:
                read_state(because)
            if has_moved:
                cursors.keep(page["nextCursor"])
            cursor = page["nextCursor"]
            if not page["hasMore"] and until_next is not None:
                until_next()
            # A page may end before an event that is not to be seen yet: then it takes a moment.
            elif not page["hasMore"] or not has_moved:
                wait(_poll_seconds_in(answer.headers))
    except Stopped:
        return


def _state_unknown_after(events: list[FeedEvent], withheld: int) -> Optional[StateUnknown]:
    if withheld > 0:
        return "withheld"
    return "access-changed" if any(event["type"] in _ACCESS_TYPES for event in events) else None


def _poll_seconds_in(headers: Mapping[str, str]) -> int:
    field = headers.get("x-poll-interval", "")
    return int(field) if re.fullmatch(r"[1-9][0-9]{0,8}", field) else 5


def _typed_event(event: types.FeedEvent) -> FeedEvent:
    """An event as it came, typed. Its `data` is not checked."""
    if event["type"] in EVENT_TYPES:
        return cast(FeedEvent, event)
    return cast(FeedEvent, {**event, "type": "unknown-event", "newType": event["type"]})


class Trigger:
    """Joins what receives webhook messages with what follows the feed, in one process.

    Messages can be lost, so that the feed is asked without one, too: after `at_least_every_seconds`.
    """

    def __init__(self, *, at_least_every_seconds: float = 900) -> None:
        self._at_least_every_seconds = at_least_every_seconds
        self._event = threading.Event()

    def fire(self) -> None:
        """Call it for each message `events.available`, and after you have set `stop`."""
        self._event.set()

    def fired(self) -> None:
        """Returns when the trigger fires, at once if it has fired since the last time, and when the time is over."""
        self._event.wait(self._at_least_every_seconds)
        self._event.clear()
