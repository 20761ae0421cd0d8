"""What a call raises if it does not succeed."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Optional, Type

if TYPE_CHECKING:
    from . import types
    from .answers import RateLimit


class ClientError(Exception):
    """An error that can be pickled, for example to be raised in another process, whatever its constructor takes."""

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: Type[ClientError], args: Any, state: Any) -> ClientError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class PartnerApiError(ClientError):
    """A call was refused, or got no answer. `code` says why; `request_id` is what to name to the operator."""

    def __init__(
        self,
        *,
        code: str,
        status: Optional[int],
        title: str,
        detail: str,
        retry_after_seconds: Optional[float] = None,
        request_id: Optional[str] = None,
        api_key_expires_at: Optional[str] = None,
        rate_limit: Optional[RateLimit] = None,
    ) -> None:
        facts = [code] + ([] if request_id is None else [f"request {request_id}"])
        super().__init__(f"{title} ({', '.join(facts)}). {detail}")
        self.code = code
        self.status = status
        self.title = title
        self.detail = detail
        #: After this time the service does not refuse the request for the same cause again.
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id
        self.api_key_expires_at = api_key_expires_at
        self.rate_limit = rate_limit


class ProblemError(PartnerApiError):
    """The service refused the request with a problem that the API document has. `problem` has its members."""

    def __init__(self, problem: types.Problem, **facts: Any) -> None:
        super().__init__(code=problem["code"], title=problem["title"], detail=problem["detail"], **facts)
        self.problem = problem


class UnknownAnswerError(PartnerApiError):
    """The API document of this version does not have the answer: a proxy gave it, or its problem is newer than the client.

    `body` is the parsed body if it is JSON, otherwise its text.
    """

    def __init__(self, body: Any, **facts: Any) -> None:
        super().__init__(code="unknown-answer", **facts)
        self.body = body


class NoAnswerError(PartnerApiError):
    """The connection was lost or could not be made. `__cause__` is the error of the connection."""

    def __init__(self, is_repeatable: bool, cause: Exception) -> None:
        super().__init__(
            code="no-answer",
            status=None,
            title="The connection failed",
            detail=f"{reason_of(cause) or type(cause).__name__}. {_what_to_do(is_repeatable, cause)}",
        )
        self.__cause__ = cause


class Stopped(ClientError):
    """The event `stop` of a call was set."""


def is_certificate_fault(cause: object) -> bool:
    """Whether the connection failed because of a certificate; then a repeat does not help."""
    return isinstance(reason_of(cause), ssl.SSLCertVerificationError)


def reason_of(cause: object) -> object:
    """`urllib` states in `reason` why a connection failed."""
    return getattr(cause, "reason", None) or cause


def _what_to_do(is_repeatable: bool, cause: Exception) -> str:
    if is_certificate_fault(cause):
        return "Check the base_url, and which authorities this process trusts."
    if is_repeatable:
        return "Call again later."
    return "Nobody knows whether it was done. Read the current state before you call again."
