// The cases in double precision.
#include "tests/train/interchange/import_cases.hpp"
