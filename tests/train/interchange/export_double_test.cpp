// The cases in double precision.
#include "tests/train/interchange/export_cases.hpp"
