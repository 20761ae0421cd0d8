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

#: Waits for a number of seconds, or until the event is set.
Wait = Callable[[float, Optional[threading.Event]], None]

#: Longer timers raise an error.
_LONGEST_WAIT_SECONDS = 2**31 // 1000


def wait(seconds: float, stop: Optional[threading.Event] = None) -> None:
    seconds = min(seconds, _LONGEST_WAIT_SECONDS)
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


class PartnerClient(Methods):
    """A client of the Partner API, with a method for each operation. Safe to share between threads.

    Args:
        base_url: The URL of the API with its version, for example `https://api.example.com/v1`.
        api_key: The API key of your company.
        user_id: The owner to act for: a `userId` from `list_contracts`. Not needed for operations of the company itself.
        patience_seconds: The total time that a call may wait for retries after 429, 502, 503, 504 or a failed connection.
            A call that would wait longer raises the last error.
        timeout_seconds: The timeout of a request. A request that times out counts as a failed connection.
        send: Sends a request once. By default with `urllib`.
        wait: Waits between retries. By default on a timer; tests may replace it.

    Raises:
        ValueError: `base_url` does not start with `https://`, or the API key is malformed.
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
                f"The base_url is {base_url!r} and must begin with https://, because every request carries an API key."
            )
        if not re.search("/v1/?$", base_url):
            warnings.warn(
                f"The base_url is {base_url!r} and does not end with /v1. The base URL of the API does: "
                "check it if calls fail.",
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
        """Calls an operation by its `operationId` in the API document. Every operation also has its own method.

        Retries within the client's patience after 429; requests with GET or an `Idempotency-Key` also after 502, 503, 504
        or a failed connection.

        Args:
            operation_id: For example `getGateway`.
            path: The ids in the path, by name.
            query: The query parameters. None leaves a parameter out.
            headers: Additional headers. None leaves a header out.
            body: The request body, which is sent as JSON.
            api_key: An API key for this call only.
            stop: An event that ends the call, including its waits, with Stopped.

        Raises:
            PartnerApiError: The service refused the call or did not answer.
            Stopped: `stop` was set.
            ValueError: An argument is invalid.
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
        """Returns a client for another owner. Both clients share the API key, including one set later."""
        client = copy.copy(self)
        client._user_id = user_id
        return client

    def use_api_key(self, api_key: str) -> None:
        """Sets the API key of all later calls. Running calls keep their key. Raises ValueError if the key is malformed."""
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
        """Follows the event feed without end. Delivers every event at least once and in order.

        Args:
            cursors: Where the cursor is kept between two runs.
            read_state: Reads the current state of everything that you mirror, when events alone do not reveal it. The
                iteration keeps the cursor and continues when it returns.
            until_next: Waits until the next poll when the feed has no more events. By default, the number of seconds that
                the service advises. With a webhook, pass `fired` of a Trigger.
            stop: An event that ends the iteration.
            page_size: Events per page, 1 to 100, by default 50. After a crash, at most this many are delivered again.

        Raises:
            PartnerApiError: The service refused to show the feed, or did not answer. The kept cursor is unchanged: iterate
                again.
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
    """An API key that several clients share."""

    def __init__(self, value: str) -> None:
        self.value = checked_api_key(value)


def _seconds_until_repeat(error: PartnerApiError, repeatable: bool, attempt: int) -> Optional[float]:
    """Returns the seconds to wait before a retry, or None if the call should raise its error.

    The service answers 429 before it does anything, so every request may be retried. After 502, 503, 504 or without an
    answer, only repeatable requests may be. `attempt` counts the retries so far.
    """
    if not _is_worth_repeating(error, repeatable):
        return None
    # One second on average, doubled with each retry. The jitter spreads clients that were refused at the same time.
    return error.retry_after_seconds or 2**attempt * (0.5 + random.random())


def _is_worth_repeating(error: PartnerApiError, repeatable: bool) -> bool:
    if error.status == 429:
        return True
    if isinstance(error, NoAnswerError):
        return repeatable and not is_certificate_fault(error.__cause__)
    return repeatable and error.status in (502, 503, 504)
