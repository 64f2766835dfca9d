// Turns the checks on in every test program: fresh memory is NaN, and an op may not produce a value
// that is not finite.
#include "core/memory/pool.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class ChecksOn : public testing::Environment {
 public:
  void SetUp() override { checks() = {.poison = true, .finite = true}; }
};

// GoogleTest owns the environment.
[[maybe_unused]] const testing::Environment* const checks_on =
    testing::AddGlobalTestEnvironment(new ChecksOn);

}}  // namespace tapehead
