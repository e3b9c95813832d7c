"""A model in lines for people: its parameters, bodies and elements, and what is fixed."""

from __future__ import annotations

from linkwright.model.elements import Joint
from linkwright.model.named import Named
from linkwright.model.quantities import written


def overview(model: Named) -> list[str]:
    rows = [f"  parameter  {name} = {value:g}" for name, value in model.parameters.items()]
    for body in model.bodies.values():
        if not body.is_ground:
            at = ", ".join(map(written, body.estimate.position))
            rows.append(f"  body       {body.name}: mass {written(body.mass)}, at ({at})")
    for e in model.elements.values():
        kind = "joint" if isinstance(e, Joint) else "element"
        rows.append(f"  {kind:<10} {e.name}: {type(e).__name__} {' - '.join(b.name for b in e.bodies)}".rstrip())
    return rows + [f"  fixed      {written(q)} = {written(v)}" for q, v in model.fixed.items()]
