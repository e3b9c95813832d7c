"""Named channels: what analyses answer with, and the files they are kept in. Knows no solver."""

from linkwright.atomic import ResultFileError
from linkwright.results.channels import Audit, Channels
from linkwright.results.files import load_result
from linkwright.results.optional import MissingPackageError
from linkwright.results.provenance import Provenance
from linkwright.results.result import Configuration, Result
from linkwright.results.stream import ResultStream

__all__ = [
    "Audit",
    "Channels",
    "Configuration",
    "MissingPackageError",
    "Provenance",
    "Result",
    "ResultFileError",
    "ResultStream",
    "load_result",
]  # fmt: skip
