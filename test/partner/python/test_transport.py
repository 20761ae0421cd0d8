"""Tests of the connections. Run by client.process.test.ts."""

import http.client
import io
import json
import os
import pickle
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import partner_api_client as p
from partner_api_client import transport
from partner_api_client.transport import Request

KEY = "a-key"


class Body(unittest.TestCase):
    """The body of an answer as `http.client` returns it, without an error if the body ends early."""

    def body_of(self, raw, deadline=float("inf")):
        sock = mock.Mock(makefile=lambda mode: io.BytesIO(raw))
        response = http.client.HTTPResponse(sock)
        response.begin()
        return transport._body_of(response, deadline)

    def test_a_whole_body_is_read_in_each_form(self):
        self.assertEqual(self.body_of(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcde"), b"abc")
        self.assertEqual(self.body_of(b"HTTP/1.1 200 OK\r\n\r\nabc"), b"abc")
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
        self.assertEqual(self.body_of(chunked), b"abc")
        self.assertEqual(self.body_of(b"HTTP/1.1 204 No Content\r\n\r\n"), b"")

    def test_a_body_that_ends_early_is_a_lost_connection(self):
        for raw in [
            b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nab",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        ]:
            with self.subTest(raw), self.assertRaises(http.client.IncompleteRead):
                self.body_of(raw)

    def test_a_body_that_does_not_end_in_time_is_too(self):
        with self.assertRaises(TimeoutError):
            self.body_of(b"HTTP/1.1 200 OK\r\n\r\nabc", deadline=0)


class Transport(unittest.TestCase):
    """Calls the HTTPS server of client.process.test.ts, whose certificate is in SSL_CERT_FILE."""

    url = os.environ.get("SERVER_URL", "")
    proxy = os.environ.get("PROXY_URL", "")

    def setUp(self):
        if not self.url:
            self.skipTest("There is no SERVER_URL.")
        self.connections = transport.Connections()
        self.addCleanup(self.connections.close)

    def send(self, path="/echo", seconds=10.0, method="GET", headers={}, body=None):
        return self.connections(Request(method, self.url + path, headers, body), seconds)

    def port(self, path="/echo", **request):
        """Sends a request and returns the client's port, which identifies its connection."""
        return json.loads(self.send(path, **request).body)["port"]

    def test_a_request_and_its_answer_go_over_the_wire(self):
        answer = self.send("/echo?a=b", method="PATCH", headers={"x-api-key": "k", "if-match": '"7"'}, body=b'{"a":1}')
        self.assertEqual((answer.status, answer.headers["x-several"]), (202, "1, 2"))
        echo = json.loads(answer.body)
        self.assertEqual((echo["method"], echo["url"], echo["body"]), ("PATCH", "/echo?a=b", '{"a":1}'))
        self.assertEqual((echo["headers"]["x-api-key"], echo["headers"]["if-match"]), ("k", '"7"'))
        self.assertRegex(echo["headers"]["user-agent"], r"^partner-api-client-python/\d")

    def test_a_redirect_is_an_answer_and_is_not_followed(self):
        self.assertEqual(self.send("/redirect").status, 302)

    def test_a_refusal_is_an_answer(self):
        self.assertEqual(self.send("/missing").status, 404)

    def test_silence_is_a_lost_connection_also_on_an_open_one(self):
        for _ in range(2):
            with self.assertRaises(OSError):
                self.send("/silence", 0.2)
            self.send()

    def test_a_broken_connection_is_a_lost_connection(self):
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.send("/break")

    def test_later_calls_use_the_open_connection_until_it_is_closed(self):
        with p.PartnerClient(self.url + "/v1", KEY) as client:
            ports = [client._send(Request("GET", self.url + "/echo", {}, None), 10).body for _ in range(2)]
            self.connections = client.for_owner("owner-1")._connections
            self.assertEqual(len({*ports, self.send().body}), 1)
        self.assertNotIn(self.send().body, ports)

    def test_a_connection_that_the_server_has_closed_is_not_used(self):
        for path in ("/last", "/then-closes"):
            first = self.port(path)
            time.sleep(0.2)
            self.assertNotEqual(self.port(method="PATCH"), first)

    def test_an_interim_answer_is_not_the_answer(self):
        first = self.port("/hints")
        self.assertEqual(self.port(), first)

    def test_a_connection_whose_answer_does_not_end_with_certainty_is_not_used_again(self):
        whole = b"Content-Length: 2\r\n\r\nok"
        chunked = b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        for raw, kept in [
            (b"200 OK\r\n" + whole, 1),
            (b"200 OK\r\n" + chunked, 0),
            (b"204 No Content\r\n\r\n", 1),
            (b"103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n" + whole, 1),
            (b"101 Switching Protocols\r\n\r\n", 0),
            (b"200 OK\r\n" + whole + b"HTTP/1.1 200 OK\r\n" + whole, 0),
            (b"200 OK\r\nContent-Length: 2\r\n" + chunked, 0),
            (b"200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", 0),
            (b"200 OK\r\nTransfer-Encoding: gzip\r\n" + whole, 0),
            (b"200 OK\r\nContent-Length: +2\r\n\r\nok", 0),
            (b"200 OK\r\nContent-Length: 2\r\nno colon\r\nTransfer-Encoding: chunked\r\n\r\nok", 0),
            (b"204 No Content\r\n" + whole, 0),
            (b"204 No Content\r\nContent-Length: 2\r\n\r\n", 0),
            (b"304 Not Modified\r\n" + chunked, 0),
        ]:
            with self.subTest(raw[:90]):
                self.connections.close()
                answer = self.send("/raw/" + (b"HTTP/1.1 " + raw).hex())
                self.assertEqual(answer.body, b"ok" if answer.status == 200 else b"")
                self.assertEqual(len(self.connections._idle), kept)

    def test_a_connection_that_breaks_when_it_is_used_again_repeats_only_what_is_repeatable(self):
        first = self.port("/breaks-later")
        self.assertNotEqual(self.port("/breaks-later"), first)
        self.port("/breaks-later", method="POST", headers={"idempotency-key": "k"})
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.send("/breaks-later", method="PATCH")

    def test_a_change_that_was_not_sent_is_sent_on_a_new_connection(self):
        first = self.port()
        with mock.patch.object(self.connections._idle[0], "request", side_effect=BrokenPipeError):
            self.assertNotEqual(self.port(method="PATCH"), first)

    def test_an_idle_connection_is_used_for_a_while_and_more_briefly_for_changes(self):
        for method, idle_seconds, is_kept in [("GET", 29, True), ("GET", 31, False), ("PATCH", 3, True), ("PATCH", 5, False)]:
            with self.subTest(f"{method} after {idle_seconds} seconds"):
                first, now = self.port(), time.monotonic()
                with mock.patch.object(transport.time, "monotonic", lambda: now + idle_seconds):
                    self.assertEqual(self.port(method=method) == first, is_kept)

    def test_threads_and_child_processes_share_a_client(self):
        with ThreadPoolExecutor(8) as pool:
            ports = set(pool.map(lambda _: self.port(), range(40)))
        self.assertLessEqual(len(ports), 8)
        now = time.monotonic()
        for idle_seconds in (20, 40):
            with mock.patch.object(transport.time, "monotonic", lambda: now + idle_seconds):
                self.port()
        self.assertEqual(len(self.connections._idle), 1)
        last = self.port()
        child = os.fork()
        if child == 0:
            os._exit(self.port() in ports)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(self.port(), last)
        self.assertEqual(pickle.loads(pickle.dumps(self.connections))._idle, [])

    def test_the_proxy_of_the_environment_is_used(self):
        def environment(proxy, exempt=""):
            return mock.patch.dict(os.environ, {"HTTPS_PROXY": proxy, "NO_PROXY": exempt, "no_proxy": exempt})

        with environment(self.proxy.replace("http://", "http://user:p%40ss@")):
            self.assertEqual(self.port(), self.port())
        for proxy in (self.proxy, self.proxy.replace("http://", "")):
            self.connections.close()
            with environment(proxy), self.assertRaisesRegex(OSError, "407"):
                self.send()
            with environment(proxy, exempt="127.0.0.1"):
                self.assertEqual(self.send().status, 202)

    def test_an_address_of_ipv6_has_brackets_for_the_proxy_and_may_be_exempt(self):
        self.url = self.url.replace("127.0.0.1", "[::1]")
        for exempt, error in [("", r"407 No login for \[::1\]:\d+$"), ("::1", "refused"), ("[::1]", "refused")]:
            environment = {"HTTPS_PROXY": self.proxy, "NO_PROXY": exempt, "no_proxy": exempt}
            with self.subTest(exempt), mock.patch.dict(os.environ, environment), self.assertRaisesRegex(OSError, error):
                self.send()

    def test_a_proxy_that_is_no_url_is_refused_without_its_password(self):
        for proxy in ("http://user:sec#ret@host:1", "http://user:1#ret@host:1", "user:sec/ret@host:1", "http://sec:ret"):
            with self.subTest(proxy), mock.patch.dict(os.environ, {"HTTPS_PROXY": proxy, "NO_PROXY": "", "no_proxy": ""}):
                with self.assertRaisesRegex(ValueError, "^HTTPS_PROXY (?!.*(sec|ret))"):
                    self.send()

    def test_a_certificate_that_nobody_vouches_for_is_refused_and_not_tried_again(self):
        transport._context.cache_clear()
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": os.devnull}):
            waits = []
            client = p.PartnerClient(self.url + "/v1", KEY, wait=lambda seconds, stop: waits.append(seconds))
            with self.assertRaisesRegex(p.NoAnswerError, "certificate authorities that this process trusts"):
                client.get_own_api_key()
        transport._context.cache_clear()
        self.assertEqual(waits, [])


if __name__ == "__main__":
    unittest.main()
