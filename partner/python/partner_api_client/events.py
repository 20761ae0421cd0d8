"""The event feed."""

from __future__ import annotations

import re
import threading
from typing import Any, Callable, Iterator, Literal, Mapping, Optional, Protocol, TypedDict, Union, cast

from . import types
from ._generated.operations import EVENT_TYPES
from .answers import Answer
from .errors import ProblemError, Stopped


class CursorStore(Protocol):
    """Stores the cursor of the feed, for example in a file or in a database row."""

    def read(self) -> Optional[str]:
        """Returns the kept cursor, or None before the first `keep`."""

    def keep(self, cursor: str) -> None:
        """Stores the cursor. Returns once the cursor would survive a crash."""


#: Why the state must be read: no cursor is kept yet (`begin`); events were missed (`cursor-expired`); the page had events
#: that the company may not see (`withheld`); or a contract, a consent or the gateways have changed (`access-changed`).
StateUnknown = Literal["begin", "cursor-expired", "withheld", "access-changed"]


class _UnknownEvent(TypedDict):
    id: str
    type: Literal["unknown-event"]
    newType: str
    at: str
    resource: str
    data: dict[str, Any]


class UnknownEvent(_UnknownEvent, total=False):
    """An event whose type (`newType`) is newer than this client. You may ignore it."""

    userId: str
    gatewayId: str


#: An event of the feed. `type` determines the type of `data`.
FeedEvent = Union[types.KnownFeedEvent, UnknownEvent]

#: These events change what the company may see. The feed does not show events from before the change.
_ACCESS_TYPES = ("contract.changed", "consent.changed", "gateway.added")


def events_of(
    list_events: Callable[[str], Answer[types.FeedEventPage]],
    wait: Callable[[float], None],
    cursors: CursorStore,
    read_state: Callable[[StateUnknown], None],
    until_next: Optional[Callable[[], None]],
    stop: Optional[threading.Event],
) -> Iterator[FeedEvent]:
    """Iterates over the events of the feed in order, from the kept cursor on.

    The cursor is kept when the caller has consumed all events of a page.
    """

    def read_anew(because: StateUnknown, following: str) -> str:
        read_state(because)
        cursors.keep(following)
        return following

    try:
        cursor = cursors.read()
        if cursor is None:
            # Reads the cursor before the state, so that changes during `read_state` are delivered as events.
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
            # A page that does not move the cursor ends before an event that is not visible yet: wait before the next read.
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
    """Adds the static type to a received event. Does not validate `data`."""
    if event["type"] in EVENT_TYPES:
        return cast(FeedEvent, event)
    return cast(FeedEvent, {**event, "type": "unknown-event", "newType": event["type"]})


class Trigger:
    """Connects a webhook receiver with the iteration over the feed in the same process.

    Messages can be lost, so the feed is also read without one: after `at_least_every_seconds`.
    """

    def __init__(self, *, at_least_every_seconds: float = 900) -> None:
        self._at_least_every_seconds = at_least_every_seconds
        self._event = threading.Event()

    def fire(self) -> None:
        """Call this for every message `events.available`, and after you have set `stop`."""
        self._event.set()

    def fired(self) -> None:
        """Pass this as `until_next`. Returns when the trigger fires, and at the latest after `at_least_every_seconds`.

        Returns at once if the trigger has fired since the last call.
        """
        self._event.wait(self._at_least_every_seconds)
        self._event.clear()
