/* The functions of FMI 2.0. */
typedef unsigned int Ref;
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
    return made(guid);
}
EXPORT Status fmi2SetupExperiment(Component c, int defined, double tolerance, double start, int stop_defined, double stop)
{
    (void)stop_defined, (void)stop;
    return prepare(c, defined, tolerance, start);
}
EXPORT Status fmi2EnterInitializationMode(Component c) { (void)c; return 0; }

EXPORT Status fmi2GetReal(Component c, const Ref *vr, size_t n, double *v) { return get_real(c, vr, n, v) ? 3 : 0; }
EXPORT Status fmi2SetReal(Component c, const Ref *vr, size_t n, const double *v) { return set_real(c, vr, n, v) ? 3 : 0; }
#define NONE(name, type) \
    EXPORT Status fmi2Get##name(Component c, const Ref *r, size_t n, type *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; } \
    EXPORT Status fmi2Set##name(Component c, const Ref *r, size_t n, const type *v) { (void)c, (void)r, (void)v; return n ? 3 : 0; }
NONE(Integer, int)
NONE(Boolean, int)
NONE(String, char *)

EXPORT Status fmi2GetFMUstate(Component c, void **state) { return save_state(c, state); }
EXPORT Status fmi2SetFMUstate(Component c, void *state) { return restore_state(c, state); }
EXPORT Status fmi2FreeFMUstate(Component c, void **state) { (void)c; return free_state(state); }
EXPORT Status fmi2SerializedFMUstateSize(Component c, void *state, size_t *n) { (void)c, (void)state; return state_size(n); }
EXPORT Status fmi2SerializeFMUstate(Component c, void *state, unsigned char *bytes, size_t n) { (void)c; return state_to_bytes(state, bytes, n); }
EXPORT Status fmi2DeSerializeFMUstate(Component c, const unsigned char *bytes, size_t n, void **state)
{
    (void)c;
    return state_from_bytes(bytes, n, state);
}
EXPORT Status fmi2GetDirectionalDerivative(Component c, const Ref *u, size_t nu, const Ref *k, size_t nk, const double *d, double *v)
{
    return get_directional(c, u, nu, k, nk, d, v) ? 3 : 0;
}

/* model exchange */
EXPORT Status fmi2NewDiscreteStates(Component c, EventInfo *info)
{
    memset(info, 0, sizeof *info);
    info->valuesChanged = happen(&((Instance *)c)->now);
    return 0;
}
EXPORT Status fmi2CompletedIntegratorStep(Component c, int prior, int *enter, int *terminate)
{
    (void)prior;
    *enter = leaving_ends(&((Instance *)c)->now);
    *terminate = 0;
    return 0;
}
EXPORT Status fmi2GetDerivatives(Component c, double *x, size_t n) { return get_rates(c, x, n); }

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
