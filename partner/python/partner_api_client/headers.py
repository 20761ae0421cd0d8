"""What the headers of an answer say."""

from __future__ import annotations

import email.utils
import re
import time
from calendar import timegm
from dataclasses import dataclass
from typing import Any, Mapping, Optional


@dataclass(frozen=True)
class RateLimit:
    """The state of the token bucket of an operation and its path after a call."""

    #: The name of the rate policy.
    policy: str
    #: The number of requests that are allowed now.
    remaining: int
    #: The seconds until one more request is allowed.
    next_in_seconds: int


def said_in(headers: Mapping[str, str]) -> Mapping[str, Any]:
    return {
        "request_id": headers.get("x-request-id"),
        "api_key_expires_at": headers.get("x-api-key-expires-at"),
        "rate_limit": _rate_limit_in(headers.get("ratelimit", "")),
    }


def _rate_limit_in(field: str) -> Optional[RateLimit]:
    match = re.fullmatch(r'"([\w-]+)";r=([0-9]{1,9});t=([0-9]{1,9})', field, re.ASCII)
    return RateLimit(match[1], int(match[2]), int(match[3])) if match else None


def retry_after_seconds_in(headers: Mapping[str, str]) -> Optional[float]:
    """Returns the seconds of Retry-After (RFC 9110, 10.2.3), which is a number or a date.

    Returns None if the header is absent or malformed, zero, or a date in the past.
    """
    field = headers.get("retry-after", "").strip()
    try:
        seconds = float(field) if re.fullmatch(r"[0-9.]+", field) else _http_date(field) - time.time()
    except (ValueError, OverflowError):
        return None
    return seconds if seconds > 0 else None


def _http_date(field: str) -> float:
    """Parses a date in one of the three formats of HTTP and returns the seconds since 1970.

    All three are in GMT, but one of them does not name the time zone. Raises ValueError for any other text.
    """
    parsed = email.utils.parsedate(field) if re.match(r"[A-Z][a-z]+,? ", field) else None
    if parsed is None:
        raise ValueError("Not an HTTP date.")
    return timegm(parsed)
