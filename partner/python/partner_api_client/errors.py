"""The errors that calls raise."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Optional, Type

if TYPE_CHECKING:
    from . import types
    from .headers import RateLimit


class ClientError(Exception):
    """An error that can be pickled, for example to raise it in another process, whatever its constructor's parameters."""

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: Type[ClientError], args: Any, state: Any) -> ClientError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class PartnerApiError(ClientError):
    """The service refused a call or did not answer.

    `code` is the reason. Quote `request_id` when you contact the operator.
    """

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
        #: The seconds after which the service no longer refuses the request for the same reason. None if unknown.
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id
        self.api_key_expires_at = api_key_expires_at
        self.rate_limit = rate_limit


class ProblemError(PartnerApiError):
    """The service refused the request with a documented problem. `problem` has the members of the problem."""

    def __init__(self, problem: types.Problem, **facts: Any) -> None:
        super().__init__(code=problem["code"], title=problem["title"], detail=problem["detail"], **facts)
        self.problem = problem


class UnknownAnswerError(PartnerApiError):
    """An answer that this version's API document does not describe: from a proxy, or with a newer problem.

    `body` is the parsed body if it is JSON, otherwise the text of the body.
    """

    def __init__(self, body: Any, **facts: Any) -> None:
        super().__init__(code="unknown-answer", **facts)
        self.body = body


class NoAnswerError(PartnerApiError):
    """The connection failed or timed out. `__cause__` is the error of the connection."""

    def __init__(self, is_repeatable: bool, cause: Exception) -> None:
        super().__init__(
            code="no-answer",
            status=None,
            title="The connection failed",
            detail=f"{str(cause) or type(cause).__name__}. {_what_to_do(is_repeatable, cause)}",
        )
        self.__cause__ = cause


class Stopped(ClientError):
    """The `stop` event of a call was set."""


def is_certificate_fault(cause: Optional[BaseException]) -> bool:
    """Whether the connection failed because of a certificate, so that a retry does not help.

    Looks at the causes of the error, too, because libraries wrap the error of the platform.
    """
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    return cause is not None


def _what_to_do(is_repeatable: bool, cause: Exception) -> str:
    if is_certificate_fault(cause):
        return "Check the base_url and the certificate authorities that this process trusts."
    if is_repeatable:
        return "Call again later."
    return "The operation may or may not have been carried out. Read the current state before you call again."
