#include "tests/train/pytorch_optimizer_cases.hpp"
