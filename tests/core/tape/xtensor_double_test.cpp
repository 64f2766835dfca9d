#include "tests/core/tape/xtensor_cases.hpp"
