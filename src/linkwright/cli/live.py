"""The server of the live page: on this computer only, for whoever has its link, about one model.

    GET  /LINK/         the link that is printed: leads to the page, once
    GET  /TOKEN/        the page
    POST /TOKEN/solve   {"page": ..., "parameters": {name: number}}: the machine in motion, or an error
    POST /TOKEN/save    the same: write the values to the model's file
    POST /TOKEN/check   the same: what is wrong with the machine, and remedies by number that were tried
    POST /TOKEN/mend    the same and {"fix": number}: a copy with that remedy takes the machine's place
    POST /TOKEN/undo    the machine before the remedy
    POST /TOKEN/keep    write the mended machine to a file of its own, beside the model's
    POST /TOKEN/bye     a page was closed

It listens on 127.0.0.1 alone. Link and token are made anew for each server. Other users of the computer may see the link (it
stands among the arguments of the browser's process), so it works once; the token is told to the page only. A page of
somebody else in the same browser knows neither; a name that is turned to this address (DNS rebinding) is refused by its
Host. No path leads to a file.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import isfinite
from threading import Event, Lock, Thread, Timer
from typing import Any, NoReturn

from linkwright.cli.codes import UsageError
from linkwright.cli.recorded import Recorded
from linkwright.cli.workbench import Workbench
from linkwright.errors import LinkwrightError
from linkwright.live.first import told
from linkwright.view.animation import policy

ADDRESS = "127.0.0.1"
WISHES = ("solve", "save", "check", "mend", "undo", "keep", "bye")
LARGEST_BODY = 65536  # bytes
HINTS = {HTTPStatus.FORBIDDEN: "A link works once: run linkwright view again for a new one."}
GRACE = 2.0  # seconds after the last page was closed: a page that is loaded anew closes and comes back


class LiveServer(ThreadingHTTPServer):
    """Serves until `ended` is set: by `close`, or some seconds after the last page was closed."""

    daemon_threads = True
    allow_reuse_address = sys.platform != "win32"  # there it would share a port that another program listens on

    def __init__(self, bench: Workbench | Recorded, port: int = 0, grace: float = GRACE) -> None:
        self.bench, self.grace = bench, grace
        self.link, self.token = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self._link_is_new = True
        self.ended = Event()
        self.pages: set[str] = set()  # that are open
        self.closed: set[str] = set()
        self._state_lock = Lock()
        try:
            super().__init__((ADDRESS, port), Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"port {port} cannot be used: {error}", remedy="choose another --port, or none") from None
        self.port = int(self.server_address[1])
        self.hosts = {f"{ADDRESS}:{self.port}", f"localhost:{self.port}"}

    @property
    def url(self) -> str:
        """The link for people."""
        return f"http://{ADDRESS}:{self.port}/{self.link}/"

    def take_link(self) -> bool:
        """Whether the link is used for the first time."""
        with self._state_lock:
            was, self._link_is_new = self._link_is_new, False
            return was

    def start(self) -> None:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()

    def close(self) -> None:
        self.ended.set()
        self.shutdown()
        self.server_close()

    # -- which pages are open ------------------------------------------------------------------------------------------
    def here(self, page: str) -> None:
        with self._state_lock:
            if page not in self.closed:  # its last wish may be heard after its leave-taking
                self.pages.add(page)

    def gone(self, page: str) -> None:
        with self._state_lock:
            self.pages.discard(page)
            self.closed.add(page)
        later = Timer(self.grace, self._end_if_alone)
        later.daemon = True
        later.start()

    def _end_if_alone(self) -> None:
        if not self.pages:
            self.ended.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks off is no event; anything else is a fault."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class RefusedError(Exception):
    """A request that is answered by a status alone."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    server: LiveServer
    protocol_version = "HTTP/1.1"  # connections are kept: a new one for each move of a slider costs
    disable_nagle_algorithm = True  # else an answer of two packets waits for 40 ms
    wbufsize = -1
    timeout = 120
    server_version, sys_version = "linkwright", ""

    # The names are those of the base class.
    def do_GET(self) -> None:
        self._answered("GET")

    def do_POST(self) -> None:
        self._answered("POST")

    def _answered(self, method: str) -> None:
        try:
            token, what = self._asked()
            if method == "GET" and what == "" and same(token, self.server.link) and self.server.take_link():
                return self._send(HTTPStatus.SEE_OTHER, b"", "text/plain", Location=f"/{self.server.token}/")
            if not same(token, self.server.token):
                raise RefusedError(HTTPStatus.FORBIDDEN)
            if method == "GET" and what == "":
                return self._page()
            if method == "POST" and what in WISHES:
                return self._post(what)
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED if what in ("", *WISHES) else HTTPStatus.NOT_FOUND)
        except RefusedError as refused:
            self.close_connection = True  # what it still sends is not read
            text = f"{refused.status.phrase}. {HINTS.get(refused.status, '')}\n"
            self._send(refused.status, text.encode(), "text/plain; charset=utf-8")
        return None

    def _asked(self) -> tuple[str, str]:
        """The token and what is asked for, by somebody who came to this address by its own name."""
        origin = self.headers.get("Origin")
        own = {f"http://{host}" for host in self.server.hosts}
        _, _, rest = self.path.partition("/")
        token, _, what = rest.partition("/")
        if self.headers.get("Host") not in self.server.hosts or (origin is not None and origin not in own):
            raise RefusedError(HTTPStatus.FORBIDDEN)
        return token, what

    def _page(self) -> None:
        name = secrets.token_urlsafe(8)
        self.server.here(name)
        self._send(HTTPStatus.OK, self.server.bench.page(name).encode(), "text/html; charset=utf-8")

    def _post(self, what: str) -> None:
        page, values, more = self._wishes(("fix",) if what == "mend" else ())
        if what == "bye":
            self.server.gone(page)
            return self._json({})
        self.server.here(page)
        bench = self.server.bench
        try:
            return self._json(getattr(bench, what)(values, *more))
        except LinkwrightError as error:
            return self._json({"error": told(error)}, HTTPStatus.CONFLICT)
        except Exception as error:  # a fault of ours must not look like a machine that cannot move
            cause = f"a fault of Linkwright itself: {type(error).__name__}: {error}"
            remedy = "move the slider back; please report the model and the values"
            return self._json({"error": {"element": [], "cause": cause, "remedy": remedy}}, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _wishes(self, further: tuple[str, ...]) -> tuple[str, dict[str, float], list[int]]:
        """The page that asks and its values of parameters: known names, finite numbers; further whole numbers by name;
        nothing else."""
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not length:
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED)
        if not (length.isascii() and length.isdigit()):
            raise RefusedError(HTTPStatus.BAD_REQUEST)
        if len(length) > 9 or int(length) > LARGEST_BODY:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            data = json.loads(self.rfile.read(int(length)), parse_constant=_no_number)
            page, given = data["page"], data["parameters"]
            values = {name: float(value) for name, value in given.items() if type(value) in (int, float)}
            more = [data[name] for name in further]
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise RefusedError(HTTPStatus.BAD_REQUEST) from None
        proper = isinstance(page, str) and len(page) <= 64 and len(values) == len(given) and len(data) == 2 + len(more)
        proper = proper and all(type(x) is int for x in more)
        if not proper or not all(map(isfinite, values.values())) or not values.keys() <= self.server.bench.values.keys():
            raise RefusedError(HTTPStatus.BAD_REQUEST)
        return page, values, more

    # -- answers -------------------------------------------------------------------------------------------------------
    def _json(self, data: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        from linkwright.results.provenance import plain

        text = json.dumps(plain(data), separators=(",", ":"))
        self._send(status, text.encode(), "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": policy(live=True, computes=True)
            + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cache-Control": "no-store",
            **({"Connection": "close"} if self.close_connection else {}),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name of the base class
        """Silent: the terminal is for people."""


def same(given: str, secret: str) -> bool:
    """Compared in a time that tells nothing about the secret."""
    return hmac.compare_digest(given.encode(errors="replace"), secret.encode())


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
