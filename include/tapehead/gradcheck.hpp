// Gradient checks for ops, layers and models of your own. For targets linked with tapehead::double.
#pragma once

#include "core/gradcheck/gradcheck.hpp"
#include "core/gradcheck/model/model.hpp"
#include "core/gradcheck/random_input.hpp"
