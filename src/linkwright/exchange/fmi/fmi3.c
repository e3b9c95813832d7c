/* The functions of FMI 3.0. */
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t Ref;

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
EXPORT Status fmi3SetDebugLogging(Component c, bool on, size_t n, const char *const *names)
{
    (void)c, (void)on, (void)n, (void)names;
    return 0;
}
EXPORT Component fmi3InstantiateModelExchange(const char *name, const char *token, const char *path, bool visible, bool logging,
                                              void *environment, void *logger)
{
    (void)name, (void)path, (void)visible, (void)logging, (void)environment, (void)logger;
    return made(token);
}
EXPORT Component fmi3InstantiateCoSimulation(const char *name, const char *token, const char *path, bool visible, bool logging,
                                             bool events, bool early, const Ref *required, size_t n, void *environment,
                                             void *logger, void *intermediate)
{
    (void)name, (void)path, (void)visible, (void)logging, (void)events, (void)early, (void)required, (void)n;
    (void)environment, (void)logger, (void)intermediate;
    return made(token);
}
EXPORT Component fmi3InstantiateScheduledExecution(void) { return NULL; }
EXPORT Status fmi3EnterInitializationMode(Component c, bool defined, double tolerance, double start, bool stop_defined, double stop)
{
    (void)stop_defined, (void)stop;
    return prepare(c, defined, tolerance, start);
}

EXPORT Status fmi3GetFloat64(Component c, const Ref *vr, size_t n, double *v, size_t nv)
{
    return n != nv || get_real(c, vr, n, v) ? 3 : 0;
}
EXPORT Status fmi3SetFloat64(Component c, const Ref *vr, size_t n, const double *v, size_t nv)
{
    return n != nv || set_real(c, vr, n, v) ? 3 : 0;
}
#define NONE(name, type) \
    EXPORT Status fmi3Get##name(Component c, const Ref *r, size_t n, type *v, size_t nv) { (void)c, (void)r, (void)v, (void)nv; return n ? 3 : 0; } \
    EXPORT Status fmi3Set##name(Component c, const Ref *r, size_t n, const type *v, size_t nv) { (void)c, (void)r, (void)v, (void)nv; return n ? 3 : 0; }
NONE(Float32, float)
NONE(Int8, int8_t)
NONE(UInt8, uint8_t)
NONE(Int16, int16_t)
NONE(UInt16, uint16_t)
NONE(Int32, int32_t)
NONE(UInt32, uint32_t)
NONE(Int64, int64_t)
NONE(UInt64, uint64_t)
NONE(Boolean, bool)
NONE(String, char *)
EXPORT Status fmi3GetBinary(Component c, const Ref *r, size_t n, size_t *s, const uint8_t **v, size_t nv)
{
    (void)c, (void)r, (void)s, (void)v, (void)nv;
    return n ? 3 : 0;
}
EXPORT Status fmi3SetBinary(Component c, const Ref *r, size_t n, const size_t *s, const uint8_t *const *v, size_t nv)
{
    (void)c, (void)r, (void)s, (void)v, (void)nv;
    return n ? 3 : 0;
}
EXPORT Status fmi3GetClock(Component c, const Ref *r, size_t n, bool *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; }
EXPORT Status fmi3SetClock(Component c, const Ref *r, size_t n, const bool *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; }
EXPORT Status fmi3GetDirectionalDerivative(Component c, const Ref *u, size_t nu, const Ref *k, size_t nk, const double *d,
                                           size_t nd, double *v, size_t nv)
{
    return nd != nk || nv != nu || get_directional(c, u, nu, k, nk, d, v) ? 3 : 0;
}
#define MISSING(name) EXPORT Status fmi3##name(Component c) { (void)c; return 3; }
MISSING(GetNumberOfVariableDependencies)
MISSING(GetVariableDependencies)
MISSING(GetAdjointDerivative)
MISSING(EnterConfigurationMode)
MISSING(ExitConfigurationMode)
MISSING(GetIntervalDecimal)
MISSING(GetIntervalFraction)
MISSING(GetShiftDecimal)
MISSING(GetShiftFraction)
MISSING(SetIntervalDecimal)
MISSING(SetIntervalFraction)
MISSING(SetShiftDecimal)
MISSING(SetShiftFraction)
MISSING(GetOutputDerivatives)
MISSING(ActivateModelPartition)
EXPORT Status fmi3EvaluateDiscreteStates(Component c) { (void)c; return 0; }
EXPORT Status fmi3EnterStepMode(Component c) { (void)c; return 0; }

EXPORT Status fmi3GetFMUState(Component c, void **state) { return save_state(c, state); }
EXPORT Status fmi3SetFMUState(Component c, void *state) { return restore_state(c, state); }
EXPORT Status fmi3FreeFMUState(Component c, void **state) { (void)c; return free_state(state); }
EXPORT Status fmi3SerializedFMUStateSize(Component c, void *state, size_t *n) { (void)c, (void)state; return state_size(n); }
EXPORT Status fmi3SerializeFMUState(Component c, void *state, uint8_t *bytes, size_t n) { (void)c; return state_to_bytes(state, bytes, n); }
EXPORT Status fmi3DeserializeFMUState(Component c, const uint8_t *bytes, size_t n, void **state)
{
    (void)c;
    return state_from_bytes(bytes, n, state);
}

/* model exchange */
EXPORT Status fmi3UpdateDiscreteStates(Component c, bool *needed, bool *terminate, bool *nominals, bool *values, bool *defined, double *t)
{
    *needed = *terminate = *nominals = *defined = false;
    *values = happen(&((Instance *)c)->now);
    *t = 0.0;
    return 0;
}
EXPORT Status fmi3CompletedIntegratorStep(Component c, bool prior, bool *enter, bool *terminate)
{
    (void)prior;
    *enter = leaving_ends(&((Instance *)c)->now);
    *terminate = false;
    return 0;
}
EXPORT Status fmi3GetContinuousStateDerivatives(Component c, double *x, size_t n) { return get_rates(c, x, n); }
EXPORT Status fmi3GetNumberOfEventIndicators(Component c, size_t *n) { (void)c; *n = NE; return 0; }
EXPORT Status fmi3GetNumberOfContinuousStates(Component c, size_t *n) { (void)c; *n = NY; return 0; }

/* co-simulation */
EXPORT Status fmi3DoStep(Component c, double t, double h, bool no_set, bool *event, bool *terminate, bool *early, double *last)
{
    (void)no_set;
    *event = *terminate = *early = false;
    const int wrong = do_step(c, t, h);
    *last = ((Instance *)c)->now.t;
    return wrong ? 3 : 0;
}
