// Differences between ranks that would change the numbers are named before training starts.
#include "train/loop/run_sink.hpp"

#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/thread_ranks.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

// Each of three ranks throws the error about rank 1, where something was changed.
TEST(RankAgreement, names_what_differs) {
  using Change = std::function<void(Config&, SyntheticOptions&, BlasInfo&)>;
  const std::vector<std::pair<Change, Matcher<std::string>>> cases{
      {[](Config&, SyntheticOptions&, BlasInfo&) {}, Eq("no error")},
      {[](Config&, SyntheticOptions&, BlasInfo& blas) { blas.kernels = "Haswell"; },
       StartsWith(
           "rank 1 has another set of kernels of OpenBLAS than rank 0 (Haswell, not SkylakeX)")},
      {[](Config& config, SyntheticOptions&, BlasInfo&) { config.model.d_model = 16; },
       StartsWith("rank 1 has another config than rank 0: '  d_model: 16', not '  d_model: 8'")},
      {[](Config&, SyntheticOptions& data, BlasInfo&) { data.train_examples = 31; },
       HasSubstr("train_examples: 31")}};
  for (const auto& [change, said] : cases) {
    const auto agree = [&](Ranks& ranks) {
      Config config;
      config.model.d_model = 8;
      config.model.heads = 2;
      auto& symbols = config.task.as<SyntheticOptions>();
      symbols.train_examples = 30;
      symbols.validation_examples = symbols.test_examples = 6;
      BlasInfo blas{.version = "", .kernels = "SkylakeX"};
      if (ranks.rank() == 1) {
        change(config, symbols, blas);
      }
      resolve(config);
      const Task task = make_task(config.task, {.seed = config.seed});
      RunSink({}, ranks).open(config, task, blas);
    };
    EXPECT_THAT(message_of<RankError>([&] { run_ranks(3, agree); }), said);
  }
}

}}  // namespace tapehead
