// One machine that is solved for values of its parameters, as plain data: for the page, or for a thread of its own.

class Solver {
  constructor(data, code) {
    this.data = data;
    this.motion = new (data.analysis === "kinematics" ? Kinematics : Simulation)(data, code);
    this.machine = this.motion.machine;
    this.code = code;
  }
  // The motion and all channels; or { trouble } where there is none.
  solve({ values, starts }) {
    try {
      Object.assign(this.machine.values, values);
      this.machine.starts = starts;
      const run = this.motion.solve(), channels = channelsOf(this.machine, run);
      return { ...run, channels, drawing: this.drawing(), told: told(this.data, run) };
    } catch (error) {
      if (!(error instanceof Trouble)) throw error;
      return { trouble: { element: error.element, cause: error.cause, remedy: error.remedy } };
    }
  }
  drawing() { return this.code.has("drawing") ? Array.from(this.code.call("drawing", { b: this.machine.b }).numbers.a) : []; }
}

function told(data, run) {
  if (data.analysis === "kinematics") return `kinematics, computed in this page: ${run.t.length} points`;
  const total = run.energy.map(([T, V, W]) => T + V - W), size = Math.max(...run.energy.map(([T, V]) => Math.abs(T) + Math.abs(V)), 1e-300);
  const drift = Math.max(...total.map((x) => Math.abs(x - total[0]))) / size;
  return `dynamics, computed in this page by ${data.method}: ${run.t.length} points, ${run.steps} steps, ${run.evaluations} evaluations, ${run.switched} switches of laws; energy balance to ${drift.toExponential(1)}`;
}

const load = async (data) => new Solver(data, await Code.load(data));
