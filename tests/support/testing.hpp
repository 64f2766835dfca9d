// What tests are written with: GoogleTest and GoogleMock, whose names need no testing:: here, fmt,
// and what nearly every test takes from the standard library.
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
