// Forces of a motion: what the equations of motion leave for the joints, and the channels that follow.

// The terms of the equations at a state.
function termsAt(machine, t, q, v, turns) {
  machine.turns = turns;
  machine.give(q, t, v);
  return machine.code.call("terms");
}

// Of these the masses, the rows and what their speeds are to be, copied.
function massesAndRows({ data, nv }, { M, Phi_v, nu }, pattern = data.pattern) {
  return { M: filled(nv, nv, data.M_pattern, M.a), J: filled(nu.count, nv, pattern, Phi_v.a), nu: nu.a.slice() };
}

// Of all multipliers with Phi_v^T lam = Q - M vdot - h the smallest; Q with forces that press along the gaps of closed contacts.
function smallest(machine, terms, a, closed = [], pressing = [], more = null) {
  const { data, nv, scale } = machine, effort = new Float64Array(nv);
  for (let j = 0; j < nv; j++) effort[j] = terms.Q.a[j] - terms.h.a[j];
  if (closed.length) { const G = machine.code.call("gaps").G.a; closed.forEach((c, i) => { for (let j = 0; j < nv; j++) effort[j] += pressing[i] * G[c * nv + j]; }); }
  if (more) for (let j = 0; j < nv; j++) effort[j] += more[j];
  data.M_pattern[0].forEach((i, k) => { effort[i] -= terms.M.a[k] * a[data.M_pattern[1][k]]; });
  return new Lines(filled(data.rows.length, nv, data.pattern, terms.Phi_v.a), scale, 1e-8).leastT(effort);
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
