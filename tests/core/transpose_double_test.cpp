#include "tests/core/transpose_cases.hpp"
