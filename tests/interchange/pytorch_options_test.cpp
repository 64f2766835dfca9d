// Which options the PyTorch of an export has.
#include <gtest/gtest.h>

#include <vector>

#include "core/errors.hpp"
#include "interchange/pytorch_options.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

TEST(KnownOptions, refuses_others_by_name) {
  using Options = std::vector<ChangedOption>;
  const auto complaint = [](const ChangedOption& option) {
    return message_of<ConfigError>([&] { expect_known({option}); });
  };
  EXPECT_NO_THROW(expect_known(Options{{"model", "norm", "rms_norm"},
                                       {"cross", "pattern", "[[window 2 0 top_k 1], [full]]"},
                                       {"cross", "shared_as", "[a, \"b\"]"}}));
  EXPECT_EQ(complaint({"model", "norm", "no_such_norm"}),
            "model.norm: no_such_norm: there is no PyTorch for it yet");
  EXPECT_EQ(complaint({"cross", "score", "[[dot, other]]"}),
            "cross.score: [[dot, other]]: there is no PyTorch for it yet");
  EXPECT_EQ(complaint({"model", "no_such_option", "3"}),
            "model.no_such_option: 3: there is no PyTorch for it yet");
}

}}  // namespace tapehead
