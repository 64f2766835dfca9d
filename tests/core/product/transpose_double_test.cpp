#include "tests/core/product/transpose_cases.hpp"
