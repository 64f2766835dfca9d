// The cases in float precision.
#include "tests/interchange/import_cases.hpp"
