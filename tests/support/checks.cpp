// Every test program runs with the checks on: fresh memory is NaN, and no op may make a value that
// is not finite.
#include <gtest/gtest.h>

#include "core/memory/pool.hpp"

namespace tapehead { namespace {

class ChecksOn : public ::testing::Environment {
 public:
  void SetUp() override { checks() = {.poison = true, .finite = true}; }
};

// GoogleTest owns it.
[[maybe_unused]] const ::testing::Environment* const checks_on =
    ::testing::AddGlobalTestEnvironment(new ChecksOn);

}}  // namespace tapehead
