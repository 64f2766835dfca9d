"""`python3 -m tapehead`: the command `show` is of this package, all others are the program's."""

import os
import sys

from .launch import program
from .show import main

if sys.argv[1:2] == ["show"]:
    main(sys.argv[2:])
else:
    os.execv(program(), ["tapehead", *sys.argv[1:]])
