"""Scenes of MuJoCo, as short as tests of them are."""

import linkwright as lw


def scene(tmp_path, text, **options):
    path = tmp_path / "scene.xml"
    path.write_text(f'<mujoco model="m">{text}</mujoco>' if "<mujoco" not in text else text, encoding="utf-8")
    return lw.load(path, **options)


def body(tmp_path, text, more=""):
    return scene(tmp_path, f'{more}<worldbody><body name="b">{text}</body></worldbody>')


BALL = '<geom size="0.1" mass="2"/>'
