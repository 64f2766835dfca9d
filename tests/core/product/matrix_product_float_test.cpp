#include "tests/core/product/matrix_product_cases.hpp"
