// Forces of a motion: what the equations of motion leave for the joints, and the channels that follow.

// The terms of the equations at a state.
function termsAt(machine, t, q, v, turns) {
  machine.turns = turns;
  machine.give(q, t, v);
  return machine.code.call("terms");
}

// Of all multipliers with Phi_v^T lam = Q - M vdot - h the smallest; Q with forces that press along the gaps of closed contacts.
function smallest(machine, terms, a, closed = [], pressing = [], more = null) {
  const { data, nv, scale } = machine, effort = new Float64Array(nv), S = zeros(data.rows.length, nv);
  for (let j = 0; j < nv; j++) effort[j] = terms.Q.a[j] - terms.h.a[j];
  if (closed.length) { const G = machine.code.call("gaps").G.a; closed.forEach((c, i) => { for (let j = 0; j < nv; j++) effort[j] += pressing[i] * G[c * nv + j]; }); }
  if (more) for (let j = 0; j < nv; j++) effort[j] += more[j];
  data.M_pattern[0].forEach((i, k) => { effort[i] -= terms.M.a[k] * a[data.M_pattern[1][k]]; });
  data.pattern[0].forEach((i, k) => { const j = data.pattern[1][k]; S[i][j] = terms.Phi_v.a[k] * scale[j]; });
  const lengths = S.map((row) => Math.sqrt(dot(row, row)) || 1), unit = S.map((row, k) => row.map((x) => x / lengths[k]));
  return new Rows(unit, nv, 1e-8).leastT(effort.map((x, j) => x * scale[j])).map((x, k) => x / lengths[k]);
}

// Energy, places of joints and reactions at one time, put to those before; `multipliers(terms)`: of all rows.
function tellForces(machine, out, state, a, multipliers) {
  const { code } = machine, terms = termsAt(machine, state.t, state.q, state.v, state.turns);
  out.energy.push([terms.energy.a[0], terms.energy.a[1], state.work]);
  out.points.push(terms.points.a.slice());
  if (code.has("touching")) (out.touches ??= []).push(code.call("touching").values.a.slice());
  const lam = multipliers(terms);
  if (!code.has("reactions")) return;
  code.inputs.lam.a.set(lam);
  out.reactions.push(code.call("reactions").x.a.slice());
}
