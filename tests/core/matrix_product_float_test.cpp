#include "tests/core/matrix_product_cases.hpp"
