// Differences between ranks that would change the numbers are named before training starts.
#include "train/loop/run_sink.hpp"

#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

Config config_of_copy() {
  Config config;
  auto& symbols = config.task.as<SyntheticOptions>();
  symbols.train_examples = 30;
  symbols.validation_examples = 6;
  symbols.test_examples = 6;
  config.model.d_model = 8;
  config.model.heads = 2;
  return config;
}

// The error that all three ranks throw after `change` was applied on rank 1.
template <class Change>
std::string disagreement(const Change& change) {
  std::string message = "none";
  const auto agree = [&](Ranks& ranks) {
    Config config = config_of_copy();
    BlasInfo blas{.version = "", .kernels = "SkylakeX"};
    if (ranks.rank() == 1) {
      change(config, blas);
    }
    resolve(config);
    const Task task = make_task(config.task, {.seed = config.seed});
    expect_same_training(ranks, config, task, blas);
  };
  try {
    run_ranks(3, agree);
  } catch (const RankError& error) {
    message = error.what();
  }
  return message;
}

TEST(RankAgreement, is_quiet_about_equals) {
  EXPECT_EQ(disagreement([](Config&, BlasInfo&) {}), "none");
}

TEST(RankAgreement, names_the_kernels) {
  EXPECT_THAT(disagreement([](Config&, BlasInfo& blas) { blas.kernels = "Haswell"; }),
              StartsWith("rank 1 has another set of kernels of OpenBLAS than rank 0 (Haswell, not "
                         "SkylakeX)"));
}

TEST(RankAgreement, names_the_option) {
  EXPECT_THAT(
      disagreement([](Config& config, BlasInfo&) { config.model.d_model = 16; }),
      StartsWith("rank 1 has another config than rank 0: '  d_model: 16', not '  d_model: 8'"));
}

TEST(RankAgreement, names_the_data) {
  const auto other_data = [](Config& config, BlasInfo&) {
    config.task.as<SyntheticOptions>().train_examples = 31;
  };
  EXPECT_THAT(disagreement(other_data), HasSubstr("train_examples: 31"));
}

}}  // namespace tapehead
