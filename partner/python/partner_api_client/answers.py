"""Answers of the service, and how to read them."""

from __future__ import annotations

import email.utils
import json
import re
import time
from calendar import timegm
from dataclasses import dataclass
from typing import Any, Generic, Mapping, Optional, TypeVar, cast

from . import types
from ._generated.operations import Operation
from .errors import PartnerApiError, ProblemError, UnknownAnswerError
from .transport import Response

Body = TypeVar("Body")


@dataclass(frozen=True)
class RateLimit:
    """The state of the token bucket of the operation and its path after the call."""

    policy: str
    remaining: int
    next_in_seconds: int


@dataclass(frozen=True, repr=False, eq=False)
class Answer(Generic[Body]):
    """A success. `body` has the names of the API document."""

    status: int
    body: Body
    #: The headers, by lower-case name.
    headers: Mapping[str, str]
    #: The id to name to the operator.
    request_id: Optional[str]
    #: When the key in use expires: RFC 3339, UTC.
    api_key_expires_at: Optional[str]
    rate_limit: Optional[RateLimit]

    @property
    def etag(self) -> str:
        """The version that was read, as `if_match` takes it.

        Raises ValueError if the answer has none: a change without `if_match` would not be guarded.
        """
        if "etag" in self.headers:
            return self.headers["etag"]
        raise ValueError("The answer has no ETag. Circuits, time programs and holidays have one.")

    def __repr__(self) -> str:
        # Without the body: it may have a key or a secret, and a repr ends up in logs.
        return f"Answer(status={self.status}, request_id={self.request_id!r})"


def etag_of(version: int) -> str:
    """The ETag of a `version` that a body states, as `if_match` takes it."""
    return f'"{version}"'


def read_answer(operation: Operation, response: Response) -> Answer[Any]:
    """Reads an answer. Checks status, media type and `code` against the API document, and does not check bodies."""
    content = _Content(response)
    said = _said_in(response.headers)
    if response.status == operation.success_status and (response.status == 204 or content.is_body):
        return Answer(response.status, content.json, response.headers, **said)
    raise _refusal(operation, response, content, said)


def _refusal(
    operation: Operation, response: Response, content: _Content, said: Mapping[str, Any]
) -> PartnerApiError:
    facts = {**said, "status": response.status, "retry_after_seconds": _retry_after_seconds_in(response.headers)}
    if content.media_type == "application/problem+json" and content.member("code") in operation.problem_codes:
        return ProblemError(cast(types.Problem, _with_words(content.json)), **facts)
    title = f"The API document has no answer {response.status} of this operation"
    detail = (
        "Expected a success or a problem of the operation, got status "
        f"{response.status} with {content.media_type or 'no content'}. "
        "Check that the base_url leads to the API, and what stands between you and the API."
    )
    return UnknownAnswerError(
        content.json if content.is_json else content.text,
        title=content.member("title") or title,
        detail=content.member("detail") or detail,
        **facts,
    )


def _with_words(problem: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"title": "", "detail": "", **problem}


class _Content:
    def __init__(self, response: Response) -> None:
        # RFC 9110, 8.3.1: a media type is compared without case, and spaces may stand around its parameters.
        self.media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
        self.text = response.body.decode("utf-8-sig", "replace")
        self.json: Any = None
        self.is_json = False
        if self.media_type.endswith("json"):
            try:
                self.json = json.loads(self.text)
                self.is_json = True
            except (ValueError, RecursionError):
                pass

    @property
    def is_body(self) -> bool:
        return self.media_type == "application/json" and self.is_json

    def member(self, name: str) -> Optional[str]:
        value = self.json.get(name) if isinstance(self.json, dict) else None
        return value if isinstance(value, str) else None


def _said_in(headers: Mapping[str, str]) -> Mapping[str, Any]:
    return {
        "request_id": headers.get("x-request-id"),
        "api_key_expires_at": headers.get("x-api-key-expires-at"),
        "rate_limit": _rate_limit_in(headers.get("ratelimit", "")),
    }


def _rate_limit_in(field: str) -> Optional[RateLimit]:
    match = re.fullmatch(r'"([\w-]+)";r=([0-9]{1,9});t=([0-9]{1,9})', field, re.ASCII)
    return RateLimit(match[1], int(match[2]), int(match[3])) if match else None


def _retry_after_seconds_in(headers: Mapping[str, str]) -> Optional[float]:
    """The seconds that Retry-After asks for (RFC 9110, 10.2.3): a number, or the time until a date.

    None if there is no such field, or if it has another form, zero or a date that has passed.
    """
    field = headers.get("retry-after", "").strip()
    try:
        seconds = float(field) if re.fullmatch(r"[0-9.]+", field) else _http_date(field) - time.time()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None


def _http_date(field: str) -> float:
    """The seconds since 1970 of a date in one of the three forms of HTTP. All are in GMT; one does not say so."""
    parsed = email.utils.parsedate(field) if re.match(r"[A-Z][a-z]+,? ", field) else None
    if parsed is None:
        raise ValueError("It is no date of HTTP.")
    return timegm(parsed)
