// Every test program runs with the checks on: fresh memory is NaN, and no op may make a value that
// is not finite.
#include "core/memory/pool.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class ChecksOn : public Environment {
 public:
  void SetUp() override { checks() = {.poison = true, .finite = true}; }
};

// GoogleTest owns it.
[[maybe_unused]] const Environment* const checks_on = AddGlobalTestEnvironment(new ChecksOn);

}}  // namespace tapehead
