#include "tests/nn/pytorch_cases.hpp"
