"""Exit codes, for scripts."""

from __future__ import annotations

from linkwright.errors import AssemblyError, IntegrationError, LinkwrightError, ModelError, SingularityError

OK, USAGE, MODEL, ASSEMBLY, SINGULARITY, INTEGRATION, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

MEANING = {
    OK: "all is well",
    USAGE: "wrong use: unknown word, missing file or package, something not available",
    MODEL: "the model is wrong (or check objects to it)",
    ASSEMBLY: "the machine cannot be assembled",
    SINGULARITY: "lock-up or bifurcation; what was computed until then is kept",
    INTEGRATION: "a simulation could not go on; what was computed until then is kept",
    INTERNAL: "a fault of Linkwright itself",
    INTERRUPTED: "interrupted (Ctrl-C); what was computed until then is kept",
}


class UsageError(LinkwrightError):
    """The command was used wrongly, or asks for what this version has not."""


def code_of(error: LinkwrightError) -> int:
    for kind, code in (
        (AssemblyError, ASSEMBLY), (SingularityError, SINGULARITY), (IntegrationError, INTEGRATION), (ModelError, MODEL),
    ):  # fmt: skip
        if isinstance(error, kind):
            return code
    return USAGE
