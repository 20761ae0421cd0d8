"""Answers of the service."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Generic, Mapping, Optional, TypeVar, cast

from . import types
from ._generated.operations import Operation
from .errors import PartnerApiError, ProblemError, UnknownAnswerError
from .headers import RateLimit, retry_after_seconds_in, said_in
from .transport import Response

Body = TypeVar("Body")


@dataclass(frozen=True, repr=False, eq=False)
class Answer(Generic[Body]):
    """The answer to a call that succeeded. `body` has the property names of the API document."""

    status: int
    body: Body
    #: The headers, by lower-case name.
    headers: Mapping[str, str]
    #: The id of the request. Quote it when you contact the operator.
    request_id: Optional[str]
    #: The time at which the API key of the call expires (RFC 3339, UTC).
    api_key_expires_at: Optional[str]
    #: The state of the rate limit after the call.
    rate_limit: Optional[RateLimit]

    @property
    def etag(self) -> str:
        """The version of the resource, for the argument `if_match` of a change.

        Raises ValueError if the answer has no ETag, because a change without `if_match` would not detect conflicts.
        """
        if "etag" in self.headers:
            return self.headers["etag"]
        raise ValueError("The answer has no ETag. Only circuits, time programs and holidays have an ETag.")

    def __repr__(self) -> str:
        # Leaves out the body: it may contain a key or a secret, and reprs end up in logs.
        return f"Answer(status={self.status}, request_id={self.request_id!r})"


def read_answer(operation: Operation, response: Response) -> Answer[Any]:
    """Reads an answer. Checks status, media type and problem code against the API document; does not validate bodies.

    Raises ProblemError or UnknownAnswerError unless the answer is a success.
    """
    content = _Content(response)
    said = said_in(response.headers)
    if response.status == operation.success_status and (response.status == 204 or content.is_body):
        return Answer(response.status, content.json, response.headers, **said)
    raise _refusal(operation, response, content, said)


def _refusal(
    operation: Operation, response: Response, content: _Content, said: Mapping[str, Any]
) -> PartnerApiError:
    facts = {**said, "status": response.status, "retry_after_seconds": retry_after_seconds_in(response.headers)}
    if content.media_type == "application/problem+json" and content.member("code") in operation.problem_codes:
        return ProblemError(cast(types.Problem, _with_words(content.json)), **facts)
    title = f"Status {response.status} is not a documented answer of this operation"
    detail = (
        "Expected a success or a problem of the operation, but received status "
        f"{response.status} with {content.media_type or 'no content'}. "
        "Check that the base_url is the URL of the API, and whether a proxy answered."
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
        # RFC 9110, 8.3.1: media types are case-insensitive, and there may be whitespace around parameters.
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
