"""Plays scenarios against the Python client without a network or waits: JSON from stdin, JSON to stdout."""

import inspect
import json
import re
import ssl
import sys
import urllib.error

import partner_api_client as p
from partner_api_client.transport import Response


class Crash(Exception):
    """The partner's process crashes, or it has nothing more to do."""


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).replace("-", "_").lower()
    return name + "_" if name == "from" else name


def scripted(script, options, on_wait=lambda seconds: None):
    """A client of a service with scripted answers, the last of which repeats."""
    sent, waits = [], []

    def send(request, timeout_seconds):
        sent.append({"method": request.method, "url": request.url, "headers": request.headers})
        sent[-1]["body"] = None if request.body is None else json.loads(request.body)
        if len(sent) > 40:
            raise RecursionError("The request is sent again without end.")
        line = script[min(len(sent), len(script)) - 1]
        if "fault" not in line:
            return Response(line["status"], line["headers"], line["text"].encode())
        if "CERT" in line["fault"] or "VERIFY" in line["fault"]:
            raise urllib.error.URLError(ssl.SSLCertVerificationError(1, "certificate verify failed"))
        raise {"lost": ConnectionResetError("reset"), "timeout": TimeoutError("timed out")}.get(
            line["fault"], urllib.error.URLError(ConnectionRefusedError("refused"))
        )

    def wait(seconds, stop=None):
        waits.append(seconds)
        on_wait(seconds)

    client = p.PartnerClient(
        "https://api.example.com/v1",
        options.get("apiKey", "a-key"),
        options.get("userId", "owner-4711"),
        patience_seconds=options.get("patienceSeconds", 30),
        send=send,
        wait=wait,
    )
    return client, sent, waits


def outcome_of(act):
    try:
        answer = act()
    except p.PartnerApiError as error:
        return {
            "ok": False,
            "kind": type(error).__name__,
            "code": error.code,
            "status": error.status,
            "title": error.title,
            "detail": error.detail,
            "body": getattr(error, "body", None),
            "retryAfterSeconds": error.retry_after_seconds,
            **said(error),
        }
    body = {} if answer.body is None else {"body": answer.body}
    return {"ok": True, "status": answer.status, "headers": answer.headers, **body, **said(answer)}


def said(answer):
    limit = answer.rate_limit
    return {
        "requestId": answer.request_id,
        "apiKeyExpiresAt": answer.api_key_expires_at,
        "rateLimit": limit
        and {"policy": limit.policy, "remaining": limit.remaining, "nextInSeconds": limit.next_in_seconds},
    }


def play_call(scenario):
    client, sent, waits = scripted(scenario["script"], scenario.get("options", {}))
    parts = scenario.get("request", {})
    named = {snake(name): value for part in ("query", "headers") for name, value in parts.get(part, {}).items()}
    ids = {snake(name): value for name, value in parts.get("path", {}).items()}
    body = {"body": parts["body"]} if "body" in parts else {}
    method = getattr(client, snake(scenario["operationId"]))
    wanted = inspect.signature(method).parameters
    outcome = outcome_of(
        lambda: method(**{name: value for name, value in {**ids, **body, **named}.items() if name in wanted})
    )
    return {"sent": sent, "waits": waits, "outcome": outcome}


def play_feed(scenario):
    steps = []

    def note(text):
        steps.append(text)

    def read_state(because):
        if scenario.get("stateFails"):
            raise Crash("The database is away.")
        note(f"reads state: {because}")

    class Cursors:
        def read(self):
            return scenario.get("kept")

        def keep(self, cursor):
            note(f"keeps {cursor}")

    client, sent, _ = scripted(scenario["script"], {"patienceSeconds": 0}, lambda seconds: note(f"waits {seconds:g}"))
    until_next = (lambda: note("notified")) if scenario.get("untilNext") else None
    try:
        for event in client.events(
            Cursors(), read_state, until_next=until_next, page_size=scenario.get("pageSize")
        ):
            note(f"{event['id']} {event['type']}")
    except Crash as error:
        note(f"fails: {error}")
    except p.PartnerApiError as error:
        note(f"refused: {error.code}")
    return {"steps": steps, "asked": [request["url"].partition("?")[2] for request in sent]}


def play_webhook(scenario):
    body = scenario["body"]
    body = body.encode() if scenario.get("isBytes") else body
    try:
        return p.verify_webhook_message(scenario["headers"], body, scenario["secrets"], now=scenario["nowMs"] / 1000)
    except p.WebhookMessageError as error:
        return error.refusal
    except ValueError as error:
        return "fault of the call"


def play_rotation(scenario):
    """Rotates a key.

    The process dies after `lastStep` requests and writes of the state. Another process replaces the key before the read
    `replacedBeforeRead`.
    """
    history = [scenario["kept"]]
    steps = reads = 0

    def step():
        nonlocal steps
        steps += 1
        if steps == scenario.get("lastStep"):
            raise Crash

    class Store:
        def read(self):
            nonlocal reads
            reads += 1
            if reads == scenario.get("replacedBeforeRead"):
                history.append({"apiKey": "key-of-another-process"})
            return history[-1]

        def keep(self, kept):
            history.append(kept)
            step()

    client, sent, _ = scripted(scenario["script"], {"apiKey": scenario["kept"]["apiKey"]})
    transport = client._send

    def send(request, timeout_seconds):
        answer = transport(request, timeout_seconds)
        step()
        return answer

    client._send = send
    result = None
    try:
        if scenario["how"] == "if due":
            result = p.rotate_api_key_if_due(client, Store(), overlap_hours=scenario.get("overlapHours", 48))
        elif scenario["how"] == "at once":
            p.rotate_api_key(client, Store())
    except Crash:
        result = "crash"
    except p.RotationError as error:
        result = f"RotationError: {error.step}: {error.error.code}"
    except ValueError as error:
        result = "fault of the call"
    return {"history": history, "sent": sent, "result": result, "key": client._key.value}


def play_surface(scenario):
    """What there is to call."""
    names = [name for name in vars(p.client.Methods) if not name.startswith("_") and name != "call"]
    return {"methods": names, "eventTypes": p.events.EVENT_TYPES, "version": p.__version__}


players = {
    "call": play_call,
    "feed": play_feed,
    "webhook": play_webhook,
    "rotation": play_rotation,
    "surface": play_surface,
}
json.dump([players[scenario["play"]](scenario) for scenario in json.load(sys.stdin)], sys.stdout)
