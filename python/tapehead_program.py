"""`tapehead` on the command line, where the module was installed with the program in it."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "tapehead" / "program" / "bin" / "tapehead"


def main():
    if sys.argv[1:2] == ["show"]:
        from tapehead.show import main as show  # only here, because all else starts at once without numpy
        show(sys.argv[2:])
    else:
        os.execv(PROGRAM, ["tapehead", *sys.argv[1:]])
