"""Plays the scenarios of `test/partner/scenarios/` with the Python client: JSON from stdin, JSON to stdout."""

import http.client
import json
import logging
import random
import re
import secrets
import ssl
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import partner_api_client as p
from partner_api_client.transport import Response


class Crash(Exception):
    """The partner's process crashes."""


class InTurn(ThreadPoolExecutor):
    """Ends each work before it accepts another, so that the order of all requests is known."""

    def submit(self, *work):
        future = super().submit(*work)
        future.exception()
        return future


class Retries(logging.Handler):
    def __init__(self, run):
        super().__init__()
        self.run = run

    def emit(self, record):
        operation_id, error, attempt, seconds = record.args
        self.run.note(f"retry {attempt} of {operation_id} after {error.code} in {seconds:g}")
        assert error.detail in record.getMessage()


class Run:
    """A run of a partner's program. The answers, the clock and the random values are those of the scenario."""

    def __init__(self, scenario):
        self.answers = scenario["answers"]
        self.settings = scenario["client"]
        self.interruption = scenario.get("interruption")
        self.steps, self.requests, self.failure, self.kept, self.clients = [], 0, None, None, {}
        self.stop = threading.Event() if self.interruption and self.interruption["by"] == "stop" else None
        values = iter(range(1, 100))
        random.random = lambda: scenario["random"]
        secrets.token_hex = lambda size: f"{next(values):02x}" * size
        logger = logging.getLogger("partner_api_client")
        logger.setLevel(logging.INFO)
        logger.handlers = [Retries(self)] if scenario.get("showsRetries") else []
        warnings.showwarning = lambda message, *_: self.note(f"warns: {message}".replace("base_url", "baseUrl"))

    def note(self, step):
        self.steps.append(step)
        if len(self.steps) > 80:
            raise RecursionError("The client does not come to an end.")
        if self.interruption is None or len(self.steps) != self.interruption["step"]:
            return
        by = self.interruption["by"]
        if by == "crash":
            raise Crash
        if by == "stop":
            self.stop.set()
        elif "keep" in by:
            self.kept = by["keep"]
        else:
            self.client_of().use_api_key(by["useApiKey"])

    def client_of(self, owner=""):
        if owner not in self.clients:
            options = {snake(name): value for name, value in self.settings.items()}
            self.clients[owner] = p.PartnerClient(**options, send=self.send, wait=self.wait)
        return self.clients[owner]

    def send(self, request, timeout_seconds):
        headers = dict(request.headers)
        body = None if request.body is None else json.loads(request.body)
        sent = {"method": request.method, "url": request.url, "body": body, "timeoutSeconds": timeout_seconds}
        sent.update(apiKey=headers.pop("x-api-key"), userId=headers.pop("x-user-id", None), headers=headers)
        answer = self.answers[min(self.requests, len(self.answers) - 1)]
        self.requests += 1
        self.note(sent)
        if "fault" in answer:
            self.failure = failure_of(answer["fault"])
            raise self.failure
        return Response(answer["status"], answer["headers"], answer["text"].encode())

    def wait(self, seconds, stop):
        assert stop is self.stop, "A wait does not end when the program stops the call."
        self.note(f"waits {seconds:g}")

    def perform(self, action):
        action = dict(action)
        try:
            return getattr(self, snake(action.pop("do")))(**action)
        except Exception as error:
            return self.outcome_of_error(error)

    def call(self, operationId, owner="", isUntyped=False, **request):
        client = self.client_of(owner)
        if isUntyped or "apiKey" in request or self.stop:
            generic = {snake(name): value for name, value in request.items()}
            return outcome_of(client.call(operationId, stop=self.stop, **generic))
        return outcome_of(getattr(client, snake(operationId))(**arguments_of(**request)))

    def for_owner(self, userId, owner=""):
        self.clients[userId] = self.client_of(owner).for_owner(userId)
        return {"ok": True}

    def use_api_key(self, apiKey):
        self.client_of().use_api_key(apiKey)
        return {"ok": True}

    def read_pages(self, operationId, **request):
        for answer in p.pages_of(getattr(self.client_of(), snake(operationId)), **arguments_of(**request)):
            self.note(f"page {','.join(answer.body['items'])}")
        return outcome_of(answer)

    def read_home(self, gatewayId, **include):
        return outcome_of(p.read_home(self.client_of(), gatewayId, **include))

    def read_homes(self, **options):
        for user_id, gateway_id, answer, error in p.read_homes(self.client_of(), **options):
            self.note(f"{user_id} {gateway_id} {'true' if answer else error.code}")
        return {"ok": True}

    def follow(self, kept=None, pageSize=None, hasUntilNext=False, forever=False):
        run, events = self, []

        class Cursors:
            def read(self):
                return kept

            def keep(self, cursor):
                run.note(f"keeps {cursor}")

        try:
            for event in self.client_of().events(
                Cursors(),
                lambda because: self.note(f"reads state: {because}"),
                until_next=(lambda: self.note("waits for the program")) if hasUntilNext else None,
                stop=self.stop,
                page_size=pageSize,
                forever=forever,
            ):
                events.append(event)
                self.note(event["id"])
        except Exception as error:
            return {**self.outcome_of_error(error), "events": events}
        # A stopped iteration ends; in TypeScript, it rejects.
        return {"ok": False, "code": "stopped"}

    def rotate(self, kept, isAtOnce=False, overlapHours=48):
        run = self
        self.kept = self.kept or kept
        client = self.client_of()

        class Store:
            def read(self):
                run.note("reads")
                return run.kept

            def keep(self, kept):
                run.kept = kept
                run.note("keeps " + json.dumps(kept, separators=(",", ":")))

        outcome = {"ok": True, "isReplaced": None}
        try:
            if isAtOnce:
                p.rotate_api_key(client, Store())
            else:
                outcome["isReplaced"] = p.rotate_api_key_if_due(client, Store(), overlap_hours=overlapHours)
        except Exception as error:
            outcome = self.outcome_of_error(error)
        return {**outcome, "keyInUse": client._key.value}

    def verify(self, headers, body, secrets, isBytes=False, nowMs=None):
        now = None if nowMs is None else nowMs / 1000
        body = body.encode() if isBytes else body
        return {"ok": True, "value": p.verify_webhook_message(headers, body, secrets, now=now)}

    def settings_of(self, circuit):
        return {"ok": True, "value": p.settings_of(circuit)}

    def measurement_of(self, measurements, name, componentId=None):
        return {"ok": True, "value": p.measurement_of(measurements, name, componentId)}

    def constants(self):
        return {"ok": True, "eventTypes": p.events.EVENT_TYPES, "measurementUnits": p.MEASUREMENT_UNITS}

    def outcome_of_error(self, error):
        if isinstance(error, p.RotationError):
            return {**self.outcome_of_error(error.error), "detail": str(error)}
        if isinstance(error, p.PartnerApiError):
            kind = {"unknown-answer": p.UnknownAnswerError, "no-answer": p.NoAnswerError}.get(error.code, p.ProblemError)
            code = error.code if type(error) is kind else f"{error.code} of {type(error)}"
            is_cause_kept = error.__cause__ is not None and error.__cause__ is self.failure
            return {"ok": False, "isCauseKept": is_cause_kept, **vars(error), "code": code}
        if isinstance(error, Crash):
            return {"ok": False, "code": "crash"}
        if isinstance(error, p.Stopped):
            return {"ok": False, "code": "stopped"}
        if isinstance(error, p.WebhookMessageError):
            return {"ok": False, "code": error.refusal}
        code = "invalid-argument" if isinstance(error, ValueError) else "error"
        return {"ok": False, "code": code, "detail": str(error)}


def outcome_of(answer):
    return {"ok": True, **vars(answer)}


def failure_of(fault):
    reason = f"The reason is {fault}"
    if "CERT" in fault or "VERIFY" in fault:
        return wrapped(ssl.SSLCertVerificationError(1, reason))
    return {
        "bug": KeyError("A fault of the program."),
        "cut": http.client.IncompleteRead(b""),
        "lost": http.client.RemoteDisconnected("fetch failed"),
        "timeout": TimeoutError("timed out"),
    }.get(fault) or ConnectionRefusedError(reason)


def wrapped(cause):
    """The error of a library such as requests, which has the error of the platform as its cause."""
    error = OSError(str(cause))
    error.__cause__ = cause
    return error


def arguments_of(path={}, query={}, headers={}, **body):
    """The arguments of the method of an operation."""
    return {**{snake(name): value for name, value in {**path, **query, **headers}.items()}, **body}


def snake(name):
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).replace("-", "_").lower()
    return name + "_" if name == "from" else name


def set_clock(now_ms):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(now_ms / 1000, tz)

    time.time = lambda: now_ms / 1000
    p.rotation.datetime = Clock


def play(scenario):
    run = Run(scenario)
    return {"outcomes": [run.perform(action) for action in scenario["program"]], "steps": run.steps}


given = json.load(sys.stdin)
set_clock(given["nowMs"])
p.pages.ThreadPoolExecutor = InTurn
warnings.simplefilter("always")
json.dump([play(scenario) for scenario in given["scenarios"]], sys.stdout, default=vars)
