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
    """The key that was replaced, and when. It stays valid for a while, so that other processes can follow."""

    keyId: str
    at: str


class _KeptApiKey(TypedDict):
    apiKey: str


class KeptApiKey(_KeptApiKey, total=False):
    """The state that a partner keeps between two runs, for example as JSON in a file. It is that of the TypeScript client.

    `idempotencyKey` is the value under which the key after `apiKey` is created: from before the request until that key is
    kept.
    """

    idempotencyKey: str
    replaced: Replaced


class ApiKeyStore(Protocol):
    """Keeps the state of a rotation."""

    def read(self) -> KeptApiKey: ...

    def keep(self, kept: KeptApiKey) -> None:
        """Returns when a crash would not lose the state. Replace it at once: write a new file and rename it."""


class RotationError(ClientError):
    """A step of a rotation was refused or got no answer. The kept state is consistent: run the rotation again."""

    def __init__(self, step: str, error: PartnerApiError) -> None:
        super().__init__(f"{step}: {error}")
        self.step = step
        self.error = error


_HOUR_SECONDS = 3600
_DAY_SECONDS = 24 * _HOUR_SECONDS


def rotate_api_key_if_due(
    client: PartnerClient, store: ApiKeyStore, *, days_before_expiry: float = 30, overlap_hours: float = 48
) -> bool:
    """Replaces the kept key if it expires soon, and deletes the key that was replaced when the overlap is over.

    Run it every few hours; it returns whether it replaced the key. If a run breaks off, the next one continues from the
    kept state, and no key is left over. Between the creation of a key and its keeping, this holds for 24 hours. Raises
    RotationError, and ValueError for a key that may only read.
    """
    kept = store.read()
    current = _read_current_key(client, kept["apiKey"])
    is_due = _seconds_of(current["expiresAt"]) - time.time() <= days_before_expiry * _DAY_SECONDS
    replaced = kept.get("replaced")
    is_overlap_over = (
        replaced is not None and time.time() - _seconds_of(replaced["at"]) >= overlap_hours * _HOUR_SECONDS
    )
    # The state has room for one replaced key only.
    if is_due or is_overlap_over:
        _delete_replaced(client, store, kept)
    if is_due:
        _replace(client, store, kept["apiKey"], current)
    return is_due


def rotate_api_key(client: PartnerClient, store: ApiKeyStore) -> None:
    """Replaces the kept key at once, however long it is still valid. Ends the overlap of the rotation before."""
    api_key = delete_replaced_api_key(client, store)["apiKey"]
    _replace(client, store, api_key, _read_current_key(client, api_key))


def delete_replaced_api_key(client: PartnerClient, store: ApiKeyStore) -> KeptApiKey:
    """Deletes the key that the last rotation replaced, if there is one. Returns what is kept then; the client uses it."""
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
            f"The kept key {current['keyId']} may only read, so it creates no successor. Rotate a key with full access, and "
            "let that create keys that read."
        )
    return current


def _replace(client: PartnerClient, store: ApiKeyStore, old_key: str, current: types.OwnApiKey) -> None:
    """Creates a key, keeps it before the first use, and tries it before the client relies on it."""
    created = _create_successor(client, store, old_key, current)
    if created is None:
        client.use_api_key(store.read()["apiKey"])
        return
    api_key = created.body["apiKey"]
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    store.keep({"apiKey": api_key, "replaced": {"keyId": current["keyId"], "at": now}})
    with _step("Trying the new key"):
        client.call("getOwnApiKey", api_key=api_key)
    client.use_api_key(api_key)


def _create_successor(
    client: PartnerClient, store: ApiKeyStore, old_key: str, current: types.OwnApiKey
) -> Optional[Answer[types.ApiKeyCreated]]:
    """Creates the successor of a key, which works from where that does and has its label.

    A repeat under the same kept value gives the same successor. None if another process has replaced the key in the
    meantime.
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
            # The key of an earlier request was used or deleted: by a process that has kept it, or by somebody else.
            if error.code != "idempotency-key-spent":
                raise
            return create(True)


def _keep_idempotency_key(store: ApiKeyStore, api_key: str, is_spent: bool) -> Optional[str]:
    """Keeps a value before the request that it names, unless one is kept; None if `api_key` is no longer the kept key."""
    before = store.read()
    if before["apiKey"] == api_key and (is_spent or "idempotencyKey" not in before):
        # 128 bits: whoever has the old key and could guess the value could fetch the new key, too.
        changed = before.copy()
        changed["idempotencyKey"] = secrets.token_hex(16)
        store.keep(changed)
    # Another process may have kept a value, or a new key, at the same time.
    kept = store.read()
    return kept.get("idempotencyKey") if kept["apiKey"] == api_key else None


def _seconds_of(time_in_utc: str) -> float:
    """The seconds since 1970 of a time in RFC 3339 and UTC, without the fraction of a second."""
    return datetime.strptime(time_in_utc[:19], "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc).timestamp()


@contextmanager
def _step(name: str) -> Iterator[None]:
    try:
        yield
    except PartnerApiError as error:
        raise RotationError(name, error) from error
