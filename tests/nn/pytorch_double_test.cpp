#include "tests/nn/pytorch_cases.hpp"
#include "tests/nn/pytorch_cross_entropy_cases.hpp"
#include "tests/nn/pytorch_layer_cases.hpp"
#include "tests/nn/pytorch_variant_cases.hpp"
