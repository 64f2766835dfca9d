// The cases in float precision.
#include "tests/train/interchange/import_cases.hpp"
