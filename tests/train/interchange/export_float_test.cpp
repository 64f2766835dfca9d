// The cases in float precision.
#include "tests/train/interchange/export_cases.hpp"
