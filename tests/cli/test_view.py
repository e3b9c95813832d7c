"""The server of the live page: who may ask, what is answered, what is written. A real process, real connections."""

from __future__ import annotations

import base64
import json
import math
import socket
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.analyses.motion.kinematics import Repeated
from linkwright.cli import main
from linkwright.cli.live import ADDRESS, LARGEST_BODY, LiveServer
from linkwright.cli.workbench import ModelFile, Workbench
from linkwright.examples import EXAMPLES
from linkwright.live.first import slider
from page.live_server import FOUR_BAR, Live, serving


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    (folder / "bar.yaml").write_text(FOUR_BAR)
    (folder / "secret.txt").write_text("nobody's business")
    with serving(folder / "bar.yaml", "--steps", "60") as running:
        running.home_path = running.home()  # type: ignore[attr-defined]
        yield running


@pytest.fixture
def home(live: Live) -> str:
    return live.home_path  # type: ignore[attr-defined,no-any-return]


def wish(**parameters: float) -> str:
    return json.dumps({"page": "test", "parameters": parameters})


def solved(live: Live, home: str, **parameters: float) -> dict[str, Any]:
    status, headers, body = live.ask("POST", f"{home}solve", wish(**parameters))
    assert (status, headers["Content-Type"]) == (200, "application/json")
    return json.loads(body)  # type: ignore[no-any-return]


def channel(answer: dict[str, Any], name: str) -> np.ndarray:
    found = next(c for c in answer["motion"]["channels"] if c["name"] == name)
    return np.frombuffer(base64.b64decode(found["data"]), "<f4")


# -- who may ask --------------------------------------------------------------------------------------------------------


def test_the_page_and_its_headers(live: Live, home: str) -> None:
    status, headers, body = live.ask("GET", home)
    assert status == 200
    text = body.decode()
    assert "four-bar" in text
    assert "connect-src 'self'" in text
    policy = headers["Content-Security-Policy"]
    for rule in ("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "form-action 'none'"):
        assert rule in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"  # the address is a secret
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert not [h for h in headers if h.lower().startswith("access-control")]


def test_the_link_works_once(live: Live, home: str) -> None:
    assert live.ask("GET", live.link)[0] == 403
    assert live.ask("POST", f"{live.link}solve", wish())[0] == 403  # and leads to the page only
    assert live.link not in home


@pytest.mark.parametrize("path", ["/", "/wrong/", "//", "", "/../", "/%2e%2e/", "/\u00e9/"])
def test_without_the_token_nothing_is_given(live: Live, home: str, path: str) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(f"GET {path or '/'} HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\n\r\n".encode("latin-1"))
        answer = connection.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"four-bar" not in answer


def test_a_token_nearly_right_is_wrong(live: Live, home: str) -> None:
    token = home.strip("/")
    for wrong in (token[:-1], token + "A", token.swapcase(), token[:-1] + ("A" if token[-1] != "A" else "B")):
        assert live.ask("POST", f"/{wrong}/solve", wish())[0] == 403


def test_other_hosts_and_origins_are_refused(live: Live, home: str) -> None:
    for host in ("evil.example", f"evil.example:{live.port}", "127.0.0.1", f"127.0.0.1:{live.port + 1}", ""):
        assert live.ask("GET", home, Host=host)[0] == 403
        assert live.ask("POST", f"{home}solve", wish(), Host=host)[0] == 403
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{live.port}"):
        assert live.ask("POST", f"{home}solve", wish(), Origin=origin)[0] == 403
    assert live.ask("POST", f"{home}solve", wish(), Origin=f"http://127.0.0.1:{live.port}")[0] == 200
    assert live.ask("GET", home, Host=f"localhost:{live.port}")[0] == 200


@pytest.mark.parametrize(
    "path", ["secret.txt", "../secret.txt", "..%2fsecret.txt", "bar.yaml", "/etc/passwd", "%00", "solve/", "?x", "save?x=1"]
)
def test_no_path_leads_to_a_file(live: Live, home: str, path: str) -> None:
    for method in ("GET", "POST"):
        status, _, body = live.ask(method, home + path, wish() if method == "POST" else None)
        assert status == 404
        assert b"nobody" not in body


def test_remedies_are_asked_for_by_number_alone(live: Live, home: str) -> None:
    """Nothing was tried: there is no remedy to make, nothing to save; a machine that nothing is wrong with has none."""
    asked = {"page": "test", "parameters": {}}
    for wrong in ({}, {"fix": "1"}, {"fix": 1.0}, {"fix": True}, {"fix": 1, "more": 2}, {"other": 1}):
        assert live.ask("POST", f"{home}mend", json.dumps({**asked, **wrong}))[0] == 400
    for number in (0, 1, -1, 10**30):
        status, _, body = live.ask("POST", f"{home}mend", json.dumps({**asked, "fix": number}))
        assert (status, "there is no remedy" in json.loads(body)["error"]["cause"]) == (409, True)
    assert live.ask("POST", f"{home}keep", wish())[0] == 409
    assert live.ask("POST", f"{home}check", json.dumps({**asked, "fix": 1}))[0] == 400
    status, _, body = live.ask("POST", f"{home}check", wish())
    assert (status, json.loads(body)) == (200, {"findings": []})
    assert json.loads(live.ask("POST", f"{home}undo", wish())[2]) == {"mended": ""}


def test_methods(live: Live, home: str) -> None:
    assert live.ask("POST", home, wish())[0] == 405
    assert live.ask("GET", f"{home}save")[0] == 405
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert live.ask(method, home)[0] == 501


@pytest.mark.skipif(sys.platform != "linux", reason="all of 127.0.0.0/8 is this computer on Linux only")
def test_it_listens_on_one_address(live: Live) -> None:
    """A server on all addresses would answer on 127.0.0.2 too."""
    assert ADDRESS == "127.0.0.1"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.2", live.port), timeout=5).close()


# -- what is asked ------------------------------------------------------------------------------------------------------

MALFORMED = {
    "no JSON": b"{",
    "no text": b"\xff\xfe",
    "nothing": b"",
    "a list": b"[]",
    "no parameters": b'{"page": "x"}',
    "more than is known": b'{"page": "x", "parameters": {}, "file": "/etc/passwd"}',
    "page is a number": b'{"page": 1, "parameters": {}}',
    "page is long": json.dumps({"page": "x" * 65, "parameters": {}}).encode(),
    "NaN": b'{"page": "x", "parameters": {"c": NaN}}',
    "infinite": b'{"page": "x", "parameters": {"c": 1e999}}',
    "too long a number": b'{"page": "x", "parameters": {"c": 1' + b"0" * 400 + b"}}",
    "text": b'{"page": "x", "parameters": {"c": "3"}}',
    "truth": b'{"page": "x", "parameters": {"c": true}}',
    "unknown name": b'{"page": "x", "parameters": {"d": 3}}',
    "a list of values": b'{"page": "x", "parameters": [3]}',
    "deep": b"[" * 60_000,
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED)
def test_malformed_wishes(live: Live, home: str, body: bytes) -> None:
    for what in ("solve", "save", "bye"):
        assert live.ask("POST", home + what, body)[0] == 400


@pytest.mark.parametrize("value", [1e51, 1e155, -1e300])
def test_huge_values_are_refused_by_name_and_the_server_lives(live: Live, home: str, value: float) -> None:
    """Of such numbers products are not finite, and what LAPACK makes of an infinity may never end."""
    answer = solved(live, home, c=value)
    assert answer["error"]["element"] == ["c"]
    assert "beyond 1e+50" in answer["error"]["cause"]
    status, _, body = live.ask("POST", f"{home}save", wish(c=value))
    assert status == 409
    assert json.loads(body)["error"]["element"] == ["c"]
    assert "error" not in solved(live, home)


def test_large_and_endless_bodies(live: Live, home: str) -> None:
    large = json.dumps({"page": "x", "parameters": {}}) + " " * LARGEST_BODY
    assert live.ask("POST", f"{home}solve", large)[0] == 413
    for length, status in (("99999999999999999999", 413), ("-1", 400), ("3x", 400), ("٣", 400)):
        with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
            head = f"POST {home}solve HTTP/1.1\r\nHost: 127.0.0.1:{live.port}\r\nContent-Length: {length}\r\n\r\n"
            connection.sendall(head.encode())
            assert connection.makefile("rb").read().startswith(f"HTTP/1.1 {status} ".encode())
    assert live.ask("POST", f"{home}solve", iter([b"{}"]), **{"Transfer-Encoding": "chunked"})[0] == 411


# -- what is answered ---------------------------------------------------------------------------------------------------


def test_it_solves_the_machine_it_is_asked_for(live: Live, home: str, tmp_path: Path) -> None:
    (tmp_path / "bar.yaml").write_text(FOUR_BAR)
    m = lw.load(tmp_path / "bar.yaml")
    for values in ({}, {"c": 3.2}, {"a": 1.5, "c": 2.9}, {}):
        m.set(**{"a": 2.0, "c": 3.0, **values})
        k = lw.kinematics(m, t_end=1.0, steps=60)
        answer = solved(live, home, **values)
        assert "error" not in answer
        for name in ("follower.angle", "coupler.ax"):
            # sent in single precision
            np.testing.assert_allclose(channel(answer, name), k[name], rtol=1e-6, atol=1e-5)
        follower = next(b for b in answer["drawing"]["bodies"] if b["name"] == "follower")
        assert math.dist(*follower["points"]) == pytest.approx(m.parameters["c"])


def test_what_cannot_move_is_explained_with_the_motion_so_far(live: Live, home: str) -> None:
    answer = solved(live, home, c=1.5)  # crank and coupler in line: 2 + 4 against what is left
    assert answer["error"]["kind"] == "SingularityError"
    assert "locks up at t = " in answer["error"]["cause"]
    assert "motor" in answer["error"]["element"]
    assert answer["error"]["remedy"]
    t = np.frombuffer(base64.b64decode(answer["motion"]["t"]), "<f8")
    assert 1 < len(t) < 61
    assert t[-1] == pytest.approx(float(answer["error"]["cause"].split("t = ")[1].split(":")[0]), abs=1 / 60)


def test_what_cannot_be_closed_is_explained(live: Live, home: str) -> None:
    answer = solved(live, home, c=0.01, a=20.0)
    assert answer["error"]["kind"] == "AssemblyError"
    assert "motion" not in answer
    assert "error" not in solved(live, home)  # and is forgotten


def test_speed(live: Live, home: str) -> None:
    """Forty moves of a slider. On a quiet computer a solve takes 5 to 10 ms; others work here too: one of a few tries."""
    solved(live, home)

    def median() -> float:
        return statistics.median(solved(live, home, c=3.0 + 0.01 * k)["milliseconds"] for k in range(40))

    assert any(median() < 100 for _ in range(5))


@pytest.mark.parametrize("name", ["slider-crank", "quick-return", "valve-lifter", "spatial-slider-crank", "jansen"])
def test_solving_again_is_solving_anew(name: str) -> None:
    """Equations that are kept give what fresh ones give, whatever was solved before."""
    example = EXAMPLES[name]
    kept, rng = example.load(), np.random.default_rng(3)
    again = Repeated(kept, example.t_end, 40)
    for _ in range(3):
        values = {n: v * rng.uniform(0.98, 1.02) for n, v in kept.parameters.items()}
        fresh = example.load()
        fresh.set(**values)
        expected, got = lw.kinematics(fresh, t_end=example.t_end, steps=40), again(**values)
        assert got.channels == expected.channels
        for channel in expected:
            # both are converged to rounding; accelerations of a cam magnify it
            size = float(np.abs(expected[channel]).max())
            np.testing.assert_allclose(got[channel], expected[channel], rtol=1e-8, atol=1e-8 * (1 + size))


def test_gears_mesh_anew() -> None:
    """The phase of a gear is decided by the first assembly: that of other parameters must not be kept."""

    def train(turn: float) -> lw.PlanarModel:
        m = lw.PlanarModel("gears")
        start = m.parameter("start", turn)
        small, large = m.body("small", angle=start), m.body("large", position=(0.3, 0), angle=0.4 - start)
        pin = m.add(lw.Revolute("A", m.ground.at(0, 0), small.at(0, 0)))
        m.add(lw.Revolute("B", m.ground.at(0.3, 0), large.at(0, 0)))
        m.add(lw.Gear("mesh", small.at(0, 0), large.at(0, 0), radii=(0.1, 0.2)))
        m.add(lw.Driver("motor", pin.angle, "start + 2*t"))
        return m

    again = Repeated(train(0.0), 1.0, 10)
    again(start=0.0)
    k = again(start=0.3)
    np.testing.assert_allclose(k["large.angle"], 0.1 - k.t, atol=1e-12)  # where it was estimated, then half as fast
    np.testing.assert_allclose(k["large.angle"], lw.kinematics(train(0.3), 1.0, 10)["large.angle"], atol=1e-12)


def test_a_machine_without_parameters_and_one_without_drivers(tmp_path: Path) -> None:
    m = lw.PlanarModel("pendulum", gravity=(0, -9.81))
    arm = m.body("arm", 1, 0.1, position=(0.5, 0))
    m.add(lw.Revolute("pin", m.ground.at(0, 0), arm.at(-0.5, 0)))
    m.save(tmp_path / "p.yaml")
    bench = Workbench(lw.load(tmp_path / "p.yaml"), str(tmp_path / "p.yaml"), t_end=0.5, steps=20)
    answer = bench.solve({})
    assert channel(answer, "arm.angle")[-1] < -0.5  # it falls
    assert '"parameters":[]' in bench.page("x")


def test_ranges_of_sliders() -> None:
    assert slider(2.0) == {"low": 1.0, "high": 3.0}
    assert slider(-2.0) == {"low": -3.0, "high": -1.0}
    assert slider(0.0) == {"low": -1.0, "high": 1.0}


# -- what is written ----------------------------------------------------------------------------------------------------


def test_saving_changes_the_numbers_only(tmp_path: Path) -> None:
    path = tmp_path / "bar.yaml"
    path.write_bytes(FOUR_BAR.replace("\n", "\r\n").encode("utf-8-sig"))
    path.chmod(0o640)
    (tmp_path / "link.yaml").symlink_to(path)
    with serving(tmp_path / "link.yaml", "--steps", "20") as live:
        home = live.home()
        status, _, body = live.ask("POST", f"{home}save", wish(a=2.0, c=3.25))
        assert (status, json.loads(body)) == (200, {"saved": {"a": 2.0, "c": 3.25}})
        expected = FOUR_BAR.replace("c:   3 ", "c:   3.25 ")
        assert path.read_bytes() == expected.replace("\n", "\r\n").encode("utf-8-sig")
        assert path.stat().st_mode & 0o777 == 0o640
        assert sorted(p.name for p in tmp_path.iterdir()) == ["bar.yaml", "link.yaml"]
        assert (tmp_path / "link.yaml").is_symlink()
        assert live.ask("POST", f"{home}save", wish(c=3.5))[0] == 200  # and again
        path.write_text(FOUR_BAR + "# changed by an editor\n")
        status, _, body = live.ask("POST", f"{home}save", wish(c=3.75))
        assert status == 409
        assert "has changed on the disk" in json.loads(body)["error"]["cause"]
        assert path.read_text() == FOUR_BAR + "# changed by an editor\n"
        path.unlink()
        assert live.ask("POST", f"{home}save", wish(c=3.75))[0] == 409
        assert not path.exists()


def test_a_value_that_no_machine_can_have_is_not_written(tmp_path: Path) -> None:
    text = FOUR_BAR.replace("crank: {", "crank: {mass: a, ")
    (tmp_path / "bar.yaml").write_text(text)
    file = ModelFile(tmp_path / "bar.yaml")
    with pytest.raises(lw.ModelError, match="mass"):
        file.revise({"a": -1.0})
    assert (tmp_path / "bar.yaml").read_text() == text


def test_an_example_has_no_file() -> None:
    example = EXAMPLES["four-bar"]
    with pytest.raises(lw.ModelError, match="no file") as refused:
        Workbench(example.load(), None, example).save({"l": 3.1})
    assert "linkwright new NAME --from four-bar" in refused.value.remedy


# -- beginning and end --------------------------------------------------------------------------------------------------


def test_control_c_ends_it_well() -> None:
    with serving("four-bar") as live:
        code, out, errors = live.stop()
        assert (code, out.strip(), errors) == (0, "", "")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", live.port), timeout=5).close()


def test_it_ends_when_the_last_page_has_gone() -> None:
    example = EXAMPLES["four-bar"]
    server = LiveServer(Workbench(example.load(), None, example), grace=0.05)
    server.start()
    live = Live(None, server.port, f"/{server.link}/")  # type: ignore[arg-type]
    home = live.home()
    bye = {name: json.dumps({"page": name, "parameters": {}}) for name in ("one", "two")}
    try:
        for name in bye:
            assert live.ask("POST", f"{home}solve", bye[name])[0] == 200
        assert live.ask("POST", f"{home}bye", bye["one"])[0] == 200
        assert live.ask("POST", f"{home}solve", bye["one"])[0] == 200  # its last wish may be heard late: it is gone
        assert not server.ended.wait(0.3)
        assert live.ask("POST", f"{home}bye", bye["two"])[0] == 200
        assert server.ended.wait(60)
    finally:
        server.close()


def test_a_port_that_is_taken() -> None:
    example = EXAMPLES["four-bar"]
    bench = Workbench(example.load(), None, example)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(lw.LinkwrightError, match="cannot be used"):
            LiveServer(bench, taken.getsockname()[1])


# -- results ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["nc", "csv", "parquet"])
def test_a_result_is_shown_as_it_was_recorded(ending: str, tmp_path: Path) -> None:
    result = lw.kinematics(EXAMPLES["four-bar"].load(), t_end=0.7, steps=30)
    path = tmp_path / f"run.{ending}"
    result.save(path)
    with serving(path) as live:
        home = live.home()
        status, _, body = live.ask("GET", home)
        text = body.decode()
        assert (status, '"recorded":true' in text, "kinematics" in text) == (200, True, True)
        data = json.loads(text.partition('<script type="application/json" id="data">')[2].partition("</script>")[0])
        t = np.frombuffer(base64.b64decode(data["motion"]["t"]), "<f8")
        np.testing.assert_array_equal(t, result.t)
        # sent in single precision
        np.testing.assert_allclose(channel(data, "follower.angle"), result["follower.angle"], rtol=1e-6)
        assert live.ask("POST", f"{home}solve", wish())[0] == 200
        assert live.ask("POST", f"{home}save", wish())[0] == 409
        assert live.stop()[0] == 0


def test_a_result_that_cannot_be_shown_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lw.kinematics(EXAMPLES["four-bar"].load(), t_end=0.7, steps=30).save(tmp_path / "run.csv")
    assert main(["view", str(tmp_path / "run.csv"), "--steps", "10"]) == 1
    assert "as it was recorded" in capsys.readouterr().err
    (tmp_path / "run.csv-metadata.json").unlink()
    assert main(["view", str(tmp_path / "run.csv")]) == 1
    said = capsys.readouterr().err
    assert "does not say what its machine looks like" in said
    assert "run.csv-metadata.json is not beside it" in said
    (tmp_path / "run.nc").write_bytes(b"CDF\x02 and so on")
    assert main(["view", str(tmp_path / "run.nc")]) == 1
    assert main(["view", str(tmp_path / "none.nc")]) == 1
    assert "there is no such file" in capsys.readouterr().err


def test_a_result_is_no_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(tmp_path / "run.nc")]) == 1
    assert "linkwright view" in capsys.readouterr().err
    with pytest.raises(lw.ModelError, match="a result, not a model") as caught:
        lw.load(tmp_path / "run.nc")
    assert "load_result" in caught.value.remedy
