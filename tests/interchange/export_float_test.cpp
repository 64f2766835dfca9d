// The cases in float precision.
#include "tests/interchange/export_cases.hpp"
