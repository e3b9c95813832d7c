/* An instance of the machine, whatever version of the interface asks for it: its state lives in it, nowhere else. */
#include <stdlib.h>
#include <string.h>

#if defined _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { FIRST_STATE = 1, FIRST_RATE = FIRST_STATE + NY, FIRST_PARAMETER = FIRST_RATE + NY, FIRST_OUTPUT = FIRST_PARAMETER + NP,
       END = FIRST_OUTPUT + NO };

typedef struct {
    double t, h, tolerance, y[NY], p[NP + 1];
} State;

typedef struct {
    State now;
} Instance;

static void reset(Instance *c)
{
    memset(c, 0, sizeof *c);
    c->now.tolerance = 1e-8;
    memcpy(c->now.y, machine_start, sizeof machine_start);
    memcpy(c->now.p, machine_parameters, NP * sizeof(double));
}

/* Brings the state to what the joints allow; 1 where it does not get there. */
static int close_joints(Instance *c)
{
    double next[NY];
    for (int n = 0; n < 60; n++) {
        double change = 0.0, size = 1.0;
        machine_project(c->now.t, c->now.y, c->now.p, next);
        for (int k = 0; k < NY; k++) {
            change = fmax(change, fabs(next[k] - c->now.y[k]));
            size = fmax(size, fabs(next[k]));
            if (!(fabs(next[k]) < 1e100)) return 1;
        }
        memcpy(c->now.y, next, sizeof next);
        if (change < 1e-13 * size) return 0;
        if (n == 59 && change < 1e-9 * size) return 0;
    }
    return 1;
}

/* Dormand and Prince 5(4), steps chosen by the error, each one brought back to the joints; 1 where it does not get on. */
static int advance(Instance *c, double end)
{
    static const double a[6][6] = {
        {1.0 / 5}, {3.0 / 40, 9.0 / 40}, {44.0 / 45, -56.0 / 15, 32.0 / 9},
        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
        {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static const double at[6] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
    static const double e[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    double k[7][NY], next[NY];
    const double rtol = c->now.tolerance, atol = 1e-2 * rtol, t0 = c->now.t;
    double h = c->now.h > 0 ? c->now.h : (end - t0) / 16;
    for (long n = 0; c->now.t < end; n++) {
        const double t = c->now.t, left = end - t;
        const int last = h >= left * (1 - 1e-12);
        const double step = last ? left : h;
        double error = 0.0;
        if (n > 10000000L || !(step > 1e-14 * fmax(fabs(t), end - t0))) return 1;
        machine_rates(t, c->now.y, c->now.p, k[0]);
        for (int s = 0; s < 6; s++) {
            for (int i = 0; i < NY; i++) {
                double sum = 0.0;
                for (int j = 0; j <= s; j++) sum += a[s][j] * k[j][i];
                next[i] = c->now.y[i] + step * sum;
            }
            machine_rates(t + at[s] * step, next, c->now.p, k[s + 1]);
        }
        for (int i = 0; i < NY; i++) {
            double sum = 0.0;
            for (int j = 0; j < 7; j++) sum += e[j] * k[j][i];
            const double off = fabs(step * sum) / (atol + rtol * fmax(fabs(c->now.y[i]), fabs(next[i])));
            if (!(off <= error)) error = off;
        }
        if (error <= 1.0) {
            machine_project(last ? end : t + step, next, c->now.p, c->now.y);
            c->now.t = last ? end : t + step;
        }
        const double factor = error > 0 ? 0.9 * pow(error, -0.2) : 5.0;
        const double new_h = step * (factor > 5.0 ? 5.0 : factor > 0.2 ? factor : 0.2);
        if (!last || error > 1.0 || new_h > h) h = new_h;
    }
    c->now.h = h;
    return 0;
}

static int get_real(Instance *c, const unsigned int *vr, size_t n, double *value)
{
    double rates[NY], outputs[NO + 1];
    int have_rates = 0, have_outputs = 0;
    for (size_t k = 0; k < n; k++) {
        const unsigned int v = vr[k];
        if (v == 0) value[k] = c->now.t;
        else if (v < FIRST_RATE) value[k] = c->now.y[v - FIRST_STATE];
        else if (v < FIRST_PARAMETER) {
            if (!have_rates) machine_rates(c->now.t, c->now.y, c->now.p, rates);
            have_rates = 1;
            value[k] = rates[v - FIRST_RATE];
        }
        else if (v < FIRST_OUTPUT) value[k] = c->now.p[v - FIRST_PARAMETER];
        else if (v < END) {
            if (!have_outputs) machine_outputs(c->now.t, c->now.y, c->now.p, outputs);
            have_outputs = 1;
            value[k] = outputs[v - FIRST_OUTPUT];
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
        else if (v >= FIRST_PARAMETER && v < FIRST_OUTPUT) c->now.p[v - FIRST_PARAMETER] = value[k];
        else return 1;
    }
    return 0;
}

/* continuous states, alike in both versions; 3 is an error there */
static int set_states(Instance *i, const double *x, size_t n)
{
    if (n != NY) return 3;
    memcpy(i->now.y, x, n * sizeof(double));
    return 0;
}
static int get_states(const Instance *i, double *x, size_t n)
{
    if (n != NY) return 3;
    memcpy(x, i->now.y, n * sizeof(double));
    return 0;
}
static int get_rates(const Instance *i, double *x, size_t n)
{
    if (n != NY) return 3;
    machine_rates(i->now.t, i->now.y, i->now.p, x);
    return 0;
}
static int get_nominals(double *x, size_t n)
{
    for (size_t k = 0; k < n; k++) x[k] = 1.0;
    return 0;
}
