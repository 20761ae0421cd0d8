"""Sends requests with `urllib`. Pass `send` to the client to use another library."""

from __future__ import annotations

import functools
import http.client
import ssl
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Callable, Mapping, Optional

from ._generated.version import VERSION


@dataclass(frozen=True)
class Request:
    """A request, which may be sent several times. Its repr leaves out headers and body, because they may have secrets."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: Optional[bytes] = field(repr=False)


@dataclass(frozen=True)
class Response:
    """A raw answer. The names in `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


#: Sends a request once and follows no redirect. Raises OSError or http.client.HTTPException if the connection fails, or
#: if there is no answer within the given number of seconds.
Send = Callable[[Request, float], Response]


def send(request: Request, timeout_seconds: float) -> Response:
    """Sends a request with `urllib`, through the proxy of the environment, if it defines one."""
    deadline = time.monotonic() + timeout_seconds
    outgoing = urllib.request.Request(request.url, request.body, dict(request.headers), method=request.method)
    with _opener().open(outgoing, timeout=timeout_seconds) as response:
        return Response(response.status, _headers_of(response), _body_of(response, deadline))


@functools.lru_cache(maxsize=None)
def _opener() -> urllib.request.OpenerDirector:
    # Adds only the HTTPS and proxy handlers: the redirect handler would send the key elsewhere.
    opener = urllib.request.OpenerDirector()
    opener.addheaders = [("User-Agent", f"partner-api-client-python/{VERSION}")]
    opener.add_handler(urllib.request.ProxyHandler())
    opener.add_handler(urllib.request.HTTPSHandler(context=ssl.create_default_context()))
    return opener


def _headers_of(response: http.client.HTTPResponse) -> Mapping[str, str]:
    return {name.lower(): ", ".join(response.headers.get_all(name, [])) for name in response.headers}


def _body_of(response: http.client.HTTPResponse, deadline: float) -> bytes:
    """Reads the whole body. Raises an error of the connection if the body ends early or does not end in time."""
    length: Optional[int] = response.length
    body = b""
    while length is None or len(body) < length:
        part = response.read1(65536)
        if not part:
            break
        body += part
        if time.monotonic() > deadline:
            raise TimeoutError("The timeout expired before the answer was complete")
    if length is not None and len(body) < length:
        raise http.client.IncompleteRead(b"", length - len(body))
    return body
