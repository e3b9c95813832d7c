/* The functions of FMI 2.0. */
typedef void *Component;
typedef unsigned int Ref;
typedef int Status; /* 0 OK, 3 error */
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsChanged, valuesChanged, nextEventTimeDefined;
    double nextEventTime;
} EventInfo;
typedef struct {
    void *logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
} Callbacks;

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(Component c, int on, size_t n, const char *const *names)
{
    (void)c, (void)on, (void)n, (void)names;
    return 0;
}
EXPORT Component fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const Callbacks *calls,
                                 int visible, int logging)
{
    (void)name, (void)type, (void)resources, (void)calls, (void)visible, (void)logging;
    if (guid && strcmp(guid, TOKEN)) return NULL;
    Instance *c = malloc(sizeof *c);
    if (c) reset(c);
    return c;
}
EXPORT void fmi2FreeInstance(Component c) { free(c); }
EXPORT Status fmi2SetupExperiment(Component c, int defined, double tolerance, double start, int stop_defined, double stop)
{
    (void)stop_defined, (void)stop;
    set_start(c, start);
    if (defined && tolerance > 0) ((Instance *)c)->now.tolerance = fmax(tolerance, 1e-13);
    return 0;
}
EXPORT Status fmi2EnterInitializationMode(Component c) { (void)c; return 0; }
EXPORT Status fmi2ExitInitializationMode(Component c) { return close_joints(c) ? 3 : 0; }
EXPORT Status fmi2Terminate(Component c) { (void)c; return 0; }
EXPORT Status fmi2Reset(Component c) { reset(c); return 0; }

EXPORT Status fmi2GetReal(Component c, const Ref *vr, size_t n, double *v) { return get_real(c, vr, n, v) ? 3 : 0; }
EXPORT Status fmi2SetReal(Component c, const Ref *vr, size_t n, const double *v) { return set_real(c, vr, n, v) ? 3 : 0; }
#define NONE(name, type) \
    EXPORT Status fmi2Get##name(Component c, const Ref *r, size_t n, type *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; } \
    EXPORT Status fmi2Set##name(Component c, const Ref *r, size_t n, const type *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; }
NONE(Integer, int)
NONE(Boolean, int)
NONE(String, char *)

EXPORT Status fmi2GetFMUstate(Component c, void **state)
{
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return 3;
    memcpy(*state, &((Instance *)c)->now, sizeof(State));
    return 0;
}
EXPORT Status fmi2SetFMUstate(Component c, void *state) { memcpy(&((Instance *)c)->now, state, sizeof(State)); return 0; }
EXPORT Status fmi2FreeFMUstate(Component c, void **state) { (void)c; free(*state); *state = NULL; return 0; }
EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *n) { (void)c, (void)state; *n = sizeof(State); return 0; }
EXPORT Status fmi2SerializeFMUstate(Component c, void *state, unsigned char *bytes, size_t n)
{
    (void)c;
    if (n < sizeof(State)) return 3;
    memcpy(bytes, state, sizeof(State));
    return 0;
}
EXPORT Status fmi2DeSerializeFMUstate(Component c, const unsigned char *bytes, size_t n, void **state)
{
    (void)c;
    if (n < sizeof(State)) return 3;
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return 3;
    memcpy(*state, bytes, sizeof(State));
    return 0;
}
EXPORT Status fmi2GetDirectionalDerivative(Component c, const Ref *u, size_t nu, const Ref *k, size_t nk, const double *d, double *v)
{
    return get_directional(c, u, nu, k, nk, d, v) ? 3 : 0;
}

/* model exchange */
EXPORT Status fmi2EnterEventMode(Component c) { (void)c; return 0; }
EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info)
{
    memset(info, 0, sizeof *info);
    info->valuesChanged = happen(&((Instance *)c)->now);
    return 0;
}
EXPORT Status fmi2EnterContinuousTimeMode(Component c) { (void)c; return 0; }
EXPORT Status fmi2CompletedIntegratorStep(Component c, int prior, int *enter, int *terminate)
{
    (void)prior;
    *enter = leaving_ends(&((Instance *)c)->now);
    *terminate = 0;
    return 0;
}
EXPORT Status fmi2SetTime(Component c, double t) { ((Instance *)c)->now.t = t; return 0; }
EXPORT Status fmi2SetContinuousStates(Component c, const double *x, size_t n) { return set_states(c, x, n); }
EXPORT Status fmi2GetContinuousStates(Component c, double *x, size_t n) { return get_states(c, x, n); }
EXPORT Status fmi2GetDerivatives(Component c, double *x, size_t n) { return get_rates(c, x, n); }
EXPORT Status fmi2GetNominalsOfContinuousStates(Component c, double *x, size_t n) { (void)c; return get_nominals(x, n); }
EXPORT Status fmi2GetEventIndicators(Component c, double *x, size_t n) { return get_indicators(c, x, n); }

/* co-simulation */
EXPORT Status fmi2DoStep(Component c, double t, double h, int no_set) { (void)no_set; return do_step(c, t, h) ? 3 : 0; }
EXPORT Status fmi2CancelStep(Component c) { (void)c; return 3; }
EXPORT Status fmi2SetRealInputDerivatives(Component c, const Ref *r, size_t n, const int *o, const double *v)
{
    (void)c, (void)r, (void)o, (void)v;
    return n ? 3 : 0;
}
EXPORT Status fmi2GetRealOutputDerivatives(Component c, const Ref *r, size_t n, const int *o, double *v)
{
    (void)c, (void)r, (void)o, (void)v;
    return n ? 3 : 0;
}
#define ASKED(name, type) EXPORT Status fmi2Get##name(Component c, int kind, type *v) { (void)c, (void)kind, (void)v; return 2; }
ASKED(Status, int)
ASKED(RealStatus, double)
ASKED(IntegerStatus, int)
ASKED(BooleanStatus, int)
ASKED(StringStatus, const char *)
