// Which contacts press and which slots stick at one instant; as `linkwright.solve.dry_modes` and `dry_shares` have it.
// A problem: { r0, W, own, contacts, slots, loads(x), reactions: { lam0, L, own } }; a slot: { rows, mu, static, level, press, slides, given }.
// What is found: { x, r, closed, idle, stuck, begun, full, unique, weights, offsets }; begun ... offsets by slot, as maps.

const DRY_STILL = 1e-9, DRY_TIGHT = 2e-10, DRY_RANK = 1e-9, DRY_HELD = 1e-7, DRY_PRESSED = 1e-12, DRY_ROUNDS = 60, STILL_IN_CONES = 1e-7, BY_TURNS = 30, HEAVIEST = 1e3, SLACK = 1e-6,
  LIMIT = 3e-6, DRIVEN = 1e-6, SHARE_HALVED = 16, INSERTED = 20, HARDER = [10, 100, 1000];

class Inconsistent extends Error { constructor(slots) { super("no forces agree with the motion"); this.slots = slots; } }

// Of the accelerations: those without these forces, and those that slots which slide make; all else is rounding.
const dryLargest = (p) => (p.largest ??= largest([...p.r0.map((x, k) => x / Math.sqrt(p.own[k])), ...dryMade(p)]) || 1);
function dryMade(p) {
  const N = p.loads(new Float64Array(p.r0.length));
  return p.slots.map((s, k) => (s.slides ? (s.level + norm(s.given) + (s.press < 0 ? s.mu * N[k] : 0)) * Math.sqrt(Math.max(...s.rows.map((i) => p.own[i]))) : 0));
}
const dryStill = (p, k) => Math.max((p.slots[k].rows.length === 1 ? DRY_STILL : STILL_IN_CONES) * dryLargest(p), p.none ?? 0);
const dryPart = (p, k, r) => p.slots[k].rows.map((i) => r[i] / Math.sqrt(p.own[i]));
const dryAfter = (p, x) => plus(times(p.W, x), p.r0);
const unitOf = (u) => { const l = norm(u) || 1; return u.map((x) => x / l); };
const heldBy = (p, k, x, N) => { const s = p.slots[k]; return s.static * (s.press >= 0 ? x[s.press] : N[k]) + s.level; };
const without = (map, gone) => new Map([...map].filter(([k]) => !gone.includes(k)));

// By row of all, what it does when `rows` are pushed by one in their units and others are held; a column a row.
function answersOf(W, own, rows, held) {
  const d = own.map((x) => 1 / Math.sqrt(x)), scaled = W.map((row, i) => row.map((x, j) => x * d[i] * d[j])), H = held.length && new Rows(sub(scaled, held), held.length, DRY_RANK);
  return rows.map((k) => {
    let push = Float64Array.from(scaled, (row) => row[k]);
    if (held.length) { const back = H.least(Float64Array.from(held, (i) => push[i])); push = push.map((x, i) => x - held.reduce((s, j, n) => s + scaled[i][j] * back[n], 0)); }
    return push.map((x, i) => x / d[i]);
  });
}
// What rows yield while others are held, by what they would by themselves: the most of them.
const mobility = (W, own, rows, held) => Math.max(...answersOf(W, own, rows, held).map((column, i) => column[rows[i]] / Math.sqrt(own[rows[i]])));

// `forced`: slots at rest that are known to break away, and how; `spent`: that bear no more, while others may.
function dryFind(p, forced, spent) {
  let begun = new Map(forced);
  const letGo = new Set();
  for (let round = 0; round < DRY_ROUNDS; round++) {
    const x = dryUnder(p, begun), r = dryAfter(p, x);
    begun = new Map([...begun].map(([k, u]) => [k, unitOf(p.slots[k].rows.length > 1 ? p.slots[k].rows.map((i) => -x[i]) : u)]));
    const fresh = dryReleased(p, begun, x, r);
    if (fresh.size) { begun = new Map([...begun, ...fresh]); continue; }
    const back = [...begun].filter(([k, u]) => dot(dryPart(p, k, r), u) < -dryStill(p, k) && !letGo.has(k)).map(([k]) => k);
    if (!back.length) return dryOpposed(p, dryConsistent(p, drySharedOut(p, dryFound(p, begun, x, r), spent), spent));
    back.forEach((k) => letGo.add(k));
    begun = without(begun, back);
  }
  throw new Inconsistent([...begun.keys()]);
}
// Friction is against what begins to move.
function dryOpposed(p, found) {
  const driven = [...found.begun].filter(([k, u]) => u.length === 1 && dot(dryPart(p, k, found.r), u) < -DRIVEN * dryLargest(p)).map(([k]) => k);
  if (driven.length) throw new Inconsistent(driven);
  return found;
}
function drySharedOut(p, found, spent) {
  let out = dryShare(p, found, spent);
  if (out instanceof Map) {  // all that is left begins to move, at first without acceleration
    found.begun = new Map([...found.begun, ...out]);
    found.stuck = found.stuck.filter((k) => !out.has(k));
    out = dryShare(p, found, spent);
  }
  return out && !(out instanceof Map) ? out : found;
}
// At the limit rounding decides on each slot by itself: slots that others hold give all they have, those that are taken along move.
function dryConsistent(p, found, spent) {
  const single = [...found.begun.keys()].filter((k) => p.slots[k].rows.length === 1), held = [...found.closed, ...found.stuck.flatMap((k) => p.slots[k].rows)];
  const caught = single.filter((k) => found.stuck.length && !(mobility(p.W, p.own, p.slots[k].rows, held) > DRY_HELD));
  if (caught.length) {
    const again = { ...found, begun: without(found.begun, caught), stuck: [...found.stuck, ...caught, ...found.full.keys()].sort((a, b) => a - b) };
    const out = dryShare(p, again, new Set([...spent, ...caught, ...found.full.keys()]));
    if (out && !(out instanceof Map)) return out;
  }
  if (single.length && found.full.size) {
    const columns = answersOf(p.W, p.own, single.map((k) => p.slots[k].rows[0]), held), way = (i) => single.reduce((s, k, n) => s + columns[n][i] * found.begun.get(k)[0], 0);
    for (const k of [...found.full.keys()]) {
      const rows = p.slots[k].rows, own = way(rows[0]);
      if (rows.length === 1 && Math.abs(own) > DRY_HELD * Math.sqrt(p.own[rows[0]])) { found.begun.set(k, [Math.sign(own)]); found.full.delete(k); }
    }
  }
  return found;
}
function dryFound(p, begun, x, r) {
  const by = (k) => Math.sqrt(p.own[k]), size = largest(x.map((f, k) => f * by(k))), closed = p.contacts.filter((k) => x[k] * by(k) > DRY_PRESSED * size);
  const idle = p.contacts.filter((k) => !closed.includes(k) && Math.abs(r[k]) / by(k) <= DRY_STILL * dryLargest(p)), there = range(p.slots.length).filter((k) => p.slots[k].press < 0 || closed.includes(p.slots[k].press));
  const stuck = there.filter((k) => !p.slots[k].slides && !begun.has(k));
  return { x, r, closed, idle, stuck, begun: new Map([...begun].filter(([k]) => there.includes(k))), full: new Map(), unique: true, weights: new Map(), offsets: new Map() };
}
// Slots at rest that do not hold under x, and the motions that begin.
function dryReleased(p, begun, x, r) {
  const out = new Map();
  p.slots.forEach((s, k) => {
    const there = s.press < 0 || (p.contacts.includes(s.press) && x[s.press] > 0);
    if (!s.slides && !begun.has(k) && there && norm(dryPart(p, k, r)) > dryStill(p, k)) out.set(k, unitOf(s.rows.length === 1 ? [Math.sign(r[s.rows[0]])] : s.rows.map((i) => -x[i])));
  });
  return out;
}
// The forces x, with slots that slide, or begin to, as they are.
function dryUnder(p, begun) {
  const joints = range(p.slots.length).filter((k) => p.slots[k].press < 0);
  if (!joints.length) return dryWithCones(p, begun, new Float64Array(p.slots.length));
  const N = p.loads(new Float64Array(p.r0.length)), full = (few) => { const out = N.slice(); joints.forEach((k, i) => { out[k] = Math.max(few[i], 0); }); return out; };
  const some = (all) => Float64Array.from(joints, (k) => all[k]);
  return dryWithCones(p, begun, full(fixedPoint((few) => some(p.loads(dryWithCones(p, begun, full(few)))), some(N), joints.length)));
}
// With the loads of joints given: slots of several speeds at rest, and those that begin to move, by turns with the others.
function dryWithCones(p, begun, N) {
  const round = range(p.slots.length).filter((k) => !p.slots[k].slides && p.slots[k].rows.length > 1);
  let given = new Float64Array(p.r0.length), x = drySolved(p, begun, N, given);
  if (!round.length) return x;
  const { rows, parts, scale } = dryRound(p, round), W = sub(p.W, rows).map((row, i) => row.map((a, j) => a * scale[i] * scale[j]));
  for (let turn = 0; turn < BY_TURNS; turn++) {
    const radii = round.map((k) => {
      const s = p.slots[k], load = s.press < 0 ? N[k] : p.contacts.includes(s.press) ? x[s.press] : 0;
      return Math.max((begun.has(k) ? s.mu : s.static) * load + s.level, 0) * Math.sqrt(Math.max(...s.rows.map((i) => p.own[i])));
    });
    const rest = plus(times(p.W, plus(x, given, -1)), p.r0), z = inBalls(W, Float64Array.from(rows, (k, i) => rest[k] * scale[i]), Float64Array.from(rows, (k, i) => given[k] / scale[i]), parts, radii), fresh = new Float64Array(given.length);
    rows.forEach((k, i) => { fresh[k] = z[i] * scale[i]; });
    const change = Math.max(...rows.map((k, i) => Math.abs((fresh[k] - given[k]) / scale[i])));
    given = fresh;
    x = drySolved(p, begun, N, given);
    if (change <= 1e-11 * Math.max(largest(x.map((f, k) => f * Math.sqrt(p.own[k]))), 1e-300)) break;
  }
  return x;
}
// Rows of slots with several speeds, the parts that are each one's, their units: one for all speeds of a slot.
function dryRound(p, slots) {
  const rows = slots.flatMap((k) => p.slots[k].rows), parts = [];
  for (const k of slots) { const a = parts.at(-1)?.[1] ?? 0; parts.push([a, a + p.slots[k].rows.length]); }
  return { rows, parts, scale: Float64Array.from(slots.flatMap((k) => p.slots[k].rows.map(() => 1 / Math.sqrt(Math.max(...p.slots[k].rows.map((i) => p.own[i])))))) };
}
// With the loads of joints and the forces of slots with several speeds given: x = c + B z, z >= 0 by Lemke.
function drySolved(p, begun, N, given) {
  const m = p.r0.length, scale = p.own.map((x) => 1 / Math.sqrt(x)), c = given.slice(), pressed = new Map(p.contacts.map((row, i) => [row, i])), still = [];
  const column = (row, f) => { const out = new Float64Array(m); out[row] = f; return out; }, B = p.contacts.map((row) => column(row, scale[row]));
  p.slots.forEach((s, k) => {
    const u = s.slides ?? begun.get(k);
    if ((s.press >= 0 && !pressed.has(s.press)) || (!s.slides && s.rows.length > 1)) return;
    if (!u) { still.push(k); return; }
    s.rows.forEach((i, n) => {
      c[i] += s.given[n] - s.level * u[n];
      if (s.press >= 0) B[pressed.get(s.press)][i] -= s.mu * u[n] * scale[s.press]; else c[i] -= s.mu * N[k] * u[n];
    });
  });
  for (const k of still) { const [row] = p.slots[k].rows; B.push(column(row, scale[row]), column(row, -scale[row])); }
  const base = dryAfter(p, c).map((x, i) => x * scale[i]), pushed = B.map((b) => times(p.W, b)), T = p.W.map((_, i) => Float64Array.from(pushed, (b) => b[i] * scale[i]));
  const z = lemke(...dryTableau(p, still, N, base, T, pressed));
  if (!z) throw new Inconsistent(range(p.slots.length).filter((k) => p.slots[k].slides || begun.has(k)));
  return B.reduce((x, b, k) => plus(x, b, z[k]), c);
}
function dryTableau(p, still, N, base, T, pressed) {
  const contacts = [...pressed.keys()], count = still.length, n = contacts.length + 3 * count, forces = contacts.length + 2 * count, M = zeros(n, n), q = new Float64Array(n), scale = p.own.map((x) => 1 / Math.sqrt(x));
  contacts.forEach((row, i) => { M[i].set(T[row]); q[i] = base[row]; });
  still.forEach((k, i) => {
    const s = p.slots[k], [row] = s.rows, at = contacts.length + 2 * i, last = forces + i;
    M[at].set(T[row]);
    M[at + 1].set(T[row].map((x) => -x));
    [q[at], q[at + 1]] = [base[row], -base[row]];
    M[at][last] = M[at + 1][last] = 1;
    M[last][at] = M[last][at + 1] = -1;
    if (s.press >= 0) M[last][pressed.get(s.press)] = (s.static * scale[s.press]) / scale[row];
    q[last] = (s.level + (s.press >= 0 ? 0 : s.static * N[k])) / scale[row];
  });
  return [M, q];
}

// -- forces that are not unique ------------------------------------------------------------------------------------------------------
// With the least of all forces that do the same, within bounds; null where forces are unique; a map of slots that give way.
function dryShare(p, found, spent) {
  const still = [...found.closed, ...found.idle].sort((a, b) => a - b);
  for (const closed of found.idle.length ? [still, found.closed] : [still]) { const out = dryShared(p, found, closed, spent); if (out && (out instanceof Map || dryLasts(p, out))) return out; }
  return null;
}
// Whether what begins to move does so under these forces, and what sticks is not at its bound.
function dryLasts(p, found) {
  const size = dryLargest(p), N = p.loads(found.x), least = DRY_PRESSED * largest(found.x.map((f, k) => f * Math.sqrt(p.own[k])));
  if ([...found.begun].some(([k, u]) => sum(p.slots[k].rows.map((i, n) => (found.r[i] / Math.sqrt(p.own[i])) * u[n])) < -DRY_STILL * size)) return false;
  return found.stuck.every((k) => { const { rows } = p.slots[k], own = Math.sqrt(Math.max(...rows.map((i) => p.own[i]))); return norm(rows.map((i) => found.x[i])) * own <= (1 - SLACK) * heldBy(p, k, found.x, N) * own + least; });
}
function dryShared(p, found, closed, spent) {
  const there = range(p.slots.length).filter((k) => p.slots[k].press < 0 || closed.includes(p.slots[k].press)), stuck = there.filter((k) => !p.slots[k].slides && !found.begun.has(k));
  if (stuck.some((k) => p.slots[k].rows.length > 1)) return (stuck.some((k) => spent.has(k)) && dryWedged(p, found, closed, stuck, spent)) || dryCentred(p, found, closed, stuck);
  return dryOneByOne(p, found, closed, stuck, spent);
}
// The slot that exceeds its bound most gives all it has, and others the rest, until none does.
function dryOneByOne(p, found, closed, stuck, spent) {
  const full = new Map();
  let { x } = found, many = false;
  for (let round = 0; round <= stuck.length; round++) {
    const held = stuck.filter((k) => !full.has(k)), least = dryLeast(p, found, closed, held, full, x);
    if (!least) return null;
    x = least[0];
    many ||= least[1];
    if (!many) return null;
    const N = p.loads(x), over = held.map((k) => (spent.has(k) ? Infinity : norm(p.slots[k].rows.map((i) => x[i])) / Math.max(heldBy(p, k, x, N), 1e-300))), most = Math.max(...over), worst = held[over.indexOf(most)];
    if (worst === undefined || most <= 1 + DRY_TIGHT) {
      if (dryPulls(p, closed, x)) return null;
      return { ...found, x, r: dryAfter(p, x), closed, idle: [...found.closed, ...found.idle].filter((k) => !closed.includes(k)), stuck: held, full, unique: false, weights: new Map(), offsets: new Map() };
    }
    full.set(worst, unitOf(p.slots[worst].rows.map((i) => -x[i])));
  }
  return null;
}
function dryPulls(p, closed, x) {
  const size = largest(x.map((f, k) => f * Math.sqrt(p.own[k])));
  return closed.some((k) => x[k] * Math.sqrt(p.own[k]) < -DRY_PRESSED * size);
}
// The same for slots with several speeds: each takes on in proportion to what it can bear; others help by forces that cancel.
function dryCentred(p, found, closed, stuck) {
  const first = dryLeast(p, found, closed, stuck, new Map(), found.x);
  if (!first || !first[1]) return null;
  const weights = dryWeights(p, stuck, first[0]), least = dryLeast(p, found, closed, stuck, new Map(), first[0], weights);
  if (!least) return null;
  let [x] = least, offsets = new Map();
  const own = (k, z) => p.slots[k].rows.map((i) => z[i]);
  if (dryPulls(p, closed, x)) return dryPressed(p, found, closed, stuck, x, weights);
  if (dryExceeds(p, stuck, x)) {
    const [centre, part] = dryCentral(p, stuck, x);
    if (part >= 1 - LIMIT) return dryWedged(p, found, closed, stuck, new Set()) ?? dryPressed(p, found, closed, stuck, x, weights) ?? new Map(stuck.map((k) => [k, unitOf(own(k, centre).map((f) => -f))]));
    const before = x;
    offsets = new Map(stuck.map((k) => [k, p.slots[k].rows.map((i) => centre[i] - before[i])]));
    x = centre;
  }
  return dryTogether(p, found, closed, stuck, x, weights, offsets);
}
function dryTogether(p, found, closed, stuck, x, weights, offsets) {
  return { ...found, x, r: dryAfter(p, x), closed, idle: [...found.closed, ...found.idle].filter((k) => !closed.includes(k)), stuck, full: new Map(), unique: false, weights, offsets };
}
// Whether a slot has reached its bound.
function dryExceeds(p, stuck, x) {
  const N = p.loads(x);
  return stuck.some((k) => norm(p.slots[k].rows.map((i) => x[i])) > (1 - SLACK) * Math.max(heldBy(p, k, x, N), 0));
}
// The same with less friction and more of what presses and of joints, where the least forces would pull, or press too little to rub so much.
function dryPressed(p, found, closed, stuck, x, weights) {
  for (const harder of HARDER) {
    const heavier = new Map([...weights].map(([k, weight]) => [k, harder * weight])), least = dryLeast(p, found, closed, stuck, new Map(), x, heavier);
    if (!least) return null;
    [x] = least;
    if (!dryPulls(p, closed, x) && !dryExceeds(p, stuck, x)) return dryTogether(p, found, closed, stuck, x, heavier, new Map());
  }
  return null;
}
// Where joints and contacts alone let nothing slide: slots beyond their bound, or at it, give all they have, and those bear the rest.
function dryWedged(p, found, closed, stuck, spent) {
  const out = dryOneByOne(p, found, closed, stuck, spent);
  if (!out || !out.full.size) return out;
  return mobility(p.W, p.own, [...out.full.keys()].flatMap((k) => p.slots[k].rows), closed) <= DRY_HELD ? out : null;
}
// Forces of slots that do what x does within the smallest part of all their bounds, and that part.
function dryCentral(p, stuck, x) {
  const N = p.loads(x), { rows, parts, scale } = dryRound(p, stuck), W = sub(p.W, rows).map((row, i) => row.map((a, j) => a * scale[i] * scale[j])), start = Float64Array.from(rows, (k, i) => x[k] / scale[i]), right = times(W, start).map((a) => -a), size = Math.max(largest(right), 1e-300);
  const most = stuck.map((k) => Math.max(heldBy(p, k, x, N), 0) * Math.sqrt(Math.max(...p.slots[k].rows.map((i) => p.own[i])))), inverse = new Rows(W, rows.length, DRY_RANK), spread = (z) => { const out = x.slice(); rows.forEach((k, i) => { out[k] = z[i] * scale[i]; }); return out; };
  let low = 0, high = 1, best = start;
  for (let round = 0; round < SHARE_HALVED; round++) {
    const part = high === 1 && low === 0 ? high : 0.5 * (low + high), z = inBalls(W, right, best, parts, most.map((m) => part * m)), off = plus(times(W, z), right);
    if (largest(off) > DRY_STILL * size) {
      if (part === 1) return [spread(z), 1];
      low = part;
      continue;
    }
    high = part;
    best = plus(z, inverse.least(off), -1);
    if (low === 0) low = 1e-9;
  }
  return [spread(best), high];
}
// In proportion to what slots yield, all contacts as one, over what they can bear.
function dryWeights(p, stuck, x) {
  const N = p.loads(x), out = new Map(), mean = (a) => (a.length ? sum(a) / a.length : 0), own = (k) => mean(p.slots[k].rows.map((i) => p.own[i])), contacts = stuck.filter((k) => p.slots[k].press >= 0);
  for (const group of [contacts, ...stuck.filter((k) => !contacts.includes(k)).map((k) => [k])]) {
    const bounds = group.map((k) => Math.max(heldBy(p, k, x, N), 0)), usual = mean(bounds), yields = mean(group.map(own));
    group.forEach((k, i) => out.set(k, bounds[i] > 0 ? yields * Math.min(Math.max(usual / bounds[i], 1 / HEAVIEST), HEAVIEST) : yields * HEAVIEST));
  }
  return out;
}
// The least forces that keep what is closed and held at rest, and whether there are others; null where nothing keeps it.
function dryLeast(p, found, closed, held, full, start, weights = new Map()) {
  const rows = [...closed, ...held.flatMap((k) => p.slots[k].rows)], m = p.r0.length, own = p.own.slice(), by = (z) => z.map((f, k) => f * Math.sqrt(p.own[k]));
  weights.forEach((w, k) => p.slots[k].rows.forEach((i) => { own[i] = w; }));
  let x = start, free = false;
  for (let round = 0; round < INSERTED; round++) {
    const N = p.loads(x), c = new Float64Array(m), C = new Map(rows.map((i) => { const z = new Float64Array(m); z[i] = 1; return [i, z]; }));
    p.slots.forEach((s, k) => {
      if (held.includes(k) || (s.press >= 0 && !closed.includes(s.press))) return;
      const u = full.get(k) ?? s.slides ?? found.begun.get(k), mu = full.has(k) ? s.static : s.mu;
      if (!u) return;
      s.rows.forEach((i, n) => { c[i] += s.given[n] - s.level * u[n]; if (s.press >= 0) C.get(s.press)[i] -= mu * u[n]; else c[i] -= mu * N[k] * u[n]; });
    });
    const B = rows.map((i) => C.get(i)), [z, others] = drySmallest(p, rows, B, c, own), fresh = B.reduce((s, b, k) => plus(s, b, z[k]), c), settled = largest(by(plus(fresh, x, -1))) <= 1e-12 * Math.max(largest(by(fresh)), 1e-300);
    x = fresh;
    free = others;
    if (settled) break;
  }
  const r = dryAfter(p, x), watched = [...rows, ...[...full.keys()].flatMap((k) => p.slots[k].rows)];
  return watched.some((i) => Math.abs(r[i]) / Math.sqrt(p.own[i]) > DRY_STILL * dryLargest(p)) ? null : [x, free];
}
// z with r0 + W (c + B z) = 0 in the rows, and least multipliers; whether there are others.
function drySmallest(p, rows, B, c, weights) {
  const n = rows.length, scale = rows.map((i) => 1 / Math.sqrt(p.own[i])), pushed = B.map((b) => times(p.W, b)), after = dryAfter(p, c);
  const A = rows.map((i, a) => Float64Array.from(pushed, (b, k) => scale[a] * b[i] * scale[k])), right = rows.map((i, a) => -scale[a] * after[i]);
  if (!n) return [new Float64Array(0), false];
  const { values, vectors } = eigen(rows.map((i, a) => Float64Array.from(rows, (j, b) => p.W[i][j] * scale[a] * scale[b]))), most = Math.max(...values), idle = vectors.filter((_, k) => values[k] <= DRY_RANK * most).map((v) => v.map((x, a) => x * scale[a]));
  const told = (z) => Float64Array.from(z, (x, k) => x * scale[k]);
  if (!idle.length) return [told(leastSquares(A, right, n, DRY_RANK)), false];
  const { lam0, L, own } = p.reactions, through = idle.map((v) => rows.reduce((s, i, a) => plus(s, L[i], v[a]), new Float64Array(lam0.length)).map((x, k) => x * own[k]));
  const of = (b) => b.reduce((s, f, i) => (f ? plus(s, L[i], f) : s), new Float64Array(lam0.length)), joints = B.map(of), given = plus(lam0, of(c));
  const more = idle.map((v, q) => Float64Array.from(rows, (i, k) => (dot(through[q], joints[k]) + v[k] * weights[i]) * scale[k]));
  return [told(leastSquares([...A, ...more], [...right, ...through.map((x) => -dot(x, given))], n, DRY_RANK)), true];
}
