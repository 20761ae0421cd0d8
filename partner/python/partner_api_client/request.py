"""Prepares requests. No error message here quotes a key."""

from __future__ import annotations

import ipaddress
import json
import math
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
    headers: Mapping[str, Union[str, int, None]],
    body: Any,
) -> Request:
    """Prepares a request. Raises ValueError if an argument is invalid."""
    known: dict[str, object] = {
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


#: A host of ASCII letters, and a path that no client changes before it sends it.
_BASE_URL = re.compile(
    r"https://(\[(?P<ipv6>[\da-f:.]+)\]|(?P<host>[\w-]{1,63}(\.[\w-]{1,63})*))(:(?P<port>\d{1,5}))?"
    r"(?!.*/(\.|%2e){1,2}(/|$))(/[\w\-.~!$&'()*+,;=:@%/]*)?",
    re.ASCII | re.I,
)


def _is_url(url: str) -> bool:
    """Whether the URL has a host and a port to which requests can be sent."""
    match = _BASE_URL.fullmatch(url)
    if match is None or not 1 <= int(match["port"] or 443) <= 65535:
        return False
    try:
        if match["ipv6"]:
            ipaddress.IPv6Address(match["ipv6"])
        elif re.search(r"(^|\.)(\d+|0x[\da-f]*)$", match["host"], re.I):
            # Operating systems take numbers such as 127.1 for other addresses.
            ipaddress.IPv4Address(match["host"])
    except ValueError:
        return False
    return True


def checked_base_url(base_url: object) -> str:
    """Returns the URL without whitespace around it. Raises ValueError, which quotes no password and no key."""
    url = _checked_text("base_url", base_url, "Is its environment variable set?").strip("\ufeff\t\r\n ")
    shown = "not shown" if re.search("@|xHCSAPI_", url) else repr(url)
    if not url.lower().startswith("https://"):
        raise ValueError(
            f"The base_url is {shown} and must begin with https://, because every request carries an API key."
        )
    if not _is_url(url):
        raise ValueError(
            f"The base_url is {shown} and is not a valid URL. Expected one such as https://api.example.com/v1 or "
            "https://localhost:8443/v1: without a user name, a query, a fragment or whitespace."
        )
    return url


def checked_api_key(api_key: object) -> str:
    """Returns the key. Raises ValueError if it is malformed; the platform's own error for the header would quote it."""
    key = _checked_text("api_key", api_key, "Is its environment variable set?")
    if re.fullmatch(r"[!-~]+", key):
        return key
    raise ValueError("The api_key is empty or contains invalid characters, for example a line break at its end.")


def checked_user_id(user_id: object) -> str:
    user = _checked_text("user_id", user_id, "Pass a userId from list_contracts.")
    if re.fullmatch(r"[!-~]*", user):
        return user
    raise ValueError(
        f"The user_id {user!r} contains invalid characters, for example a line break. Pass a userId from list_contracts."
    )


def checked_seconds(name: str, seconds: object, longest: float = math.inf) -> float:
    if isinstance(seconds, (int, float)) and not isinstance(seconds, bool) and 0 <= seconds <= longest:
        return seconds
    raise ValueError(
        f"The {name} are '{seconds}'. Expected a number of seconds that is not negative, for a timeout at most a day."
    )


def _checked_text(name: str, value: object, hint: str) -> str:
    """Returns the text. Raises ValueError, which does not quote another value: it may be a key."""
    if isinstance(value, str):
        return value
    shown = "None" if value is None else f"of type {type(value).__name__}"
    raise ValueError(f"The {name} is {shown}. Expected text. {hint}")


def _checked_field(name: str, given: object) -> str:
    # The number of a version is the content of its ETag.
    is_version = name == "if-match" and isinstance(given, int) and not isinstance(given, bool)
    if is_version and given < 0:  # type: ignore[operator]
        raise ValueError(f"The header if-match is {given}. Expected the number of a version, which is at least 0.")
    value = f'"{given}"' if is_version else _checked_text(f"header {name}", given, "Convert it to text.")
    if re.fullmatch(r"[ -~]*", value):
        return value
    raise ValueError(f"The header {name} contains characters that are not allowed in headers, for example a line break.")


def _url_of(base_url: str, operation: Operation, path: Mapping[str, str], query: Query) -> str:
    route = re.sub(r"\{(\w+)\}", lambda match: _segment_of(match[1], path.get(match[1])), operation.path)
    search = urlencode({name: _text_of(value) for name, value in query.items() if value is not None})
    return re.sub(r"/$", "", base_url) + route + (f"?{search}" if search else "")


def _segment_of(name: str, value: object) -> str:
    """Returns an id encoded for a path. Raises ValueError for an empty id, `.` or `..`: they lead to another path."""
    remedy = f"Pass a {name} that the API returned."
    text = _checked_text(name, "" if value is None else value, remedy)
    if text in ("", ".", "..") or re.search(r"\s", text):
        raise ValueError(f"{text!r} is not a valid {name} for the path. {remedy}")
    return quote(text, safe="!*'()")


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
