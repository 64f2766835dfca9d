// The schedules over a whole run compared with PyTorch. Fixture: scripts/make_pytorch_fixtures.py.
#include "core/files/tensor_file.hpp"
#include "tests/support/testing.hpp"
#include "train/step/training_position.hpp"

namespace tapehead { namespace {

class PytorchSchedule : public TestWithParam<std::tuple<ScheduleKind, Index>> {};

std::string name_of(ScheduleKind kind) {
  return std::string(EnumNames<ScheduleKind>::names[static_cast<std::size_t>(kind)]);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PytorchSchedule,
                         testing::Combine(Values(ScheduleKind::constant, ScheduleKind::linear,
                                                 ScheduleKind::cosine, ScheduleKind::inverse_sqrt,
                                                 ScheduleKind::noam),
                                          Values(0, 5)),
                         [](const auto& test) {
                           return name_of(std::get<0>(test.param)) +
                                  (std::get<1>(test.param) == 0 ? "_cold" : "_warm");
                         });

TEST_P(PytorchSchedule, has_the_same_rates) {
  const auto [kind, warmup] = GetParam();
  constexpr Index run = 20;  // the numbers in the script
  constexpr Index d_model = 12;
  TrainingOptions options;
  options.learning_rate = 0.7;
  options.schedule = kind;
  options.warmup = warmup;

  const TensorFile file(TAPEHEAD_FIXTURES "/pytorch/schedules.safetensors", Trust::any);
  std::vector<double> rates(run);
  copy_values(file.entry(name_of(kind) + (warmup == 0 ? ".cold" : ".warm")), rates);
  for (Index step = 1; step <= run; ++step) {
    const double expected = rates[static_cast<std::size_t>(step - 1)];
    EXPECT_NEAR(learning_rate_at(options, d_model, step, run), expected, 1e-12 * expected)
        << "step " << step;
  }
}

}}  // namespace tapehead
