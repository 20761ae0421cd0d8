"""Sends requests over connections that stay open. Pass `send` to the client to use another library."""

from __future__ import annotations

import base64
import functools
import http.client
import os
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ._generated.version import VERSION


@dataclass(frozen=True)
class Request:
    """A request, which may be sent several times. Its repr leaves out headers and body, because they may have secrets."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Optional[bytes] = field(repr=False)

    @property
    def is_repeatable(self) -> bool:
        """Whether a retry is safe without knowing the outcome: a GET only reads, and the service knows a repeated key."""
        return self.method == "GET" or "idempotency-key" in self.headers


@dataclass(frozen=True)
class Response:
    """A raw answer. The names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


#: Sends a request once and follows no redirect. Raises OSError or http.client.HTTPException if the connection fails, or
#: if there is no answer within the given number of seconds.
Send = Callable[[Request, float], Response]

#: A server may close an idle connection while a request is on its way. A repeatable request is then sent again. For any
#: other, the outcome would be unknown, so it takes only a connection that is younger than the time-outs of usual servers.
_IDLE_SECONDS = 30
_IDLE_SECONDS_FOR_CHANGES = 4


class Connections:
    """Sends requests, through the proxy of the environment, if it defines one, and keeps connections for later requests.

    Safe to share between threads. A child process opens connections of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The connection that was used last is at the end.
        self._idle: list[_Connection] = []
        self._process_id = os.getpid()

    def __call__(self, request: Request, timeout_seconds: float) -> Response:
        kept = self._take(request, _IDLE_SECONDS if request.is_repeatable else _IDLE_SECONDS_FOR_CHANGES)
        if kept is not None:
            kept.sock.settimeout(timeout_seconds)
            try:
                return self._exchange(kept, request, timeout_seconds)
            except (TimeoutError, socket.timeout):
                raise
            except (OSError, http.client.HTTPException):
                # A server that did not get the whole request does nothing.
                if kept.is_sent and not request.is_repeatable:
                    raise
        return self._exchange(_connection_to(urlsplit(request.url), timeout_seconds), request, timeout_seconds)

    def close(self) -> None:
        """Closes the connections that no request uses. A later request opens a new one."""
        self._take(None, 0)

    __del__ = close

    def __reduce__(self) -> Any:
        return Connections, ()

    def _take(self, request: Optional[Request], idle_seconds: float) -> Optional[_Connection]:
        """Returns an open connection that was idle for less than this time. Closes all others that it meets."""
        if self._process_id != os.getpid():
            # Another thread of the parent process may have held the lock.
            self.__init__()  # type: ignore[misc]
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                is_recent = time.monotonic() - connection.idle_since < idle_seconds
                if request and is_recent and connection.leads_to(request) and _is_open(connection.sock):
                    return connection
                connection.close()
            return None

    def _exchange(self, connection: _Connection, request: Request, timeout_seconds: float) -> Response:
        deadline = time.monotonic() + timeout_seconds
        try:
            connection.send_whole(request)
            with connection.getresponse() as response:
                answer = Response(response.status, _headers_of(response), _body_of(response, deadline))
                is_kept = _is_whole(response, answer.body) and _is_at_end(response, connection.sock)
        except BaseException:
            connection.close()
            raise
        if not is_kept:
            connection.close()
            return answer
        connection.idle_since = time.monotonic()
        with self._lock:
            self._idle.append(connection)
            while connection.idle_since - self._idle[0].idle_since > _IDLE_SECONDS:
                self._idle.pop(0).close()
        return answer


class _Response(http.client.HTTPResponse):
    def begin(self) -> None:
        """Reads past interim answers. `http.client` does this only for status 100 and takes any other for the answer."""
        super().begin()
        while self.status < 200 and self.status != 101:
            self.headers = None  # type: ignore[assignment]
            super().begin()


class _Connection(http.client.HTTPSConnection):
    response_class = _Response
    netloc: str
    hostname: str
    idle_since: float
    #: Whether the server may have got the whole of the last request.
    is_sent: bool

    def connect(self) -> None:
        http.client.HTTPConnection.connect(self)
        self.sock = _context().wrap_socket(self.sock, server_hostname=self.hostname)

    def leads_to(self, request: Request) -> bool:
        return self.netloc == urlsplit(request.url).netloc

    def send_whole(self, request: Request) -> None:
        url = urlsplit(request.url)
        headers = {"host": url.netloc, "user-agent": f"partner-api-client-python/{VERSION}", **request.headers}
        self.is_sent = False
        self.request(request.method, url.path + (url.query and f"?{url.query}"), request.body, headers)
        self.is_sent = True


def _connection_to(url: SplitResult, timeout_seconds: float) -> _Connection:
    host, port, tunnel = url.hostname or "", url.port or 443, None
    at = _proxy_for(url)
    if at:
        login = base64.b64encode(f"{unquote(at.username or '')}:{unquote(at.password or '')}".encode()).decode()
        # http.client removes a pair of brackets, and older versions write an address of IPv6 without others.
        target = f"[[{host}]]" if ":" in host else host
        tunnel = f"{target}:{port}", None, {"Proxy-Authorization": f"Basic {login}"} if at.username else {}
        host, port = at.hostname or "", at.port or 80
    connection = _Connection(host, port, timeout=timeout_seconds, context=_context())
    connection.netloc, connection.hostname = url.netloc, url.hostname or ""
    if tunnel:
        connection.set_tunnel(*tunnel)
    return connection


def _proxy_for(url: SplitResult) -> Optional[SplitResult]:
    """Returns the URL of the proxy. Raises ValueError, which does not quote it, because it may contain a password."""
    proxy = getproxies().get("https")
    # An exemption may name an address of IPv6, which has brackets in a URL.
    if not proxy or proxy_bypass(url.netloc) or proxy_bypass(url.hostname or ""):
        return None
    try:
        at = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        if at.hostname and at.port != 0 and at.path in ("", "/") and not at.query + at.fragment:
            return at
    except ValueError:
        pass
    raise ValueError(
        "HTTPS_PROXY is not the URL of a proxy, such as http://user:password@proxy.example.com:3128. "
        "Encode special characters of the password: # is %23."
    )


@functools.lru_cache(maxsize=None)
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()


def _is_open(connected: socket.socket) -> bool:
    """Whether nothing has arrived on an idle connection, such as its end."""
    connected.settimeout(0)
    try:
        # The method of a TLS socket would not look at the bytes below.
        socket.socket.recv(connected, 1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


def _headers_of(response: http.client.HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): ", ".join(response.headers.get_all(name, [])) for name in response.headers}


def _is_whole(response: http.client.HTTPResponse, body: bytes) -> bool:
    """Whether the headers leave no doubt about where the answer ends. With a doubt, a later answer may begin elsewhere.

    A chunked answer is not whole: `http.client` closes its reader after the last chunk, and loses what follows.
    """
    lengths: list[str] = response.headers.get_all("content-length", [])
    if response.will_close or response.status < 200 or response.headers.defects or "transfer-encoding" in response.headers:
        return False
    if response.status in (204, 304):
        return lengths in ([], ["0"])
    return lengths == [str(len(body))]


def _is_at_end(response: http.client.HTTPResponse, connected: socket.socket) -> bool:
    """Whether nothing follows an answer, neither in its reader nor in the connection."""
    connected.settimeout(0)
    try:
        response.fp.peek(1)
    except ssl.SSLWantReadError:
        return True
    except OSError:
        pass
    return False


def _body_of(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """Reads the whole body. Raises an error of the connection if the body ends early or does not end in time."""
    length: Optional[int] = response.length
    body = b""
    while length is None or len(body) < length:
        # `http.client` would close its reader at the end of the body.
        part = response.read1(65536) if length is None else response.fp.read1(length - len(body))
        if not part:
            break
        body += part
        if time.monotonic() > deadline:
            raise TimeoutError("The timeout expired before the answer was complete")
    if length is not None and len(body) < length:
        raise http.client.IncompleteRead(b"", length - len(body))
    return body
