"""Verification of webhook messages."""

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

#: Messages with an older or later timestamp are rejected, because an attacker may have recorded and replayed them.
TOLERANCE_SECONDS = 300

#: The service sends at most two signatures. The limit bounds the work that a forged request can cause.
_MAX_SIGNATURES = 10


class EventsAvailable(types.EventsAvailableMessage):
    """The feed has new events: read it."""

    id: str


class WebhookVerify(types.WebhookVerifyMessage):
    """Send the code back with `verify_webhook`, from a process that has an API key."""

    id: str


class WebhookTest(types.WebhookTestMessage):
    """A message that you requested with `test_webhook`. There is nothing to do."""

    id: str


class UnknownWebhookMessage(TypedDict):
    """A message whose type (`newType`) is newer than this client. You may ignore it."""

    id: str
    type: Literal["unknown-message"]
    newType: str
    timestamp: str
    data: dict[str, Any]


#: A message to a webhook. `type` determines the type of `data`. All attempts of a message have the same `id`; `timestamp`
#: is the time of this attempt (RFC 3339, UTC).
WebhookMessage = Union[EventsAvailable, WebhookVerify, WebhookTest, UnknownWebhookMessage]

_KNOWN_TYPES = ("events.available", "webhook.verify", "webhook.test")


class Headers(Protocol):
    """The headers of a request: any object whose `items()` returns names and values."""

    def items(self) -> Iterable[tuple[str, Any]]: ...


_REFUSALS = {
    "header-missing": "The request lacks webhook-id, webhook-timestamp or webhook-signature. It is not a webhook message, or "
    "a proxy has removed a header.",
    "time-off": f"The message was signed more than {TOLERANCE_SECONDS} seconds before or after now. Check the clock of this "
    "machine. If the clock is correct, the message may be a replay.",
    "signature-wrong": "No signature matches a given secret. The request is forged, the secret belongs to another "
    "webhook, or the body was changed before the verification.",
    "body-unreadable": "The signature is valid, but the body is not a webhook message that this version of the client can "
    "read.",
}

#: Why a message was rejected.
WebhookMessageRefusal = Literal["header-missing", "time-off", "signature-wrong", "body-unreadable"]


class WebhookMessageError(ClientError):
    """The request is not an authentic, recent webhook message. Answer 401 and do nothing else."""

    def __init__(self, refusal: WebhookMessageRefusal) -> None:
        super().__init__(_REFUSALS[refusal])
        self.refusal = refusal


def verify_webhook_message(
    headers: Headers, body: Union[bytes, str], secrets: Union[str, Sequence[str]], *, now: Optional[float] = None
) -> WebhookMessage:
    """Verifies the signature and the timestamp of a webhook request and returns its message.

    Args:
        headers: The headers of the request.
        body: The raw body, before any parsing: a body that was parsed and serialized again may differ.
        secrets: The secret that `create_webhook` or `rotate_webhook_secret` returned. During a rotation, pass the old and
            the new one.
        now: The current time in seconds since 1970. By default `time.time()`.

    Raises:
        WebhookMessageError: The request is not an authentic, recent message: answer 401.
        ValueError: A secret is malformed or missing. The error never quotes a secret.
    """
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("Expected one or more secrets of the webhook, but received none.")
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
        "Expected a secret as create_webhook returned it: whsec_ and 44 characters. It may be truncated or end with a line "
        "break."
    )


def _signatures_in(header: str) -> list[bytes]:
    """Returns the signatures of version `v1`; the header may have others, too.

    The pattern accepts only the canonical Base64 of 32 bytes.
    """
    given = [re.fullmatch(r"v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)", each) for each in header.split(" ")]
    return [base64.b64decode(match[1]) for match in given if match][:_MAX_SIGNATURES]


def _is_signed(content: bytes, signatures: Sequence[bytes], keys: Sequence[bytes]) -> bool:
    for key in keys:
        right = hmac.digest(key, content, "sha256")
        if any(hmac.compare_digest(signature, right) for signature in signatures):
            return True
    return False


def _message_in(message_id: str, body: bytes) -> Optional[WebhookMessage]:
    """Returns the typed message in a body, or None if the body is not a message. Does not validate the members of `data`."""
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
