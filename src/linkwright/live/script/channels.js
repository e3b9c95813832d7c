// What follows from a motion: coordinates of joints, channels by name.

// Angles of joints that nobody followed: from time to time they change by less than half a turn.
function unwrapped(column) {
  const out = Float64Array.from(column);
  for (let k = 1, shift = 0; k < out.length; k++) {
    const step = column[k] - column[k - 1];
    shift -= 2 * Math.PI * Math.round(step / (2 * Math.PI));
    out[k] = column[k] + shift;
  }
  return out;
}

function jointValues(machine, run) {
  const { code, data } = machine;
  if (!code.has("joints")) return [];
  const all = code.inputs["all turns"], late = data.functions.joints.outs.late, known = all.count - late;
  const at = (k, more) => {
    machine.give(run.q[k], run.t[k], run.v[k]);
    if (code.inputs.vdot) code.inputs.vdot.a.set(run.a[k]);
    if (known) all.a.set(run.turns[k].subarray(0, known));
    for (let i = 0; i < late; i++) all.a[known + i] = more ? more[i][k] : 0;
    return code.call("joints");
  };
  let turns = null;
  if (late) {
    const angles = Array.from(run.q, (_, k) => at(k).late.a.slice());
    turns = Array.from({ length: late }, (_, i) => unwrapped(angles.map((row) => row[i])));
  }
  return Array.from(run.q, (_, k) => at(k, turns).values.a.slice());
}

// The channels of a run, by name: arrays over time.
function channelsOf(machine, run) {
  const rows = { ...run, joints: jointValues(machine, run) }, out = new Map();
  for (const [name, kind, k, unit] of machine.data.channels) {
    if (!rows[kind]?.length) continue;
    out.set(name, { name, unit, values: Float64Array.from(rows[kind], (row) => row[k]) });
  }
  return out;
}
