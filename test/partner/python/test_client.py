"""Tests of Python-only features. Run by client.process.test.ts."""

import json
import pickle
import re
import threading
import time
import traceback
import unittest
from unittest import mock

import partner_api_client as p
from partner_api_client.client import wait
from partner_api_client.transport import Response

KEY = "xHCSAPI_acme_20360915T120000Z_f3QnT7wLx0RkVb2Z_" + "0" * 49
SECRET = "0" * 49


def client_of(*answers, **options):
    """Returns a client that gets these answers in turn, the last of which repeats, and the requests that it sends."""
    sent = []

    def send(request, timeout_seconds):
        sent.append(request)
        answer = answers[min(len(sent), len(answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer

    options = {"user_id": "owner-4711", "send": send, "wait": lambda seconds, stop: None, **options}
    return p.PartnerClient("https://api.example.com/v1", KEY, **options), sent


def json_answer(status=200, body="{}", **headers):
    return Response(status, {"content-type": "application/json", **headers}, body.encode())


class Calls(unittest.TestCase):
    def test_a_body_that_json_cannot_carry_is_refused(self):
        client, sent = client_of(json_answer())
        with self.assertRaisesRegex(ValueError, "not JSON compliant"):
            client.set_holiday("gw", {"roomSetpointCelsius": float("nan")})
        self.assertEqual(sent, [])

    def test_a_timeout_that_a_timer_cannot_have_is_refused(self):
        for seconds in (float("inf"), float("nan"), 10**400):
            with self.subTest(seconds), self.assertRaisesRegex(ValueError, "^The timeout_seconds are "):
                client_of(timeout_seconds=seconds)

    def test_true_is_a_word(self):
        client, sent = client_of(Response(204, {}, b""))
        client.delete_api_key("k", descendants=True)
        self.assertTrue(sent[0].url.endswith("/api-keys/k?descendants=true"))

    def test_there_is_a_method_for_each_operation_and_one_for_the_items_of_each_list(self):
        with open("docs/openapi.json") as file:
            paths = json.load(file)["paths"].values()
        operations = [operation["operationId"] for path in paths for operation in path.values()]
        methods = {re.sub("[A-Z]", lambda match: "_" + match[0].lower(), each) for each in operations}
        items = {each.replace("list_", "iter_") for each in methods if each.startswith("list_")} - {"iter_events"}
        named = {name for name in vars(p.client.Methods) if not name.startswith("_")}
        self.assertEqual(named, methods | items | {"call"})

    def test_the_version_is_that_of_the_typescript_client(self):
        with open("partner/client/package.json") as file:
            self.assertEqual(p.__version__, json.load(file)["version"])


class Waits(unittest.TestCase):
    def test_a_wait_takes_its_time_and_may_be_as_long_as_an_answer_says(self):
        start = time.monotonic()
        wait(0.02)
        self.assertGreaterEqual(time.monotonic() - start, 0.02)
        with mock.patch.object(time, "sleep") as sleep:
            wait(float("inf"))
        sleep.assert_called_once_with(2**31 // 1000)

    def test_stop_ends_a_wait(self):
        stop = threading.Event()
        threading.Timer(0.05, stop.set).start()
        start = time.monotonic()
        wait(600, stop)
        self.assertLess(time.monotonic() - start, 300)

    def test_a_trigger_ends_a_wait_once_and_its_firing_is_not_lost(self):
        trigger = p.Trigger(at_least_every_seconds=60)
        trigger.fire()
        trigger.fire()
        trigger.fired()
        waiting = threading.Thread(target=trigger.fired)
        waiting.start()
        waiting.join(0.05)
        self.assertTrue(waiting.is_alive())
        trigger.fire()
        waiting.join(10)
        self.assertFalse(waiting.is_alive())
        p.Trigger(at_least_every_seconds=0.01).fired()


class Versions(unittest.TestCase):
    def test_the_etag_of_an_answer_and_a_version_guard_a_change(self):
        client, sent = client_of(json_answer(202, etag='"7"'))
        answer = client.delete_holiday("gw", if_match=6)
        client.delete_holiday("gw", if_match=answer.etag)
        self.assertEqual([each.headers["if-match"] for each in sent], ['"6"', '"7"'])
        with self.assertRaisesRegex(ValueError, "header if-match is of type bool"):
            client.delete_holiday("gw", if_match=True)

    def test_an_answer_without_one_raises_rather_than_let_a_change_be_unguarded(self):
        client, _ = client_of(json_answer())
        with self.assertRaisesRegex(ValueError, "no ETag"):
            client.get_holiday("gw").etag


class Pages(unittest.TestCase):
    def test_the_items_of_all_pages_come_one_by_one_and_each_page_when_it_is_needed(self):
        pages = [json_answer(body='{"items":[1,2],"nextCursor":"c"}'), json_answer(body='{"items":[3],"nextCursor":null}')]
        client, sent = client_of(*pages)
        items = client.iter_heating_circuits("gw", limit=2)
        self.assertEqual([next(items), next(items)], [1, 2])
        self.assertEqual(len(sent), 1)
        self.assertEqual(list(items), [3])
        self.assertTrue(sent[1].url.endswith("/hvacs/gw/heatingCircuits?limit=2&cursor=c"))


    def test_eight_homes_are_read_at_a_time(self):
        contracts = {"items": [{"userId": "a", "gatewayIds": ["gw"] * 16}], "nextCursor": None}
        together = threading.Barrier(8, timeout=600)

        def send(request, timeout_seconds):
            if "/contracts" in request.url:
                return json_answer(body=json.dumps(contracts))
            together.wait()
            return json_answer()

        client, _ = client_of(send=send)
        self.assertEqual([error for *_, error in p.read_homes(client)], [None] * 16)


class Secrets(unittest.TestCase):
    def test_no_repr_and_no_error_shows_a_key_a_secret_or_a_body(self):
        created = json_answer(201, '{"apiKey":"%s"}' % KEY, **{"x-request-id": "r-1"})
        client, sent = client_of(created)
        answer = client.create_api_key({"label": SECRET}, idempotency_key=SECRET)
        shown = [repr(client), repr(answer), str(answer), repr(sent[0]), repr(client.for_owner("o")), repr(created)]
        self.assertEqual(repr(answer), "Answer(status=201, request_id='r-1')")
        for status, failing in [(403, json_answer(403, '{"echo":"%s"}' % KEY)), (0, ConnectionResetError("reset"))]:
            client, _ = client_of(failing, patience_seconds=0)
            try:
                client.create_api_key(idempotency_key=SECRET)
            except p.PartnerApiError as error:
                shown += [repr(error), str(error), "".join(traceback.format_exception(type(error), error, None))]
        for text in shown:
            self.assertNotIn(SECRET, text)

    def test_an_error_goes_to_another_process(self):
        problem = b'{"code":"gateway-not-found","title":"A title","detail":"A detail."}'
        headers = {"content-type": "application/problem+json", "x-request-id": "r-1"}
        client, _ = client_of(Response(404, headers, problem))
        with self.assertRaises(p.ProblemError) as raised:
            client.get_gateway("gw")
        error = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(str(error), "A title (gateway-not-found, request r-1). A detail.")
        self.assertEqual((error.code, error.status, error.request_id), ("gateway-not-found", 404, "r-1"))
        self.assertEqual(error.problem["code"], "gateway-not-found")
        for error in [p.RotationError("A step", error), p.WebhookMessageError("time-off"), p.Stopped()]:
            restored = pickle.loads(pickle.dumps(error))
            self.assertEqual(str(restored), str(error))
            self.assertEqual(set(restored.__dict__), set(error.__dict__))


if __name__ == "__main__":
    unittest.main()
