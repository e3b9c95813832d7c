// What to say of a machine that does not close; as `linkwright.analyses.assembly.misfit` has it.

function misfit(problem, found, q0) {
  const { machine, t } = problem, worst = worstFirst(problem, found);
  const said = worst.slice(0, 5).map(([name, x]) => `${name} (${Number(x.toPrecision(3))})`).join(", "), elements = worst.map(([name]) => name);
  const drivers = [...new Set(machine.data.rows.filter((r) => r.driver).map((r) => r.element))];
  if (problem.fixes && search(new Closure(machine, t, false), q0, 4).closed)
    return new Trouble(problem.fixes.names, `the machine can be assembled, but not with what you fixed (open: ${said})`, "fix fewer quantities, or at values that go together");
  if (drivers.length && search(new Closure(machine, t, false, false), q0, 4).closed)
    return new Trouble([...new Set([...elements, ...drivers])], `the joints close, but your drivers ask for what cannot be reached at t = ${short(t)}: ${drivers.join(", ")} (open: ${said})`, "ask for less, start at another time, or change the lengths");
  const wide = openings(problem, found.q), more = wide.length > 5 ? ` and ${wide.length - 5} more` : "";
  return new Trouble(elements, `the joints cannot be closed: ${wide.slice(0, 5).join(", ")}${more} stay open at best, from your estimates and from ${TRIES} others`, "your lengths or places do not fit together: change one of them");
}
// What is open, the widest first.
function worstFirst(problem, found) {
  const open = new Map();
  problem.names.forEach((name, k) => open.set(name, Math.max(open.get(name) ?? 0, Math.abs(found.residual[k]))));
  const most = Math.max(...open.values());
  return [...open].filter(([, x]) => !(x <= 1e-6 * most)).sort((a, b) => b[1] - a[1]);
}
// The joints close, but not from the estimates q0.
function atFault(problem, q0, { q, deadEnd }) {
  const { data: { bodies, dimension: n }, length } = problem.machine, off = Object.entries(bodies).map(([name, [at]]) => {
    const turned = [0, 1, 2, 3].reduce((s, i) => s + q[at + n + i] * q0[at + n + i], 0);
    return [name, Math.hypot(...q.subarray(at, at + n).map((x, i) => x - q0[at + i])), n === 2 ? 2 * Math.asin(Math.abs(Math.sin(0.5 * (q[at + 2] - q0[at + 2])))) : 2 * Math.acos(Math.min(Math.abs(turned), 1))];
  });
  const [body, place, turn] = off.reduce((a, b) => (b[1] / length + b[2] > a[1] / length + a[2] ? b : a)), shown = (x, size) => Number((x > 1e-9 * size ? x : 0).toPrecision(3));
  return `the estimates are at fault: from them ${worstFirst(problem, deadEnd).slice(0, 3).map(([name]) => name).join(", ")} cannot be closed, from others they can; ${body} is then ${shown(place, length)} m and ${shown(turn, 1)} rad off`;
}
// How far each element is open at q, in metres or radians; the widest first.
function openings(problem, q) {
  const [Phi, J] = problem.equations(q), { data } = problem.machine, n = data.dimension, found = new Map();
  problem.names.forEach((name, k) => {
    const place = Math.max(...Object.values(data.bodies).map(([, at]) => Math.hypot(...J[k].slice(at, at + n))), 0), size = place > 1e-9 ? place : Math.hypot(...J[k]);
    const form = data.rows[problem.rows[k]]?.form ?? "plain", length = 0.5 * place;
    const x = form === "square" ? Math.abs(length - Math.sqrt(Math.max(length ** 2 - Phi[k], 0))) : form === "sine" ? Math.asin(Math.min(Math.abs(Phi[k]), 1)) : Math.abs(Phi[k]) / (size > 1e-9 ? size : 1);
    if (x > (found.get(name)?.[0] ?? 0)) found.set(name, [x, form === "square" || place > 1e-9 ? "m" : "rad"]);
  });
  const most = Math.max(...[...found.values()].map(([x]) => x));
  return [...found].filter(([, [x]]) => x > 1e-6 * most).sort(([, [a]], [, [b]]) => b - a).map(([name, [x, unit]]) => `${name} by ${Number(x.toPrecision(3))} ${unit}`);
}
