"""The client."""

from __future__ import annotations

import copy
import http.client
import logging
import math
import random
import re
import threading
import time
import warnings
from typing import Any, Callable, Iterator, Mapping, Optional, Union

from ._generated.methods import Methods
from .answers import Answer, read_answer
from .errors import NoAnswerError, PartnerApiError, Stopped, is_certificate_fault
from .events import CursorStore, FeedEvent, StateUnknown, events_of
from .request import Query, checked_api_key, checked_base_url, checked_seconds, checked_user_id
from .request import operation_of, prepare_request
from .transport import Connections, Request, Send

#: Waits for a number of seconds, or until the event is set.
Wait = Callable[[float, Optional[threading.Event]], None]

#: Longer timers raise an error.
_LONGEST_WAIT_SECONDS = 2**31 // 1000

#: A proxy may say a time that is of no use to a call without end.
_LONGEST_RETRY_SECONDS = 3600

_logger = logging.getLogger("partner_api_client")


def wait(seconds: float, stop: Optional[threading.Event] = None) -> None:
    seconds = min(seconds, _LONGEST_WAIT_SECONDS)
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)


class PartnerClient(Methods):
    """A client of the Partner API, with a method for each operation. Safe to share between threads.

    Keeps its connections open for later calls; `close`, or the end of a `with` block, closes them. The logger
    `partner_api_client` gets each wait before a retry, at the level INFO.

    Args:
        base_url: The URL of the API with its version, for example `https://api.example.com/v1`.
        api_key: The API key of your company.
        user_id: The owner to act for: a `userId` from `list_contracts`. Not needed for operations of the company itself.
        patience_seconds: The total time that a call may wait for retries after 429, 502, 503, 504 or a failed connection.
            A call that would wait longer raises the last error.
        timeout_seconds: The timeout of a request, at most a day. A request that times out counts as a failed connection.
        send: Sends a request once. By default with `http.client`.
        wait: Waits between retries. By default on a timer; tests may replace it.

    Raises:
        ValueError: An argument is missing or malformed.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        user_id: Optional[str] = None,
        *,
        patience_seconds: float = 30,
        timeout_seconds: float = 10,
        send: Optional[Send] = None,
        wait: Wait = wait,
    ) -> None:
        self._base_url = base_url = checked_base_url(base_url)
        self._user_id = None if user_id is None else checked_user_id(user_id)
        self._patience_seconds = checked_seconds("patience_seconds", patience_seconds)
        self._timeout_seconds = checked_seconds("timeout_seconds", timeout_seconds, 86400)
        self._connections = Connections()
        self._send = send or self._connections
        self._wait = wait
        self._key = _Key(api_key)
        if not re.search("/v1/?$", base_url):
            warnings.warn(
                f"The base_url is {base_url!r} and does not end with /v1. The base URL of the API does: "
                "check it if calls fail.",
                stacklevel=2,
            )

    def __repr__(self) -> str:
        return f"PartnerClient({self._base_url!r}, user_id={self._user_id!r})"

    def call(
        self,
        operation_id: str,
        *,
        path: Mapping[str, str] = {},
        query: Query = {},
        headers: Mapping[str, Union[str, int, None]] = {},
        body: Any = None,
        api_key: Optional[str] = None,
        stop: Optional[threading.Event] = None,
        forever: bool = False,
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
            forever: Retries as long as the service is unavailable, whatever the client's patience; also after 500.

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
                seconds = _seconds_until_repeat(error, request.is_repeatable, forever, attempt)
                patience_seconds = math.inf if forever else self._patience_seconds
                if seconds is None or waited_seconds + seconds > patience_seconds:
                    raise
                attempt += 1
                _logger.info("%s: %s Retry %d in %.3g seconds.", operation_id, error, attempt, seconds)
            self._wait(seconds, stop)
            waited_seconds += seconds

    def for_owner(self, user_id: str) -> PartnerClient:
        """Returns a client for another owner. Both clients share the API key, including one set later."""
        client = copy.copy(self)
        client._user_id = checked_user_id(user_id)
        return client

    def close(self) -> None:
        """Closes the open connections, also those of `for_owner`. A later call opens a new one."""
        self._connections.close()

    def __enter__(self) -> PartnerClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        forever: bool = False,
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
            forever: Continues after an outage, however long it lasts. By default, an outage that is longer than the
                client's patience raises an error.

        Raises:
            PartnerApiError: The service refused to show the feed, or did not answer. The kept cursor is unchanged: iterate
                again.
        """

        def list_events(after: str) -> Answer[Any]:
            query = {"limit": page_size, "after": after}
            return self.call("listEvents", query=query, stop=stop, forever=forever)

        return events_of(
            list_events, lambda seconds: self._wait(seconds, stop), cursors, read_state, until_next, stop
        )

    def _send_once(self, request: Request) -> Any:
        try:
            return self._send(request, self._timeout_seconds)
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswerError(request.is_repeatable, error) from error


class _Key:
    """An API key that several clients share."""

    def __init__(self, value: str) -> None:
        self.value = checked_api_key(value)


def _seconds_until_repeat(
    error: PartnerApiError, repeatable: bool, forever: bool, attempt: int
) -> Optional[float]:
    """Returns the seconds to wait before a retry, or None if the call should raise its error.

    The service answers 429 before it does anything, so every request may be retried. After 502, 503, 504 or without an
    answer, only repeatable requests may be. `attempt` counts the retries so far.
    """
    if not _is_worth_repeating(error, repeatable, forever):
        return None
    # One second on average, doubled with each retry. The jitter spreads clients that were refused at the same time.
    back_off = 2 ** min(attempt, 6) * (0.5 + random.random())
    return min(error.retry_after_seconds or back_off, _LONGEST_RETRY_SECONDS)


def _is_worth_repeating(error: PartnerApiError, repeatable: bool, forever: bool) -> bool:
    if error.status == 429:
        return True
    if isinstance(error, NoAnswerError):
        return repeatable and not is_certificate_fault(error.__cause__)
    return repeatable and (error.status in (502, 503, 504) or (forever and error.status == 500))
