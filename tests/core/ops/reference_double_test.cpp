#include "tests/core/ops/reference_cases.hpp"
