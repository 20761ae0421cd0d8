"""Prepares requests. No error message here quotes a key."""

from __future__ import annotations

import json
import re
from typing import Any, Mapping, Optional, Union
from urllib.parse import quote, urlencode

from ._generated.operations import OPERATIONS, Operation
from .transport import Request

Query = Mapping[str, Union[str, int, bool, None]]


def operation_of(operation_id: str) -> Operation:
    operation = OPERATIONS.get(operation_id)
    if operation is None:
        raise ValueError(f"Unknown operation {operation_id}. Pass an operationId of the API document.")
    return operation


def prepare_request(
    base_url: str,
    api_key: str,
    user_id: Optional[str],
    operation: Operation,
    *,
    path: Mapping[str, str],
    query: Query,
    headers: Mapping[str, Optional[str]],
    body: Any,
) -> Request:
    """Prepares a request. Raises ValueError if an argument is invalid."""
    known = {
        "x-api-key": checked_api_key(api_key),
        "x-user-id": _user_id_for(user_id, operation),
        "content-type": None if body is None else "application/json",
    }
    given = {name.lower(): value for name, value in headers.items()}
    return Request(
        operation.method,
        _url_of(base_url, operation, path, query),
        {name: _checked_field(name, value) for name, value in {**known, **given}.items() if value is not None},
        None if body is None else json.dumps(body, separators=(",", ":"), allow_nan=False).encode(),
    )


def is_repeatable(request: Request) -> bool:
    """Whether a retry is safe without knowing the outcome: a GET only reads, and the service recognizes a repeated key."""
    return request.method == "GET" or "idempotency-key" in request.headers


def checked_api_key(api_key: str) -> str:
    """Returns the key. Raises ValueError if it is malformed; the platform's own error for the header would quote it."""
    if re.fullmatch(r"[!-~]+", api_key):
        return api_key
    raise ValueError("The api_key is empty or contains invalid characters, for example a line break at its end.")


def _checked_field(name: str, value: str) -> str:
    if re.fullmatch(r"[ -~]*", value):
        return value
    raise ValueError(f"The header {name} contains characters that are not allowed in headers, for example a line break.")


def _url_of(base_url: str, operation: Operation, path: Mapping[str, str], query: Query) -> str:
    route = re.sub(r"\{(\w+)\}", lambda match: _segment_of(match[1], path.get(match[1])), operation.path)
    search = urlencode({name: _text_of(value) for name, value in query.items() if value is not None})
    return re.sub(r"/$", "", base_url) + route + (f"?{search}" if search else "")


def _segment_of(name: str, value: Optional[str]) -> str:
    """Returns an id encoded for a path. Raises ValueError for an empty id, `.` or `..`: they lead to another path."""
    if value is None or value in ("", ".", ".."):
        raise ValueError(f"{value or ''!r} is not a valid {name} for the path. Pass a {name} that the API returned.")
    return quote(value, safe="!*'()")


def _text_of(value: Union[str, int, bool, None]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _user_id_for(user_id: Optional[str], operation: Operation) -> Optional[str]:
    if not operation.takes_user_id:
        return None
    if user_id or not operation.needs_user_id:
        return user_id or None
    raise ValueError(
        "The operation acts for an owner: pass a userId from list_contracts to PartnerClient or for_owner."
    )
