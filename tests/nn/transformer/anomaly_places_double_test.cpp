// Plants numbers that are not finite anywhere in a transformer's passes: the report must name the
// place.
#include "core/random/draws.hpp"
#include "core/tape/anomaly.hpp"
#include "nn/transformer/transformer.hpp"
#include "tests/support/stack_batches.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

struct WatchedModel {
  explicit WatchedModel(Family family = Family::encoder_decoder) : model(options(family)) {
    model.shake(0.2);
    if (family == Family::decoder) {  // only some rows have labels
      batch = next_token_batch({{3, 4, 5, 6, 7}, {8, 3, 4}, {}, {5, 5, 3}});
    }
  }

  static ModelOptions options(Family family) {
    ModelOptions options = of_family(tiny_options(), family);
    options.layers = 2;
    options.dropout = 0.1;
    return options;
  }

  void run(const TapeWatcher& watcher) const {
    ParameterGradients gradients(model.store);
    Tape tape;
    tape.watch(watcher);
    Pass pass(tape, model.store, gradients, 1, 1);
    tape.backward(batch_loss(model.transformer, pass, batch, {.label_smoothing = 0.1}).loss);
  }

  TinyModel model;
  Batch batch = tiny_batch();
};

// The ops of the forward pass, in order: one layer of each kind and the ops around the layers.
TEST(AnomalyPlaces, are_known_for_every_op) {
  std::vector<std::string> seen;
  WatchedModel().run([&seen](const TapeEvent& event) {
    if (event.input < 0) {
      ASSERT_NE(event.module, nullptr) << event.op;
      seen.push_back(fmt::format("{} {}", event.op, fmt::join(event.module->paths, " + ")));
    }
  });
  std::vector<std::string> expected;
  const auto add = [&](const std::string& path, const std::vector<std::string>& ops) {
    for (const std::string& op : ops) {
      expected.push_back(fmt::format(fmt::runtime(op), path));
    }
  };
  for (const std::string side : {"source", "target"}) {
    const std::string stack = side == "source" ? "encoder" : "decoder";
    add(side, {"lookup {}", "add_positions {}", "dropout {}"});
    for (const std::string layer : {".layers.0.", ".layers.1."}) {
      add(stack + layer + "self", {"layer_norm {}.norm", "linear {0}.query + {0}.key + {0}.value",
                                   "attention {}", "linear {}.output", "residual {}.output"});
      if (side == "target") {
        add(stack + layer + "cross",
            {"layer_norm {}.norm", "linear {}.query", "linear {0}.key + {0}.value", "attention {}",
             "linear {}.output", "residual {}.output"});
      }
      add(stack + layer + "feed_forward",
          {"layer_norm {}.norm", "linear {}.inner", "bias_activation {}.inner", "linear {}.outer",
           "residual {}.outer"});
    }
    add(stack, {"layer_norm {}.norm"});
  }
  add("", {"linear output", "cross_entropy loss"});
  EXPECT_THAT(seen, ElementsAreArray(expected));
}

// A planted number and its expected place, for 2 heads of 5 columns.
struct Planted {
  std::string op;
  std::string path;
  Index head = -1;
  Index input = -1;
  Index element = 0;
  double number = 0;
};

Planted plant(const TapeEvent& event, const Draws& draws, std::uint64_t number) {
  constexpr std::array<double, 3> kinds{std::numeric_limits<double>::quiet_NaN(),
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity()};
  if (event.module == nullptr) {
    throw std::logic_error(fmt::format("{} has no place", event.op));
  }
  Tensor same_memory = event.tensor;
  Planted planted{.op = event.op, .path = event.module->path(), .input = event.input};
  planted.element = draw_below(draws, 3 * number + 1, same_memory.size());
  planted.number = kinds[static_cast<std::size_t>(draw_below(draws, 3 * number + 2, 3))];
  same_memory.data()[planted.element] = planted.number;
  const std::size_t parts = event.module->paths.size();
  const bool of_heads = planted.op == "attention" ||
                        (planted.op == "linear" && (parts > 1 || planted.path.ends_with("query")));
  if (event.input < 0 && of_heads) {
    const Index column = planted.element % same_memory.dim(1);
    planted.path = event.module->paths[static_cast<std::size_t>(column / 10)];
    planted.head = column % 10 / 5;
  }
  return planted;
}

void expect_named_each_of_200_times(const WatchedModel& watched) {
  const Draws draws(5, "tests.anomaly_places", 0);
  Index events = 0;
  watched.run([&events](const TapeEvent& /*event*/) { ++events; });
  std::vector<bool> met(static_cast<std::size_t>(events));
  for (std::uint64_t attempt = 0; attempt < 200; ++attempt) {
    const Index wanted = draw_below(draws, 3 * attempt, events);
    met[static_cast<std::size_t>(wanted)] = true;
    std::optional<Planted> planted;
    Index event_number = 0;
    const AnomalyGuard guard;
    try {
      watched.run([&](const TapeEvent& event) {
        if (event_number++ == wanted) {
          planted = plant(event, draws, attempt);
        }
      });
      FAIL() << "event " << wanted << " is not reported";
    } catch (const AnomalyError& error) {
      SCOPED_TRACE(error.what());
      const Anomaly& anomaly = error.anomaly;
      ASSERT_TRUE(planted);
      EXPECT_EQ(anomaly.op, planted->op);
      EXPECT_EQ(anomaly.in_gradient, planted->input >= 0);
      EXPECT_EQ(anomaly.element, planted->element);
      EXPECT_EQ(std::isnan(anomaly.number), std::isnan(planted->number));
      EXPECT_EQ(anomaly.count, 1);
      if (planted->input < 0) {
        EXPECT_EQ(anomaly.place.path, planted->path);
        EXPECT_EQ(anomaly.place.head, planted->head);
      } else {  // parts of a fused parameter are not told apart
        const std::string layer = planted->path.substr(0, planted->path.rfind('.'));
        EXPECT_THAT(anomaly.place.path, StartsWith(layer));
      }
    }
  }
  EXPECT_GT(std::ranges::count(met, true), std::min<Index>(100, events / 2))
      << "the tries are spread over the passes";
}

TEST(AnomalyPlaces, are_named_each_of_200_times) {
  expect_named_each_of_200_times(WatchedModel());
  expect_named_each_of_200_times(WatchedModel(Family::decoder));
}

TEST(AnomalyPlaces, tell_the_ranges_of_inputs) {
  const AnomalyGuard guard;
  Index linears = 0;
  try {
    WatchedModel().run([&linears](const TapeEvent& event) {
      if (event.input < 0 && std::string(event.op) == "linear" && ++linears == 2) {
        Tensor same_memory = event.tensor;
        same_memory.data()[7] = std::numeric_limits<Scalar>::infinity();
      }
    });
    FAIL() << "nothing is reported";
  } catch (const AnomalyError& error) {
    ASSERT_EQ(error.anomaly.ranges.size(), 2U);
    EXPECT_EQ(error.anomaly.ranges[1].what, "input 1");
    EXPECT_EQ(error.anomaly.ranges[1].shape, (Shape{6, 10}));  // an output weight (D, H d)
    EXPECT_LT(error.anomaly.ranges[1].least, 0);
    EXPECT_GT(error.anomaly.ranges[1].most, 0);
    EXPECT_EQ(error.anomaly.ranges[1].not_finite, 0);
    EXPECT_THAT(error.what(), StartsWith("linear in encoder.layers.0.self.output: the value is inf "
                                         "at [1, 1] of (15, 6)"));
  }
}

TEST(AnomalyGuardTest, ends_with_its_life) {
  const bool before = std::exchange(checks().finite, false);
  {
    const AnomalyGuard guard;
    EXPECT_TRUE(checks().finite);
  }
  EXPECT_FALSE(checks().finite);
  checks().finite = before;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
