"""Settings of the documentation. `make docs` builds it; warnings are errors."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import linkwright  # noqa: E402

project = "Linkwright"
version = release = linkwright.__version__
extensions = ["myst_parser", "mathml", "living_sphinx"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
exclude_patterns = ["_build", "_ext"]

html_theme = "furo"
html_title = "Linkwright"
html_static_path = ["_static"]
html_css_files = ["machine.css"]
html_show_sourcelink = False
html_show_copyright = False
html_copy_source = False
add_module_names = False
toc_object_entries = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
