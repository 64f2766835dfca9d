// Gradient checks for your own ops, layers and models. For targets linked with tapehead::double.
#pragma once

#include "core/gradcheck/gradcheck.hpp"
#include "core/gradcheck/model/model.hpp"
#include "core/gradcheck/subject.hpp"
