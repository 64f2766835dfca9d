// The cases in double precision.
#include "tests/interchange/export_cases.hpp"
