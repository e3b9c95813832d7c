"""A machine as an FMU: the equations in C beside a small integrator, compiled here, with their description."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import quoteattr

from linkwright.atomic import replacing
from linkwright.errors import ModelError
from linkwright.exchange.events_c import EquationsWithEvents

Variables = list[tuple[str, str, dict[str, str]]]  # name, role and attributes
_SYSTEM = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib"), "win32": ("win", ".dll")}
LARGE = 400_000  # bytes of C, of which more optimisation takes longer than it is worth


def write_fmu(equations: EquationsWithEvents, path: Path, t_step: float, fmi: int) -> None:
    """ModelError where no compiler is at hand."""
    name = re.sub(r"\W", "_", equations.model.name)
    name = name if name[:1].isalpha() else f"machine_{name}"
    shown = {n for n in equations.outputs if n in equations.names}  # states that are outputs are one variable
    equations.outputs = [n for n in equations.outputs if n not in shown]
    source, token = _source(equations, fmi)
    described = (_fmi2 if fmi == 2 else _fmi3)(equations, _variables(equations, shown), name, token, t_step)
    with tempfile.TemporaryDirectory() as folder:
        where, suffix = _place(fmi)
        library = _compiled(source, Path(folder), name + suffix)
        with replacing(path) as whole, zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", described)
            archive.writestr(f"sources/{name}.c", source)
            if fmi == 3:
                archive.writestr("sources/buildDescription.xml", _build(name))
            archive.write(library, f"binaries/{where}/{library.name}")


def _source(e: EquationsWithEvents, fmi: int) -> tuple[str, str]:
    equations = e.text("machine").replace("\nconst ", "\nstatic const ").replace("\nvoid ", "\nstatic void ")
    counts = {
        "NY": len(e.names), "FIRST_SPEED": e.machine.nq, "NV": e.machine.nv, "NP": len(e.parameters) - len(e.clocks),
        "NT": len(e.clocks), "NO": len(e.outputs), "NF": len(e.switches), "NC": len(e.contact_names),
    }  # fmt: skip
    sizes = f"enum {{ {', '.join(f'{k} = {n}' for k, n in counts.items())} }};\n"
    clock = {x.parameter: e.clocks.index(x.clock) for x in e.given if x.clock}
    sizes += f"static const int machine_clock[] = {{{', '.join(str(clock.get(n, -1)) for n in e.parameters) or -1}}};\n"
    token = "{" + blake2b((equations + str(fmi)).encode(), digest_size=16).hexdigest() + "}"
    fixed = files("linkwright.exchange") / "fmi"
    parts = [(fixed / f).read_text(encoding="utf-8") for f in ("common.c", f"fmi{fmi}.c")]
    named = f'#define TOKEN "{token}"\n#define FMI(name) fmi{fmi}##name'
    return "\n".join([equations, sizes, named, *parts]), token


def _place(fmi: int) -> tuple[str, str]:
    system, suffix = _SYSTEM.get(sys.platform, ("linux", ".so"))
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    if fmi == 3:
        return f"{machine}-{'windows' if system == 'win' else system}", suffix
    return f"{system}64" if machine == "x86_64" else f"{machine}-{system}", suffix


def _compiled(source: str, folder: Path, name: str) -> Path:
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        raise ModelError("there is no C compiler here", element="cc", remedy="install gcc or clang, or set CC")
    (folder / "fmu.c").write_text(source, encoding="utf-8")
    library = folder / name
    flags = ["-O2" if len(source) < LARGE else "-O1", "-std=c99", "-shared", "-fPIC", "-fvisibility=hidden"]
    try:
        done = subprocess.run(
            [*compiler.split(), *flags, "-o", str(library), str(folder / "fmu.c"), "-lm"], capture_output=True, text=True
        )
    except OSError as error:
        raise ModelError(
            f"the C compiler does not run: {error}", element=compiler, remedy="set CC to one that does"
        ) from error
    if done.returncode:
        raise ModelError(
            f"the C compiler says: {done.stderr.strip()[:500]}", element=compiler, remedy="set CC to another one"
        )
    return library


# -- descriptions ------------------------------------------------------------------------------------------------------


def _variables(e: EquationsWithEvents, shown: set[str]) -> Variables:
    """Name, role and attributes of every variable, in the order of its reference."""
    inputs = {x.parameter: x.name for x in e.given}
    out = [("time", "time", {"causality": "independent", "variability": "continuous"})]
    for name, start in zip(e.names, e.y0, strict=True):
        causality = "output" if name in shown else "local"
        more = {"causality": causality, "variability": "continuous", "initial": "exact", "start": repr(float(start))}
        out.append((name, "state", more))
    out += [
        (f"der({n})", "rate", {"causality": "local", "variability": "continuous", "initial": "calculated"}) for n in e.names
    ]
    for name in (n for n in e.parameters if n not in e.clocks):
        more = {"start": repr(float(e.model.parameters[name]))}
        if name in inputs:
            out.append((inputs[name], "input", {"causality": "input", "variability": "continuous", **more}))
        else:
            out.append((name, "parameter", {"causality": "parameter", "variability": "tunable", "initial": "exact", **more}))
    own = {"causality": "output", "variability": "continuous", "initial": "calculated"}
    taken = {n for n, _, _ in out}
    out += [(n if n not in taken else f"out({n})", "output", dict(own)) for n in e.outputs]
    watched = [f"switch of {n}" for n in e.switch_names] + [f"contact of {n}" for n in e.contact_names]
    local = own | {"causality": "local"}
    return [*out, *((f"{n} ({k})", "indicator", dict(local)) for k, n in enumerate(watched, start=1))]


def _attributes(pairs: dict[str, str]) -> str:
    return " ".join(f"{k}={quoteattr(v)}" for k, v in pairs.items())


def _fmi2(e: EquationsWithEvents, variables: Variables, name: str, token: str, t_step: float) -> str:
    rows: list[str] = []
    states, rates, outputs = {}, [], []
    events = sum(role == "indicator" for _, role, _ in variables)
    for reference, (variable, role, more) in enumerate(variables):
        if role in ("time", "indicator"):  # indicators have a function of their own here
            continue
        index = len(rows) + 1
        start = {"start": more.pop("start")} if "start" in more else {}
        if role == "state":
            states[variable] = index
        if role == "rate":
            start["derivative"] = str(states[variable[4:-1]])
            rates.append(index)
        if more["causality"] == "output":
            outputs.append(index)
        head = _attributes({"name": variable, "valueReference": str(reference), **more})
        rows.append(f"    <ScalarVariable {head}><Real {_attributes(start)}/></ScalarVariable>")
    can = 'canGetAndSetFMUstate="true" canSerializeFMUstate="true" providesDirectionalDerivative="true"'
    unknowns = (
        ("Outputs", outputs),
        ("Derivatives", rates),
        ("InitialUnknowns", sorted({*outputs, *rates} - set(states.values()))),
    )
    structure = "".join(
        f"    <{word}>" + "".join(f'<Unknown index="{k}"/>' for k in numbers) + f"</{word}>\n"
        for word, numbers in unknowns
        if numbers
    )
    source = f'<SourceFiles><File name="{name}.c"/></SourceFiles>'
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName={quoteattr(e.model.name)} guid="{token}" generationTool="Linkwright"
    variableNamingConvention="flat" numberOfEventIndicators="{events}">
  <ModelExchange modelIdentifier="{name}" {can}>{source}</ModelExchange>
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" {can}>{source}</CoSimulation>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8" stepSize="{t_step!r}"/>
  <ModelVariables>
{chr(10).join(rows)}
  </ModelVariables>
  <ModelStructure>
{structure}  </ModelStructure>
</fmiModelDescription>
"""


def _fmi3(e: EquationsWithEvents, variables: Variables, name: str, token: str, t_step: float) -> str:
    rows, states, structure = [], {}, []
    for k, (variable, role, more) in enumerate(variables):
        if role == "state":
            states[variable] = k
        if role == "rate":
            more["derivative"] = str(states[variable[4:-1]])
        if more["causality"] == "output":
            structure.append((0, f'    <Output valueReference="{k}"/>'))
        if role == "rate":
            structure.append((1, f'    <ContinuousStateDerivative valueReference="{k}"/>'))
        if role == "indicator":
            structure.append((3, f'    <EventIndicator valueReference="{k}"/>'))
        if role in ("rate", "output"):
            structure.append((2, f'    <InitialUnknown valueReference="{k}"/>'))
        rows.append(f"    <Float64 {_attributes({'name': variable, 'valueReference': str(k), **more})}/>")
    can = 'canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true"'
    ordered = [text for _, text in sorted(structure, key=lambda x: x[0])]
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName={quoteattr(e.model.name)} instantiationToken="{token}"
    generationTool="Linkwright" variableNamingConvention="flat">
  <ModelExchange modelIdentifier="{name}" {can}/>
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true" {can}/>
  <DefaultExperiment startTime="0" stopTime="1" tolerance="1e-8" stepSize="{t_step!r}"/>
  <ModelVariables>
{chr(10).join(rows)}
  </ModelVariables>
  <ModelStructure>
{chr(10).join(ordered)}
  </ModelStructure>
</fmiModelDescription>
"""


def _build(name: str) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="{name}">
    <SourceFileSet language="C99"><SourceFile name="{name}.c"/></SourceFileSet>
  </BuildConfiguration>
</fmiBuildDescription>
"""
