"""python -m linkwright.cli"""

import sys

from linkwright.cli.main import main

sys.exit(main())
