"""`python -m hitogata.cli`."""

import sys

from hitogata.cli import main

sys.exit(main())
