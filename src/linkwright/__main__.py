"""``python -m linkwright``: the command line, where the script is not on the path."""

import sys

from linkwright.cli import main

sys.exit(main())
