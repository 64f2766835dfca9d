"""`tapehead` on the command line, where the module was installed with the program in it."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "tapehead" / "program" / "bin" / "tapehead"


def main():
    os.execv(PROGRAM, ["tapehead", *sys.argv[1:]])
