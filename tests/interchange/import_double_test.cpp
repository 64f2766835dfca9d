// The cases in double precision.
#include "tests/interchange/import_cases.hpp"
