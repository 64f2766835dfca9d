// A model under another root scope has other parameter names; all reports about its heads, parts
// and faults must be the same.
#include "core/tape/anomaly.hpp"
#include "datasets/make_task.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/removal/head_removal.hpp"
#include "lab/report/run.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/small_copy.hpp"
#include "tests/support/testing.hpp"
#include "train/gradcheck/check_config.hpp"
#include "train/model_training.hpp"
#include "train/plan/model_parts.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

constexpr std::string_view root = "somewhere.else";

// Tied tables, shared weights and gates: everything that depends on scopes.
Config config_of() {
  AttentionSettings attention;
  attention.heads.values = {2};
  attention.gates.values = {HeadGating::l0};
  Config config = SmallCopy::options(attention);
  config.model.layers = 2;
  config.model.tie_embeddings = Tying::all;
  config.model.cross.shared_as.values = {"common"};
  config.task.as<SyntheticOptions>().validation_examples = 60;
  return SmallCopy::resolved(config);
}

// Two models with the same numbers, under the usual root and under the other root.
struct Both {
  Both(const Config& config, Index vocabulary)
      : usual(config, vocabulary, vocabulary),
        moved(config, vocabulary, vocabulary, FirstWeights::zeros, root) {
    const Tensor numbers = random_tensor({usual.store.size()}, 3, -0.4, 0.4);
    for (Model* model : {&usual, &moved}) {
      std::ranges::copy(numbers.values(), model->store.values().values().begin());
    }
  }

  Model usual;
  Model moved;
};

class OtherRoot : public Test {
 protected:
  OtherRoot()
      : config_(config_of()),
        task_(make_task(config_.task, {.seed = 1})),
        split_(task_.split("validation")),
        both_(config_, vocabulary()) {}

  Index vocabulary() const { return task_.source_tokenizer->size(); }
  Batch batch() const { return pack(*split_.source, {0, 1, 2, 3}); }

  // Expects the same result of the function for both models.
  template <class Function>
  void expect_same(const Function& function) {
    EXPECT_EQ(function(both_.moved), function(both_.usual));
  }

  // The parts with their parameters, multiply-adds and bytes.
  std::string parts_text(const Model& model) const {
    auto parts = model_parts(model.transformer, model.store, mean_rows(*split_.source, 10));
    measure_activations(parts, model, config_, batch());
    std::string text;
    for (const ModelPart& part : parts) {
      text += fmt::format("{}: {} parameters, {} multiply-adds, {} bytes\n", part.name,
                          part.parameters, part.multiply_adds, part.activations);
      EXPECT_GT(part.activations, 0) << part.name;
    }
    return text;
  }

  Config config_;
  Task task_;
  const Split& split_;
  Both both_;
};

// Figures of heads, importance and pruning, as on the page and in `tapehead heads`, and sentences
// as on the page.
TEST_F(OtherRoot, has_the_same_heads_and_sentences_under_other_names) {
  for (const NamedParameter& parameter : both_.moved.store.parameters()) {
    EXPECT_TRUE(lies_in(parameter.name, root)) << parameter.name;
  }
  Workers workers(2);
  const ReportRequest request{.run = {},
                              .effort = {.watched = 20, .importance = 10'000, .pruning = 10'000}};
  const auto heads = [&](Model& model) {
    return report_heads_json(model, config_, task_, split_, request, workers);
  };
  const auto json = heads(both_.usual);
  EXPECT_EQ(json["attentions"].size(), 6U);
  EXPECT_EQ(json["importance"]["heads"].size(), 12U);
  EXPECT_EQ(json["pruning"]["steps"].size(), 12U);
  expect_same(heads);
  expect_same([&](Model& model) {
    return report_sentences(model, config_, task_, split_, {0, 5}, 100, workers);
  });
}

TEST_F(OtherRoot, loses_the_same_heads_and_has_the_same_penalty_of_gates) {
  expect_same([&](Model& model) {
    ParameterGradients gradients(model.store);
    Tape tape;
    Pass pass(tape, model.store, gradients);
    return gate_penalty(model.transformer, 0.3)(pass).value().data()[0];
  });
  const std::vector<HeadName> removed{
      {.site = {.kind = AttentionKind::decoder_self, .layer = 1}, .head = 0}};
  Config config = config_;
  config.model = options_without(config_.model, both_.moved.transformer, removed);
  expect_same([&](Model& model) {
    Model smaller(config, vocabulary(), vocabulary(), FirstWeights::zeros,
                  &model == &both_.moved ? root : "");
    keep_weights(model, removed, smaller);
    const auto values = smaller.store.values().values();
    return std::vector<Scalar>(values.begin(), values.end());
  });
}

TEST_F(OtherRoot, has_the_same_parts_in_a_plan) {
  expect_same([&](const Model& model) { return parts_text(model); });
  config_.model.tie_embeddings = Tying::none;
  const Both untied(config_, vocabulary());
  EXPECT_EQ(parts_text(untied.moved), parts_text(untied.usual));
}

// Without heads in cross-attention, the encoder has no effect on the loss.
TEST_F(OtherRoot, leaves_the_same_parameters_out_of_a_gradient_check) {
  config_.model.cross.heads.values = {0};
  config_.model.decoder_self.heads.values = {2, 0};
  Both without(config_, vocabulary());
  const auto checked = [&](Model& model) {
    const ModelGradcheckReport report = check_model(model, config_, batch(), {});
    EXPECT_TRUE(report.ok()) << report.message();
    return report.parameters.size();
  };
  const std::size_t usual = checked(without.usual);
  EXPECT_LT(usual, without.usual.store.parameters().size());
  EXPECT_EQ(checked(without.moved), usual);
}

// The reported place does not contain the other root.
TEST_F(OtherRoot, names_the_place_of_a_number_that_is_not_finite) {
  const auto place = [&](Model& model) {
    const MultiHeadAttention& attention = *model.transformer.attentions().back();
    model.store.value(attention.weights.combination.output_bias).data()[2] =
        std::numeric_limits<Scalar>::quiet_NaN();
    const AnomalyGuard guard;
    ParameterGradients gradients(model.store);
    Tape tape;
    Pass pass(tape, model.store, gradients);
    try {
      batch_loss(model.transformer, pass, batch());
    } catch (const AnomalyError& error) {
      return error.anomaly.place.to_string();
    }
    return std::string("none");
  };
  const std::string usual = place(both_.usual);
  EXPECT_EQ(usual, "shared.common.output");  // shared by both cross-attentions
  EXPECT_EQ(place(both_.moved), fmt::format("{}.{}", root, usual));
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
