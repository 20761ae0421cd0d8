"""Webhook messages, and whether the service has signed them."""

from __future__ import annotations

import base64
import hmac
import json
import math
import re
import time
from typing import Any, Iterable, Literal, Mapping, Optional, Protocol, Sequence, TypedDict, Union, cast

from . import types
from .errors import ClientError

#: A message that is further away from now was perhaps recorded and sent again by somebody else.
TOLERANCE_SECONDS = 300

#: The service sends two at most. A limit bounds the work that a stranger can cause.
_MAX_SIGNATURES = 10


class EventsAvailable(types.EventsAvailablePoke):
    """There is something to read in the feed."""

    id: str


class WebhookVerify(types.WebhookVerifyPoke):
    """The code goes back through `verify_webhook`, from a process that has an API key."""

    id: str


class WebhookTest(types.WebhookTestPoke):
    """Asked for with `test_webhook`: there is nothing to do."""

    id: str


class UnknownWebhookMessage(TypedDict):
    """A message of a type that is newer than the client. It may be ignored."""

    id: str
    type: Literal["unknown-message"]
    newType: str
    timestamp: str
    data: dict[str, Any]


#: What the service sends to a webhook; `type` says what its `data` holds. A message that is sent again keeps its `id`.
#: `timestamp` is when this attempt was made: RFC 3339, UTC.
WebhookMessage = Union[EventsAvailable, WebhookVerify, WebhookTest, UnknownWebhookMessage]

_KNOWN_TYPES = ("events.available", "webhook.verify", "webhook.test")


class Headers(Protocol):
    """The headers of a request in any form of which `items()` gives names and values."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


_REFUSALS = {
    "header-missing": "The request lacks webhook-id, webhook-timestamp or webhook-signature. It is no webhook message, or "
    "something on its way has removed a header.",
    "time-off": f"The message was signed more than {TOLERANCE_SECONDS} seconds before or after now. Check the clock of this "
    "machine; if it is right, somebody sends an old message again.",
    "signature-wrong": "No signature is that of a given secret. The request is from somebody else, the secret is that of "
    "another webhook, or the body is not the one that came.",
    "body-unreadable": "The signature is right, but the body is no webhook message that this version of the client can read.",
}

#: Why a message was refused.
WebhookMessageRefusal = Literal["header-missing", "time-off", "signature-wrong", "body-unreadable"]


class WebhookMessageError(ClientError):
    """The request is not to be trusted: answer it with 401, and do nothing."""

    def __init__(self, refusal: WebhookMessageRefusal) -> None:
        super().__init__(_REFUSALS[refusal])
        self.refusal = refusal


def verify_webhook_message(
    headers: Headers, body: Union[bytes, str], secrets: Union[str, Sequence[str]], *, now: Optional[float] = None
) -> WebhookMessage:
    """The webhook message in a request, if the service has signed it with one of the secrets.

    `body` is the body as it came, before anything parses it. While a secret replaces another one, give both. `now` is the
    time in seconds since 1970; that of this machine if absent. Raises WebhookMessageError if the message is refused, and
    ValueError, which quotes no secret, if a secret is none.
    """
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("Expected the secret of the webhook, or several. There is none.")
    message_id = _header_in(headers, "webhook-id")
    timestamp = _header_in(headers, "webhook-timestamp")
    signatures = _header_in(headers, "webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise WebhookMessageError("header-missing")
    now_seconds = math.floor(time.time() if now is None else now)
    if not re.fullmatch(r"[0-9]{1,15}", timestamp) or abs(now_seconds - int(timestamp)) > TOLERANCE_SECONDS:
        raise WebhookMessageError("time-off")
    content = body.encode() if isinstance(body, str) else bytes(body)
    if not _is_signed(f"{message_id}.{timestamp}.".encode() + content, _signatures_in(signatures), keys):
        raise WebhookMessageError("signature-wrong")
    message = _message_in(message_id, content)
    if message is None:
        raise WebhookMessageError("body-unreadable")
    return message


def _header_in(headers: Headers, name: str) -> Optional[str]:
    values = (value for each, value in headers.items() if each.lower() == name)
    value = next(values, None)
    if isinstance(value, (list, tuple)):
        value = next(iter(value), None)
    return value


def _key_of(secret: str) -> bytes:
    match = re.fullmatch(r"whsec_([A-Za-z0-9+/]{43}=)", secret)
    if match:
        return base64.b64decode(match[1])
    raise ValueError(
        "Expected a secret as create_webhook has shown it: whsec_ and 44 characters. It is cut off, or has a line break at "
        "its end, perhaps."
    )


def _signatures_in(header: str) -> list[bytes]:
    """The signatures of the version that the client knows; others may stand beside them. 32 bytes have one spelling only."""
    given = [re.fullmatch(r"v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)", each) for each in header.split(" ")]
    return [base64.b64decode(match[1]) for match in given if match][:_MAX_SIGNATURES]


def _is_signed(content: bytes, signatures: Sequence[bytes], keys: Sequence[bytes]) -> bool:
    for key in keys:
        right = hmac.digest(key, content, "sha256")
        if any(hmac.compare_digest(signature, right) for signature in signatures):
            return True
    return False


def _message_in(message_id: str, body: bytes) -> Optional[WebhookMessage]:
    """The message that a body holds, typed; None if it holds none. The `data` of a type is not checked."""
    parsed = _parsed_object(body)
    kind, timestamp, data = parsed.get("type"), parsed.get("timestamp"), parsed.get("data")
    if not isinstance(kind, str) or not isinstance(timestamp, str) or not isinstance(data, (dict, list)):
        return None
    kinds = {"type": kind} if kind in _KNOWN_TYPES else {"type": "unknown-message", "newType": kind}
    return cast(WebhookMessage, {"id": message_id, "timestamp": timestamp, "data": data, **kinds})


def _parsed_object(body: bytes) -> Mapping[str, Any]:
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
