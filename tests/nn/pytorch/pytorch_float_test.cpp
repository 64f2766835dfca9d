#include "tests/nn/pytorch/cases.hpp"
#include "tests/nn/pytorch/layer_cases.hpp"
