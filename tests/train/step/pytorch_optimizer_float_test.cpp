#include "tests/train/step/pytorch_optimizer_cases.hpp"
