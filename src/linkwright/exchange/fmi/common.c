/* An instance of the machine, whatever version of the interface asks for it: its state lives in it, nowhere else. */
#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* NP parameters may be set from outside, NT clocks follow; NF conditions of laws, NC contacts. */
enum { NE = NF + NC, FIRST_STATE = 1, FIRST_RATE = FIRST_STATE + NY, FIRST_PARAMETER = FIRST_RATE + NY,
       FIRST_OUTPUT = FIRST_PARAMETER + NP, FIRST_INDICATOR = FIRST_OUTPUT + NO, END = FIRST_INDICATOR + NE };

/* A contact is apart, or has just been struck and is not yet far enough to be watched, or presses. */
enum { LEAVING, APART, PRESSING };

#define NEAR 1e-10  /* gaps, and functions of switches, that are no larger are zero */
#define STILL 1e-9  /* rates of gaps, of the largest velocity, that are none */
#define LOW 1e-9    /* a flight between two impacts that rises no higher is none */

typedef struct {
    double t, h, tolerance, y[NY], p[NP + NT + 1], d[NE + 1];
    double level[NC + 1]; /* gaps of contacts that are leaving, when they were struck */
    int contact[NC + 1];
} State;

typedef struct {
    State now;
} Instance;

typedef struct {
    double gap[NC + 1], rate[NC + 1], second[NC + 1], restitution[NC + 1], W[NC * NC + 1], V[NC * NV + 1];
} Contacts;

static void reset(Instance *c)
{
    memset(c, 0, sizeof *c);
    c->now.tolerance = 1e-8;
    memcpy(c->now.y, machine_start, sizeof machine_start);
    memcpy(c->now.p, machine_parameters, (NP + NT) * sizeof(double));
}

static void set_start(Instance *c, double t)
{
    c->now.t = t;
    for (int k = 0; k < NT; k++) c->now.p[NP + k] = t;
}

/* -- contacts -- */

static void contacts(const State *s, double t, const double *y, const double *d, Contacts *x)
{
    machine_contacts(t, y, s->p, d, x->gap, x->rate, x->second, x->restitution, x->W, x->V);
}

/* W x = b among some, by Gauss and pivots; rows that are dependent get nothing more to hold. */
static void solve_among(const double *W, const double *b, const int *among, double *x)
{
    double A[(NC + 1) * (NC + 2)];
    int at[NC + 1], n = 0;
    for (int k = 0; k < NC; k++) {
        x[k] = 0.0;
        if (among[k]) at[n++] = k;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i * (n + 1) + j] = W[at[i] * NC + at[j]];
        A[i * (n + 1) + n] = b[at[i]];
    }
    for (int i = 0; i < n; i++) {
        const double pivot = A[i * (n + 1) + i];
        if (!(pivot > 1e-12 * W[at[i] * NC + at[i]])) {
            for (int j = 0; j <= n; j++) A[i * (n + 1) + j] = j == i;
            A[i * (n + 1) + n] = 0.0;
            for (int r = 0; r < n; r++)
                if (r != i) A[r * (n + 1) + i] = 0.0;
            continue;
        }
        for (int r = 0; r < n; r++) {
            if (r == i) continue;
            const double factor = A[r * (n + 1) + i] / pivot;
            for (int j = i; j <= n; j++) A[r * (n + 1) + j] -= factor * A[i * (n + 1) + j];
        }
    }
    for (int i = 0; i < n; i++) x[at[i]] = A[i * (n + 1) + n] / A[i * (n + 1) + i];
}

/* p >= 0 with W p + q >= 0 and one of both zero, among some: one after the other until nothing changes. */
static void one_sided(const double *W, const double *q, const int *among, double *p)
{
    for (int k = 0; k < NC; k++) p[k] = 0.0;
    for (int n = 0; n < 100000; n++) {
        double change = 0.0, size = 0.0;
        for (int k = 0; k < NC; k++) {
            if (!among[k] || !(W[k * NC + k] > 0)) continue;
            double r = q[k];
            for (int j = 0; j < NC; j++) r += W[k * NC + j] * p[j];
            const double next = fmax(p[k] - r / W[k * NC + k], 0.0);
            change = fmax(change, fabs(next - p[k]));
            size = fmax(size, next);
            p[k] = next;
        }
        if (change <= 1e-15 * size) return;
    }
}

/* d with the forces that keep closed gaps closed. */
static void pressed(const State *s, double t, const double *y, double *d)
{
    int any = 0, held[NC + 1];
    memcpy(d, s->d, sizeof s->d);
    for (int k = 0; k < NC; k++) {
        d[NF + k] = 0.0;
        held[k] = s->contact[k] == PRESSING;
        any |= held[k];
    }
    if (any) {
        Contacts x;
        contacts(s, t, y, d, &x);
        for (int k = 0; k < NC; k++) x.second[k] = -x.second[k];
        solve_among(x.W, x.second, held, d + NF);
    }
}

static void rates_at(const State *s, double t, const double *y, double *out)
{
    double d[NE + 1];
    pressed(s, t, y, d);
    machine_rates(t, y, s->p, d, out);
}

/* What changes its sign where something happens: past zero by NEAR, so that it is not zero afterwards. */
static void indicators_at(const State *s, double t, const double *y, double *z)
{
    double d[NE + 1];
    pressed(s, t, y, d);
    machine_switches(t, y, s->p, d, z);
    for (int k = 0; k < NF; k++) z[k] += s->d[k] > 0.5 ? NEAR : -NEAR;
    if (NC) {
        Contacts x;
        contacts(s, t, y, d, &x);
        for (int k = 0; k < NC; k++) {
            const int how = s->contact[k];
            z[NF + k] = how == PRESSING ? d[NF + k] + NEAR : how == APART ? x.gap[k] + NEAR : x.gap[k] - s->level[k] + 2 * NEAR;
        }
    }
}

/* -- events -- */

static double fastest(const State *s)
{
    double v = 0.0;
    for (int k = 0; k < NV; k++) v = fmax(v, fabs(s->y[FIRST_SPEED + k]));
    return v;
}

static void push(State *s, const double *V, const double *p)
{
    for (int k = 0; k < NC; k++)
        for (int j = 0; j < NV; j++) s->y[FIRST_SPEED + j] += V[k * NV + j] * p[k];
}

/* Impacts of contacts that touch: the fastest first, what this sets in motion next, until nothing closes in; 1: some. */
static int strike(State *s, const Contacts *x, const int *near_)
{
    double r[NC + 1], q[NC + 1], more[NC + 1], first_fastest = 0.0;
    const double still = STILL * fastest(s);
    int struck = 0;
    memcpy(r, x->rate, sizeof r);
    for (int n = 0; n < 2000; n++) {
        double most = 0.0;
        int among[NC + 1];
        for (int k = 0; k < NC; k++)
            if (near_[k]) most = fmax(most, -r[k]);
        if (n == 0) first_fastest = most;
        if (!(most > fmax(still, 1e-9 * first_fastest))) break;
        for (int k = 0; k < NC; k++) {
            const int first = near_[k] && r[k] < -(1 - 1e-9) * most;
            among[k] = near_[k] && (first || x->restitution[k] == 0);
            q[k] = (1 + (first ? x->restitution[k] : 0.0)) * r[k];
        }
        one_sided(x->W, q, among, more);
        for (int k = 0; k < NC; k++)
            for (int j = 0; j < NC; j++) r[k] += x->W[k * NC + j] * more[j];
        push(s, x->V, more);
        struck = 1;
    }
    if (struck) {
        one_sided(x->W, r, near_, more);
        push(s, x->V, more);
    }
    return struck;
}

/* Contacts struck, closed and opened as the state says; 1 where velocities have changed. */
static int touch(State *s)
{
    Contacts x;
    double d[NE + 1], p[NC + 1], less[NC + 1];
    int near_[NC + 1], slow[NC + 1], low[NC + 1], any = 0, changed = 0;
    memcpy(d, s->d, sizeof d);
    for (int k = 0; k < NC; k++) d[NF + k] = 0.0;
    contacts(s, s->t, s->y, d, &x);
    for (int k = 0; k < NC; k++) near_[k] = s->contact[k] == PRESSING || x.gap[k] < 2 * NEAR;
    if (strike(s, &x, near_)) {
        changed = 1;
        contacts(s, s->t, s->y, d, &x);
    }
    const double still = STILL * fastest(s) + 1e-14;
    for (int k = 0; k < NC; k++) {
        const double fall = -x.second[k];
        low[k] = near_[k] && x.rate[k] > still && x.restitution[k] < 1 && fall > 0 && x.rate[k] * x.rate[k] < 2 * fall * LOW;
        any |= low[k];
        less[k] = -x.rate[k];
    }
    if (any) { /* the last of impacts that follow faster and faster */
        solve_among(x.W, less, low, p);
        push(s, x.V, p);
        changed = 1;
        contacts(s, s->t, s->y, d, &x);
    }
    for (int k = 0; k < NC; k++) slow[k] = near_[k] && x.rate[k] <= still;
    one_sided(x.W, x.second, slow, p);
    for (int k = 0; k < NC; k++) {
        s->contact[k] = p[k] > 0 ? PRESSING : near_[k] ? LEAVING : APART;
        s->level[k] = fmin(x.gap[k], 0.0);
    }
    return changed;
}

/* Whether a contact that was struck is to be looked at again. */
static int leaving_ends(const State *s)
{
    Contacts x;
    int any = 0;
    for (int k = 0; k < NC; k++) any |= s->contact[k] == LEAVING;
    if (!any) return 0;
    contacts(s, s->t, s->y, s->d, &x);
    const double still = STILL * fastest(s);
    for (int k = 0; k < NC; k++)
        if (s->contact[k] == LEAVING && (x.gap[k] >= 2 * NEAR || x.rate[k] < -still)) return 1;
    return 0;
}

/* All that happens at the present state; 1 where velocities have changed. */
static int happen(State *s)
{
    double g[NF + 1], d[NE + 1];
    int changed = 0;
    for (int n = 0; n < 50; n++) {
        int again = 0;
        pressed(s, s->t, s->y, d);
        machine_switches(s->t, s->y, s->p, d, g);
        for (int k = 0; k < NF; k++) {
            const int on = s->d[k] > 0.5, other = on ? g[k] < -NEAR / 2 : g[k] > NEAR / 2;
            if (other) s->d[k] = !on;
            again |= other;
        }
        if (NC && touch(s)) again = changed = 1;
        if (!again) break;
    }
    return changed;
}

static void begin(State *s)
{
    double g[NF + 1];
    for (int k = 0; k < NE; k++) s->d[k] = 0.0;
    for (int k = 0; k < NC; k++) s->contact[k] = APART;
    for (int n = 0; n < 4; n++) { /* a condition may stand within another */
        machine_switches(s->t, s->y, s->p, s->d, g);
        for (int k = 0; k < NF; k++) s->d[k] = g[k] > 0;
    }
    happen(s);
}

/* Brings the state to what the joints allow; 1 where it does not get there. */
static int close_joints(Instance *c)
{
    double next[NY];
    for (int n = 0; n < 60; n++) {
        double change = 0.0, size = 1.0;
        machine_project(c->now.t, c->now.y, c->now.p, c->now.d, next);
        for (int k = 0; k < NY; k++) {
            change = fmax(change, fabs(next[k] - c->now.y[k]));
            size = fmax(size, fabs(next[k]));
            if (!(fabs(next[k]) < 1e100)) return 1;
        }
        memcpy(c->now.y, next, sizeof next);
        if (change < 1e-13 * size || (n == 59 && change < 1e-9 * size)) {
            begin(&c->now);
            return 0;
        }
    }
    return 1;
}

/* -- co-simulation -- */

/* A step of Dormand and Prince 5(4), brought back to the joints; the error, of what is allowed. k[0] is given. */
static double stepped(const State *s, double step, double k[7][NY], double *y)
{
    static const double a[6][6] = {
        {1.0 / 5}, {3.0 / 40, 9.0 / 40}, {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double at[6] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
    static const double e[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    const double rtol = s->tolerance, atol = 1e-2 * rtol;
    double next[NY], error = 0.0;
    for (int r = 0; r < 6; r++) {
        for (int i = 0; i < NY; i++) {
            double sum = 0.0;
            for (int j = 0; j <= r; j++) sum += a[r][j] * k[j][i];
            next[i] = s->y[i] + step * sum;
        }
        rates_at(s, s->t + at[r] * step, next, k[r + 1]);
    }
    for (int i = 0; i < NY; i++) {
        double sum = 0.0;
        for (int j = 0; j < 7; j++) sum += e[j] * k[j][i];
        const double off = fabs(step * sum) / (atol + rtol * fmax(fabs(s->y[i]), fabs(next[i])));
        if (!(off <= error)) error = off;
    }
    machine_project(s->t + step, next, s->p, s->d, y);
    return error;
}

static int crossed(const double *before, const State *s, double t, const double *y)
{
    double z[NE + 1];
    indicators_at(s, t, y, z);
    for (int k = 0; k < NE; k++)
        if ((before[k] > 0) != (z[k] > 0)) return 1;
    return 0;
}

/* Steps chosen by the error, from event to event; 1 where it does not get on. */
static int advance(Instance *c, double end)
{
    State *s = &c->now;
    double k[7][NY], next[NY], z[NE + 1];
    const double t0 = s->t;
    double h = s->h > 0 ? s->h : (end - t0) / 16;
    long events = 0;
    for (long n = 0; s->t < end; n++) {
        const double left = end - s->t;
        int last = h >= left * (1 - 1e-12);
        double step = last ? left : h;
        if (n > 10000000L || events > 100000L || !(step > 1e-14 * fmax(fabs(s->t), end - t0))) return 1;
        rates_at(s, s->t, s->y, k[0]);
        const double error = stepped(s, step, k, next), tried = step;
        if (error <= 1.0) {
            int event = 0;
            if (NE) {
                indicators_at(s, s->t, s->y, z);
                event = crossed(z, s, s->t + step, next);
            }
            if (event) { /* the shortest step behind it */
                double low = 0.0, high = step;
                while (high - low > 1e-15 * fmax(fabs(s->t), end - t0)) {
                    const double middle = 0.5 * (low + high);
                    if (middle <= low || middle >= high) break;
                    stepped(s, middle, k, next);
                    if (crossed(z, s, s->t + middle, next)) high = middle; else low = middle;
                }
                stepped(s, high, k, next);
                last = last && high == step;
                step = high;
                events++;
            }
            memcpy(s->y, next, sizeof next);
            s->t = last ? end : s->t + step;
            if (event || (NC && leaving_ends(s))) happen(s);
        }
        const double factor = error > 0 ? 0.9 * pow(error, -0.2) : 5.0;
        const double new_h = tried * (factor > 5.0 ? 5.0 : factor > 0.2 ? factor : 0.2);
        if (!last || error > 1.0 || new_h > h) h = new_h;
    }
    s->h = h;
    return 0;
}

static int do_step(Instance *c, double t, double h)
{
    double next[NY];
    c->now.t = t;
    if (NT) { /* a driver may have been given another place */
        machine_project(t, c->now.y, c->now.p, c->now.d, next);
        memcpy(c->now.y, next, sizeof next);
    }
    if (NE) happen(&c->now);
    return advance(c, t + h);
}

/* -- variables -- */

static int get_real(Instance *c, const unsigned int *vr, size_t n, double *value)
{
    double rates[NY], outputs[NO + 1], z[NE + 1], d[NE + 1];
    int have_rates = 0, have_outputs = 0, have_z = 0;
    const State *s = &c->now;
    for (size_t k = 0; k < n; k++) {
        const unsigned int v = vr[k];
        if (v == 0) value[k] = s->t;
        else if (v < FIRST_RATE) value[k] = s->y[v - FIRST_STATE];
        else if (v < FIRST_PARAMETER) {
            if (!have_rates) rates_at(s, s->t, s->y, rates);
            have_rates = 1;
            value[k] = rates[v - FIRST_RATE];
        }
        else if (v < FIRST_OUTPUT) value[k] = s->p[v - FIRST_PARAMETER];
        else if (v < FIRST_INDICATOR) {
            if (!have_outputs) {
                pressed(s, s->t, s->y, d);
                machine_outputs(s->t, s->y, s->p, d, outputs);
            }
            have_outputs = 1;
            value[k] = outputs[v - FIRST_OUTPUT];
        }
        else if (v < END) {
            if (!have_z) indicators_at(s, s->t, s->y, z);
            have_z = 1;
            value[k] = z[v - FIRST_INDICATOR];
        }
        else return 1;
    }
    return 0;
}

static int set_real(Instance *c, const unsigned int *vr, size_t n, const double *value)
{
    for (size_t k = 0; k < n; k++) {
        const unsigned int v = vr[k];
        if (v >= FIRST_STATE && v < FIRST_RATE) c->now.y[v - FIRST_STATE] = value[k];
        else if (v >= FIRST_PARAMETER && v < FIRST_OUTPUT) {
            const int p = (int)v - FIRST_PARAMETER, clock = machine_clock[p];
            c->now.p[p] = value[k];
            if (clock >= 0) c->now.p[NP + clock] = c->now.t;
        }
        else return 1;
    }
    return 0;
}

/* How rates, outputs and states change with states, inputs and parameters. */
static int get_directional(Instance *c, const unsigned int *unknown, size_t nu, const unsigned int *known, size_t nk,
                           const double *seed, double *value)
{
    const State *s = &c->now;
    double dy[NY] = {0}, dp[NP + NT + 1] = {0}, d[NE + 1], dd[NE + 1] = {0}, rates[NY], out[NO + 1], second[NC + 1];
    int held[NC + 1], any = 0;
    for (size_t k = 0; k < nk; k++) {
        const unsigned int v = known[k];
        if (v >= FIRST_STATE && v < FIRST_RATE) dy[v - FIRST_STATE] += seed[k];
        else if (v >= FIRST_PARAMETER && v < FIRST_OUTPUT) dp[v - FIRST_PARAMETER] += seed[k];
        else return 1;
    }
    pressed(s, s->t, s->y, d);
    machine_tangent(s->t, s->y, s->p, d, dy, dp, dd, rates, out, second);
    for (int k = 0; k < NC; k++) {
        held[k] = s->contact[k] == PRESSING;
        any |= held[k];
        second[k] = -second[k];
    }
    if (any) {
        Contacts x;
        contacts(s, s->t, s->y, d, &x);
        solve_among(x.W, second, held, dd + NF);
        machine_tangent(s->t, s->y, s->p, d, dy, dp, dd, rates, out, second);
    }
    for (size_t k = 0; k < nu; k++) {
        const unsigned int v = unknown[k];
        if (v >= FIRST_STATE && v < FIRST_RATE) value[k] = dy[v - FIRST_STATE];
        else if (v >= FIRST_RATE && v < FIRST_PARAMETER) value[k] = rates[v - FIRST_RATE];
        else if (v >= FIRST_OUTPUT && v < FIRST_INDICATOR) value[k] = out[v - FIRST_OUTPUT];
        else return 1;
    }
    return 0;
}

/* -- functions that both versions of the interface have -- */

typedef void *Component;
typedef int Status; /* 0 OK, 3 error */

static Component made(const char *token)
{
    if (token && strcmp(token, TOKEN)) return NULL;
    Instance *c = malloc(sizeof *c);
    if (c) reset(c);
    return c;
}
static Status prepare(Instance *c, int tolerated, double tolerance, double start)
{
    set_start(c, start);
    if (tolerated && tolerance > 0) c->now.tolerance = fmax(tolerance, 1e-13);
    return 0;
}
EXPORT void FMI(FreeInstance)(Component c) { free(c); }
EXPORT Status FMI(ExitInitializationMode)(Component c) { return close_joints(c) ? 3 : 0; }
EXPORT Status FMI(EnterEventMode)(Component c) { (void)c; return 0; }
EXPORT Status FMI(EnterContinuousTimeMode)(Component c) { (void)c; return 0; }
EXPORT Status FMI(Terminate)(Component c) { (void)c; return 0; }
EXPORT Status FMI(Reset)(Component c) { reset(c); return 0; }
EXPORT Status FMI(SetTime)(Component c, double t) { ((Instance *)c)->now.t = t; return 0; }
EXPORT Status FMI(SetContinuousStates)(Component c, const double *x, size_t n)
{
    if (n != NY) return 3;
    memcpy(((Instance *)c)->now.y, x, n * sizeof(double));
    return 0;
}
EXPORT Status FMI(GetContinuousStates)(Component c, double *x, size_t n)
{
    if (n != NY) return 3;
    memcpy(x, ((Instance *)c)->now.y, n * sizeof(double));
    return 0;
}
EXPORT Status FMI(GetNominalsOfContinuousStates)(Component c, double *x, size_t n)
{
    (void)c;
    for (size_t k = 0; k < n; k++) x[k] = 1.0;
    return 0;
}
EXPORT Status FMI(GetEventIndicators)(Component c, double *x, size_t n)
{
    const Instance *i = c;
    double z[NE + 1];
    if (n != NE) return 3;
    indicators_at(&i->now, i->now.t, i->now.y, z);
    memcpy(x, z, n * sizeof(double));
    return 0;
}
static Status get_rates(const Instance *i, double *x, size_t n)
{
    if (n != NY) return 3;
    rates_at(&i->now, i->now.t, i->now.y, x);
    return 0;
}

/* States, as they are in memory. */
static Status save_state(Instance *c, void **state)
{
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return 3;
    memcpy(*state, &c->now, sizeof(State));
    return 0;
}
static Status restore_state(Instance *c, const void *state) { memcpy(&c->now, state, sizeof(State)); return 0; }
static Status free_state(void **state) { free(*state); *state = NULL; return 0; }
static Status state_size(size_t *n) { *n = sizeof(State); return 0; }
static Status state_to_bytes(const void *state, unsigned char *bytes, size_t n)
{
    if (n < sizeof(State)) return 3;
    memcpy(bytes, state, sizeof(State));
    return 0;
}
static Status state_from_bytes(const unsigned char *bytes, size_t n, void **state)
{
    if (n < sizeof(State)) return 3;
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return 3;
    memcpy(*state, bytes, sizeof(State));
    return 0;
}
