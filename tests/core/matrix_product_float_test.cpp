#include "tests/core/matrix_product_cases.hpp"  // with TAPEHEAD_PRECISION float
