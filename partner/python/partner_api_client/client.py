"""The client."""

from __future__ import annotations

import copy
import http.client
import random
import re
import threading
import time
import warnings
from typing import Any, Callable, Iterator, Mapping, Optional

from ._generated.methods import Methods
from .answers import Answer, read_answer
from .errors import NoAnswerError, PartnerApiError, Stopped, is_certificate_fault
from .events import CursorStore, FeedEvent, StateUnknown, events_of
from .request import Query, checked_api_key, is_repeatable, operation_of, prepare_request
from .transport import Request, Send, send as send_with_urllib

#: Waits for as many seconds, or until the event is set.
Wait = Callable[[float, Optional[threading.Event]], None]

#: A timer of more seconds raises an error.
_LONGEST_WAIT_SECONDS = 2**31 // 1000


def wait(seconds: float, stop: Optional[threading.Event] = None) -> None:
    seconds = min(seconds, _LONGEST_WAIT_SECONDS)
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


class PartnerClient(Methods):
    """A client of the Partner API, with a method for each operation. Several threads may share it.

    `user_id` is the owner to act for, as `list_contracts` shows them. `patience_seconds` is how long a call may wait in
    all before it raises the error of a 429, a 502, 503 or 504, or a lost connection. `timeout_seconds` is how long the
    service may be silent before its connection counts as lost.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        user_id: Optional[str] = None,
        *,
        patience_seconds: float = 30,
        timeout_seconds: float = 10,
        send: Send = send_with_urllib,
        wait: Wait = wait,
    ) -> None:
        if not base_url.startswith("https://"):
            raise ValueError(
                f"The base_url is {base_url!r} and has to begin with https://, since every request carries a key."
            )
        if not re.search("/v1/?$", base_url):
            warnings.warn(
                f"The base_url is {base_url!r} and does not end with /v1, as that of the API does. Check it if calls fail.",
                stacklevel=2,
            )
        self._base_url = base_url
        self._user_id = user_id
        self._patience_seconds = patience_seconds
        self._timeout_seconds = timeout_seconds
        self._send = send
        self._wait = wait
        self._key = _Key(api_key)

    def __repr__(self) -> str:
        return f"PartnerClient({self._base_url!r}, user_id={self._user_id!r})"

    def call(
        self,
        operation_id: str,
        *,
        path: Mapping[str, str] = {},
        query: Query = {},
        headers: Mapping[str, Optional[str]] = {},
        body: Any = None,
        api_key: Optional[str] = None,
        stop: Optional[threading.Event] = None,
    ) -> Answer[Any]:
        """Calls an operation by its name in the API document; each has a method of its own, too.

        `api_key` is a key for this call only. If `stop` is set, the call raises Stopped and waits no longer. Raises
        PartnerApiError if the service refuses or does not answer, and ValueError if the call is wrong.
        """
        operation = operation_of(operation_id)
        request = prepare_request(
            self._base_url,
            self._key.value if api_key is None else api_key,
            self._user_id,
            operation,
            path=path,
            query=query,
            headers=headers,
            body=body,
        )
        attempt = 0
        waited_seconds = 0.0
        while True:
            if stop is not None and stop.is_set():
                raise Stopped
            try:
                return read_answer(operation, self._send_once(request))
            except PartnerApiError as error:
                seconds = _seconds_until_repeat(error, is_repeatable(request), attempt)
                if seconds is None or waited_seconds + seconds > self._patience_seconds:
                    raise
            self._wait(seconds, stop)
            waited_seconds += seconds
            attempt += 1

    def for_owner(self, user_id: str) -> PartnerClient:
        """The same client for another owner: it shares the key, also one that is set later."""
        client = copy.copy(self)
        client._user_id = user_id
        return client

    def use_api_key(self, api_key: str) -> None:
        """Sets the key of all later calls. Calls that already run keep theirs."""
        self._key.value = checked_api_key(api_key)

    def events(
        self,
        cursors: CursorStore,
        read_state: Callable[[StateUnknown], None],
        *,
        until_next: Optional[Callable[[], None]] = None,
        stop: Optional[threading.Event] = None,
        page_size: Optional[int] = None,
    ) -> Iterator[FeedEvent]:
        """What happens, without an end. Each event comes at least once, in its order.

        `read_state` reads all that the caller mirrors, because events alone do not tell it: the next event comes, and the
        cursor is kept, when it returns. `until_next` waits until it is time to ask again, where nothing follows; without
        it, that is as many seconds as the service advises. When `stop` is set, the iteration ends. `page_size` is the
        number of events that may come again after a crash: 1 to 100, 50 if absent. Raises PartnerApiError if the service
        refuses; the kept cursor stands, so iterate again.
        """

        def list_events(after: str) -> Answer[Any]:
            return self.call("listEvents", query={"limit": page_size, "after": after}, stop=stop)

        return events_of(
            list_events, lambda seconds: self._wait(seconds, stop), cursors, read_state, until_next, stop
        )

    def _send_once(self, request: Request) -> Any:
        try:
            return self._send(request, self._timeout_seconds)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(is_repeatable(request), error) from error


class _Key:
    """A key that several clients share."""

    def __init__(self, value: str) -> None:
        self.value = checked_api_key(value)


def _seconds_until_repeat(error: PartnerApiError, repeatable: bool, attempt: int) -> Optional[float]:
    """After how many seconds to send a request again, or None if the call should raise its error.

    The service refuses with 429 before it does anything, so every request may be sent again. After a 502, a 503, a 504 or
    without an answer, only a repeatable request may be. `attempt` counts the repeats so far.
    """
    if not _is_worth_repeating(error, repeatable):
        return None
    # About a second, then twice as long each time. Clients that were refused together come back apart.
    return error.retry_after_seconds or 2**attempt * (0.5 + random.random())


def _is_worth_repeating(error: PartnerApiError, repeatable: bool) -> bool:
    if error.status == 429:
        return True
    if isinstance(error, NoAnswerError):
        return repeatable and not is_certificate_fault(error.__cause__)
    return repeatable and error.status in (502, 503, 504)
