"""A typed client of the Partner API, without dependencies."""

from . import types
from ._generated.version import VERSION as __version__
from .answers import Answer
from .client import PartnerClient
from .errors import NoAnswerError, PartnerApiError, ProblemError, Stopped, UnknownAnswerError
from .events import CursorStore, FeedEvent, StateUnknown, Trigger, UnknownEvent
from .headers import RateLimit
from .measurements import MEASUREMENT_UNITS, measurement_of
from .pages import OwnerHome, pages_of, read_home, read_homes
from .rotation import (
    ApiKeyStore,
    KeptApiKey,
    RotationError,
    delete_replaced_api_key,
    rotate_api_key,
    rotate_api_key_if_due,
)
from .settings import settings_of
from .transport import Request, Response, Send
from .webhooks import WebhookMessage, WebhookMessageError, WebhookMessageRefusal, verify_webhook_message

__all__ = [
    "Answer",
    "ApiKeyStore",
    "CursorStore",
    "FeedEvent",
    "KeptApiKey",
    "MEASUREMENT_UNITS",
    "NoAnswerError",
    "OwnerHome",
    "PartnerApiError",
    "PartnerClient",
    "ProblemError",
    "RateLimit",
    "Request",
    "Response",
    "RotationError",
    "Send",
    "StateUnknown",
    "Stopped",
    "Trigger",
    "UnknownAnswerError",
    "UnknownEvent",
    "WebhookMessage",
    "WebhookMessageError",
    "WebhookMessageRefusal",
    "__version__",
    "delete_replaced_api_key",
    "measurement_of",
    "pages_of",
    "read_home",
    "read_homes",
    "rotate_api_key",
    "rotate_api_key_if_due",
    "settings_of",
    "types",
    "verify_webhook_message",
]
