"""Rotation of API keys without downtime."""

from __future__ import annotations

import secrets
import time
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Iterator, Optional, Protocol, TypedDict

from . import types
from .answers import Answer
from .errors import ClientError, PartnerApiError

if TYPE_CHECKING:
    from .client import PartnerClient


class Replaced(TypedDict):
    """The replaced key, and when it was replaced (RFC 3339, UTC).

    It stays valid for a while, so that other processes can switch.
    """

    keyId: str
    at: str


class _KeptApiKey(TypedDict):
    apiKey: str


class KeptApiKey(_KeptApiKey, total=False):
    """The state of the rotation between two runs.

    Store it as JSON, for example in a file that only your service can read. The TypeScript client has the same format.
    `idempotencyKey` is the `Idempotency-Key` of the request that creates the next key. It is present from before that
    request until the key is kept.
    """

    idempotencyKey: str
    replaced: Replaced


class ApiKeyStore(Protocol):
    """Stores the state of the rotation, for example in a file."""

    def read(self) -> KeptApiKey:
        """Returns the state that was kept last."""
        ...

    def keep(self, kept: KeptApiKey) -> None:
        """Stores the state. Returns once the state would survive a crash.

        Replace the state atomically: write a new file and rename it.
        """


class RotationError(ClientError):
    """The service refused a step of the rotation or did not answer.

    The kept state is consistent: run the rotation again.
    """

    def __init__(self, step: str, error: PartnerApiError) -> None:
        super().__init__(f"{step}: {error}")
        self.step = step
        self.error = error


_HOUR_SECONDS = 3600
_DAY_SECONDS = 24 * _HOUR_SECONDS


def rotate_api_key_if_due(
    client: PartnerClient, store: ApiKeyStore, *, days_before_expiry: float = 30, overlap_hours: float = 48
) -> bool:
    """Replaces the API key if it expires soon, and deletes the replaced key when the overlap is over.

    Run it every few hours. If a run is interrupted, the next one continues from the kept state and leaves no unused key
    behind. If the interruption falls between the creation of a key and `keep`, the next run must start within 24 hours.

    Args:
        client: The client, which uses the new key from then on.
        store: Where the state of the rotation is kept.
        days_before_expiry: How many days before its expiry a key is replaced.
        overlap_hours: How many hours after the replacement the old key is deleted.

    Returns:
        Whether the key was replaced.

    Raises:
        RotationError: The service refused a step or did not answer.
        ValueError: The key has read access only.
    """
    kept = store.read()
    current = _read_current_key(client, kept["apiKey"])
    is_due = _seconds_of(current["expiresAt"]) - time.time() <= days_before_expiry * _DAY_SECONDS
    replaced = kept.get("replaced")
    is_overlap_over = (
        replaced is not None and time.time() - _seconds_of(replaced["at"]) >= overlap_hours * _HOUR_SECONDS
    )
    # The state holds a single replaced key, so the previous one is deleted first.
    if is_due or is_overlap_over:
        _delete_replaced(client, store, kept)
    if is_due:
        _replace(client, store, kept["apiKey"], current)
    return is_due


def rotate_api_key(client: PartnerClient, store: ApiKeyStore) -> None:
    """Replaces the API key at once, whatever its expiry, and deletes the key that the previous rotation replaced.

    Raises RotationError if the service refuses a step or does not answer, and ValueError if the key has read access only.
    """
    api_key = delete_replaced_api_key(client, store)["apiKey"]
    _replace(client, store, api_key, _read_current_key(client, api_key))


def delete_replaced_api_key(client: PartnerClient, store: ApiKeyStore) -> KeptApiKey:
    """Deletes the key that the last rotation replaced, if it still exists.

    Returns the kept state, whose key the client uses from then on. Raises RotationError if the service refuses the
    deletion or does not answer.
    """
    return _delete_replaced(client, store, store.read())


def _delete_replaced(client: PartnerClient, store: ApiKeyStore, kept: KeptApiKey) -> KeptApiKey:
    api_key = kept["apiKey"]
    client.use_api_key(api_key)
    if "replaced" not in kept:
        return kept
    with _step("Deleting the replaced key"):
        try:
            client.call("deleteApiKey", api_key=api_key, path={"keyId": kept["replaced"]["keyId"]})
        except PartnerApiError as error:
            if error.code != "api-key-not-found":
                raise
    store.keep({"apiKey": api_key})
    return {"apiKey": api_key}


def _read_current_key(client: PartnerClient, api_key: str) -> types.OwnApiKey:
    client.use_api_key(api_key)
    with _step("Reading the key in use"):
        current: types.OwnApiKey = client.call("getOwnApiKey", api_key=api_key).body
    if current["access"] == "read":
        raise ValueError(
            f"The kept key {current['keyId']} has read access only, so it cannot create a successor. Rotate a key with full "
            "access, and create read-only keys with it."
        )
    return current


def _replace(client: PartnerClient, store: ApiKeyStore, old_key: str, current: types.OwnApiKey) -> None:
    """Creates a key, keeps it before its first use, and tests it before the client uses it."""
    created = _create_successor(client, store, old_key, current)
    if created is None:
        client.use_api_key(store.read()["apiKey"])
        return
    api_key = created.body["apiKey"]
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    store.keep({"apiKey": api_key, "replaced": {"keyId": current["keyId"], "at": now}})
    with _step("Testing the new key"):
        client.call("getOwnApiKey", api_key=api_key)
    client.use_api_key(api_key)


def _create_successor(
    client: PartnerClient, store: ApiKeyStore, old_key: str, current: types.OwnApiKey
) -> Optional[Answer[types.ApiKeyCreated]]:
    """Creates the successor of a key, with the same allowed addresses and the same label.

    A repeat with the same kept value returns the same successor. Returns None if another process has replaced the key in
    the meantime.
    """

    def create(is_spent: bool) -> Optional[Answer[types.ApiKeyCreated]]:
        idempotency_key = _keep_idempotency_key(store, old_key, is_spent)
        if idempotency_key is None:
            return None
        return client.call(
            "createApiKey",
            api_key=old_key,
            headers={"Idempotency-Key": idempotency_key},
            body={"allowedCidrs": current["allowedCidrs"], "label": current["label"]},
        )

    with _step("Creating a key"):
        try:
            return create(False)
        except PartnerApiError as error:
            # The key of an earlier request was used or deleted, so the service does not return it again: use a new value.
            if error.code != "idempotency-key-spent":
                raise
            return create(True)


def _keep_idempotency_key(store: ApiKeyStore, api_key: str, is_spent: bool) -> Optional[str]:
    """Keeps an `Idempotency-Key` before the request that sends it, unless one is already kept, and returns the kept one.

    Returns None if `api_key` is no longer the kept key.
    """
    before = store.read()
    if before["apiKey"] == api_key and (is_spent or "idempotencyKey" not in before):
        # 128 random bits: with the old key and a guessable value, an attacker could fetch the new key.
        changed = before.copy()
        changed["idempotencyKey"] = secrets.token_hex(16)
        store.keep(changed)
    # Another process may have kept a value, or a new key, at the same time.
    kept = store.read()
    return kept.get("idempotencyKey") if kept["apiKey"] == api_key else None


def _seconds_of(time_in_utc: str) -> float:
    """Parses a time (RFC 3339, UTC) and returns the seconds since 1970, without fractions."""
    return datetime.strptime(time_in_utc[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc).timestamp()


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except PartnerApiError as error:
        raise RotationError(name, error) from error
