// Common includes of tests: GoogleTest and GoogleMock (whose names need no testing:: here), fmt,
// and the standard headers that most tests use.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numbers>
#include <ostream>
#include <sstream>

#include <fmt/ranges.h>

#include "core/prelude.hpp"

namespace tapehead {

using namespace ::testing;

}  // namespace tapehead
