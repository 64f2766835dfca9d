// Evaluations spread over ranks (threads here) are bit-identical to those of one process.
#include <nlohmann/json.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/random_tensor.hpp"
#include "tests/support/testing.hpp"
#include "tests/support/text_training.hpp"
#include "tests/support/thread_ranks.hpp"
#include "train/config/config.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/evaluation/evaluation_report.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// A model with random weights, so that different sources give different outputs.
struct RandomModel {
  explicit RandomModel(const std::string& yaml, const std::vector<std::string>& overrides = {})
      : config(parse_config(yaml, "c.yaml", overrides).config),
        task(make_task(config, config.task)),
        split(task.split("validation")),
        model(config, task.source_tokenizer->size(), task.target_tokenizer->size()) {
    const Tensor noise = random_tensor({model.store.size()}, 3, -0.5, 0.5);
    std::ranges::transform(model.store.values().values(), noise.values(),
                           model.store.values().values().begin(), std::plus<>());
  }

  Evaluation evaluate_on(Workers& workers, Ranks& ranks = alone()) const {
    return evaluate(model, task, split, config.evaluation, split.outputs(), {workers, ranks});
  }

  Config config;
  Task task;
  const Split& split;
  Model model;
};

RandomModel translation() {
  return RandomModel(
      "task: {name: copy, vocabulary: 9, max_length: 8, train_examples: 20,"
      " validation_examples: 40, test_examples: 5}\n"
      "model: {d_model: 8, heads: 2, d_head: 4, d_ff: 12, layers: 1, max_positions: 32}\n"
      "evaluation: {beam: 3, batch_tokens: 60, max_extra_length: 4}\n");
}

RandomModel classifier() { return RandomModel(labelled_config(), {"evaluation.batch_tokens=16"}); }

std::string json_without_time(const Evaluation& evaluation) {
  auto json = evaluation_json(evaluation);
  json.erase("seconds");
  return json.dump();  // numbers with all digits
}

void expect_same(const Evaluation& one, const Evaluation& other) {
  EXPECT_EQ(json_without_time(one), json_without_time(other));
  EXPECT_EQ(one.metrics, other.metrics);
  EXPECT_EQ(one.outputs, other.outputs);
  EXPECT_EQ(one.right, other.right);
}

// Returns the evaluation of one worker.
Evaluation expect_bits_of_one_worker(const RandomModel& subject) {
  Workers one(1);
  Evaluation expected = subject.evaluate_on(one);
  for (const Index count : {2, 3, 4}) {
    for (const Index threads : {1, 2}) {
      SCOPED_TRACE(fmt::format("{} ranks of {} threads", count, threads));
      const std::size_t bytes = run_ranks(count, [&](Ranks& ranks) {
        Workers workers(threads);
        expect_same(subject.evaluate_on(workers, ranks), expected);
      });
      EXPECT_GT(bytes, 0U);
    }
  }
  return expected;
}

TEST(RankEvaluation, has_the_bits_of_one_worker) {
  RandomModel subject = translation();
  const std::vector<std::string> outputs = expect_bits_of_one_worker(subject).outputs;
  EXPECT_GT(std::set<std::string>(outputs.begin(), outputs.end()).size(), 10U)
      << "so outputs that change places are noticed";
  subject.config.evaluation.batch_tokens = 100'000;  // one batch holds all labels
  expect_bits_of_one_worker(subject);
  const RandomModel language_model(
      text_config(TAPEHEAD_FIXTURES "/text/train.en"),
      {"evaluation.batch_tokens=100", "task.context=40", "model.max_positions=40"});
  EXPECT_THAT(expect_bits_of_one_worker(language_model).loss_by_position.ranges(), SizeIs(32));
  EXPECT_FALSE(expect_bits_of_one_worker(classifier()).confusion.is_null());
}

// Batches depend on the number of threads, which differs by rank.
template <class Compute>
void expect_same_texts(const Compute& compute) {
  Workers one(1);
  const std::vector<std::string> expected = compute(one, alone());
  EXPECT_THAT(expected, Not(IsEmpty()));
  run_ranks(3, [&](Ranks& ranks) {
    Workers workers(ranks.rank() + 1);
    EXPECT_EQ(compute(workers, ranks), expected);
  });
}

TEST(RankEvaluation, hypotheses_and_labels_have_the_scores_of_one_worker) {
  const RandomModel subject = translation();
  const DecodingOptions options{.beam = 3, .max_extra_length = 4, .best = 3};
  expect_same_texts([&](Workers& workers, Ranks& ranks) {
    std::vector<std::string> texts;
    const Outputs outputs = decode_examples(subject.model.transformer, subject.model.store,
                                            *subject.split.source, 1000, options, {workers, ranks});
    for (const auto& hypotheses : outputs) {
      for (const auto& [tokens, log_probability, score, ended] : hypotheses) {
        texts.push_back(fmt::format("{} {} {} {}", tokens, log_probability, score, ended));
      }
      texts.emplace_back("next example");
    }
    return texts;
  });
  const RandomModel classes = classifier();
  expect_same_texts([&](Workers& workers, Ranks& ranks) {
    std::vector<std::string> texts;
    for (const auto& rows :
         label_examples({.transformer = classes.model.transformer, .store = classes.model.store},
                        *classes.split.source, 1000, 2, {workers, ranks})) {
      EXPECT_THAT(rows.at(0), SizeIs(2));
      for (const auto& [label, probability] : rows.at(0)) {
        texts.push_back(fmt::format("{} {}", label, probability));
      }
    }
    EXPECT_EQ(std::ssize(texts), 2 * classes.split.size());
    return texts;
  });
}

// A token whose embedding is not finite fails the batches that contain it.
TEST(RankEvaluation, that_fails_throws_the_error_of_one_worker_on_all_ranks) {
  RandomModel subject = translation();
  subject.config.evaluation.batch_tokens = 12;
  const auto& parameters = subject.model.store.parameters();
  Tensor table = subject.model.store.value(parameters.front());
  table.row(mark_count + 4)[0] = std::numeric_limits<Scalar>::infinity();
  const auto message_on = [&](Workers& workers, Ranks& ranks) {
    return message_of<NumericError>([&] { subject.evaluate_on(workers, ranks); });
  };
  Workers one(1);
  const std::string expected = message_on(one, alone());
  EXPECT_THAT(expected, HasSubstr("the value is inf"));
  for (const Index count : {2, 3, 4}) {
    run_ranks(count, [&](Ranks& ranks) {
      Workers workers(2);
      EXPECT_EQ(message_on(workers, ranks), expected);
    });
  }
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION
