"""Solids and pictures from mesh files; tables in with units, results out for MATLAB and Excel."""

import struct
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.mesh_files import coarse, read_mesh

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
         (1, 5, 7), (1, 7, 3)]  # fmt: skip


def binary_stl(path, header=b"", count=None):
    data = header.ljust(80, b" ") + struct.pack("<I", len(FACES) if count is None else count)
    for face in FACES:
        data += struct.pack("<12fH", 0, 0, 0, *CUBE[list(face)].reshape(-1), 0)
    path.write_bytes(data)


def text_stl(path):
    rows = ["solid cube"]
    for face in FACES:
        rows += [
            "facet normal 0 0 0",
            "outer loop",
            *(f"vertex {x:g} {y:g} {z:g}" for x, y, z in CUBE[list(face)]),
            "endloop",
            "endfacet",
        ]
    path.write_text("\n".join([*rows, "endsolid"]))


def obj(path):
    path.write_text(
        "# a box\n"
        + "".join(f"v {x} {y} {z}\n" for x, y, z in CUBE)
        + "f 1//1 2/2 4\nf -8 -5 -6\n"
        + "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES[2:])
    )


def glb(path):
    import trimesh

    path.write_bytes(trimesh.Trimesh(CUBE, FACES, process=False).export(file_type="glb"))


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.stl", binary_stl),
        ("b.stl", lambda p: binary_stl(p, b"solid that is none")),
        ("c.stl", lambda p: binary_stl(p, count=7)),  # the length is believed
        ("d.stl", text_stl),
        ("e.obj", obj),
        ("f.glb", glb),
    ],
)
def test_a_box_from_a_file_is_the_box(tmp_path, name, write):
    """1 x 2 x 3 of density 2 in millimetres."""
    write(tmp_path / name)
    found, box = lw.shapes.mesh(tmp_path / name, density=2e9, scale=1e-3), lw.shapes.box(1e-3, 2e-3, 3e-3, density=2e9)
    assert found.mass == pytest.approx(12, rel=1e-12)
    np.testing.assert_allclose(found.com, [0.5e-3, 1e-3, 1.5e-3], rtol=1e-12)
    np.testing.assert_allclose(found.inertia, box.inertia, rtol=1e-9, atol=1e-18)
    m = lw.SpatialModel("m")
    body = m.body("part", lw.shapes.mesh(str(tmp_path / name), mass=1.0))
    vertices, faces = body.shape["mesh"]
    assert (len(vertices), len(faces), vertices.max()) == (8, 12, 3)


def test_broken_meshes_are_told(tmp_path, monkeypatch):
    (tmp_path / "short.stl").write_bytes(b"x" * 40)
    (tmp_path / "open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "wild.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    (tmp_path / "nan.obj").write_text("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "bad.glb").write_bytes(b"glTF\x02\x00\x00\x00\xff\xff\xff\xff")
    (tmp_path / "part.step").write_text("")
    for name, cause in (
        ("short.stl", "no mesh of the kind"), ("open.obj", "the mesh is open"), ("wild.obj", "without a place"),
        ("nan.obj", "without a place"), ("bad.glb", "no mesh of the kind"), ("part.step", "not read from .step"),
        ("none.stl", "cannot be read"),
    ):  # fmt: skip
        with pytest.raises(lw.ModelError, match=cause):
            lw.shapes.mesh(tmp_path / name, mass=1.0)
    with pytest.raises(lw.ModelError, match="triangles are missing"):
        lw.shapes.mesh([(0, 0, 0)], mass=1.0)
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(lw.ModelError, match="GLB is read by trimesh, which is not installed") as caught:
        lw.shapes.mesh(tmp_path / "bad.glb", mass=1.0)
    assert "linkwright[full]" in caught.value.remedy


def test_a_coarse_mesh_looks_like_the_fine_one():
    """A sphere of 20,000 triangles within a few per cent by few."""
    u, v = np.meshgrid(np.linspace(0, np.pi, 101), np.linspace(0, 2 * np.pi, 101))
    points = np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1).reshape(-1, 3)
    k = np.arange(100 * 101).reshape(100, 101)[:, :100].reshape(-1)
    faces = np.concatenate([np.column_stack([k, k + 1, k + 102]), np.column_stack([k, k + 102, k + 101])])
    vertices, few = coarse((points, faces), 1000)
    assert 200 < len(few) <= 1000
    assert np.abs(np.linalg.norm(vertices, axis=1) - 1).max() < 0.1


def test_tables_come_in_si_units(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(
        "# measured\nTime [ms];slider.x [mm];crank.angle (deg);speed [rpm];note [-]\n0;1,5;90;60;1\n100;2,5;180;120;2;\n"
    )
    data = lw.read_table(path)
    assert list(data) == ["t", "slider.x", "crank.angle", "speed", "note"]
    np.testing.assert_allclose(data["t"], [0, 0.1])
    np.testing.assert_allclose(data["slider.x"], [1.5e-3, 2.5e-3])
    np.testing.assert_allclose(data["crank.angle"], [np.pi / 2, np.pi])
    np.testing.assert_allclose(data["speed"], [2 * np.pi, 4 * np.pi])
    m = lw.PlanarModel("m")
    slider = m.body("slider")
    m.add(lw.Translational("guide", m.ground.at(0, 0, angle=0), slider.at(0, 0, angle=0)))
    m.add(lw.Driver("d", slider.x, lw.Table(data["t"], data["slider.x"], kind="linear")))
    assert lw.kinematics(m, t_end=0.1, steps=2)["slider.x"][1] == pytest.approx(2e-3, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("", 1, "empty"),
        ("1,2\n3,4\n", 1, "no names"),
        ("t,x [furlong]\n1,2\n", 1, "the unit 'furlong' of 'x' is not known"),
        ("t,x\n1,2\n1,2,3\n", 3, "3 values, not 2"),
        ("t,x\n1,two\n", 2, "'two' is no number"),
        ("t,x\n1,\n", 2, "'' is no number"),
        ("t,x\n1,nan\n", 2, "'nan' is no number"),
        ("x,x\n1,2\n", 1, "two columns"),
    ],
)
def test_wrong_tables_have_a_line(tmp_path, text, line, cause):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(lw.FileError) as caught:
        lw.read_table(tmp_path / "t.csv")
    assert caught.value.line == line
    assert cause in caught.value.cause


@pytest.mark.parametrize(
    ("unit", "remedy"), [("furlong", "give m, mm, deg, rpm, N, kN/m, ..."), ("degs", "did you mean 'deg'?")]
)
def test_a_unit_that_is_not_known_leads_to_one_that_is(tmp_path, unit, remedy):
    (tmp_path / "t.csv").write_text(f"t,x [{unit}]\n1,2\n")
    with pytest.raises(lw.FileError) as caught:
        lw.read_table(tmp_path / "t.csv")
    assert caught.value.remedy == remedy


def test_results_for_matlab_and_excel(tmp_path):
    m = lw.PlanarModel("fall", gravity=(0, -10))
    m.body("ball", mass=1.0, inertia=1.0)
    d = lw.dynamics(m, t_end=1.0, steps=4)
    from scipy.io import loadmat

    d.save(tmp_path / "run.mat")
    found = loadmat(tmp_path / "run.mat", squeeze_me=True)
    np.testing.assert_array_equal(found["t"], d.t)
    np.testing.assert_array_equal(found["ball_y"], d["ball.y"])
    about = found["about"].item()
    assert "m/s" in list(about[1])
    openpyxl = pytest.importorskip("openpyxl")
    d.save(tmp_path / "run.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "run.xlsx")["channels"].iter_rows(values_only=True))
    at = rows[0].index("ball.y [m]")
    np.testing.assert_allclose([r[at] for r in rows[1:]], d["ball.y"], rtol=1e-15)  # as many digits as a cell has
    with pytest.raises(lw.ResultFileError, match=r"not kept in \.mat"):
        lw.load_result(tmp_path / "run.mat")


def test_meshes_read_are_as_they_are(tmp_path):
    text_stl(tmp_path / "cube.stl")
    vertices, faces = read_mesh(tmp_path / "cube.stl")
    assert vertices[faces].shape == (12, 3, 3)
