#include "train/gradcheck/tiny_config.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tapehead {

namespace {

class Overrides {
 public:
  void at_most(std::string_view option, Index value, Index most) {
    if (value > most) {
      set(option, std::to_string(most));
    }
  }
  void set(std::string_view option, std::string_view value) {
    list_.push_back(fmt::format("{}={}", option, value));
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::vector<std::string> list_;
};

void shrink_model(const ModelOptions& model, Overrides& overrides) {
  constexpr Index d_head = 4;
  constexpr Index layers = 2;
  const Index d_model = std::min(model.d_model, model.heads * d_head);
  overrides.at_most("model.d_model", model.d_model, d_model);
  overrides.at_most("model.d_head", *model.d_head, d_head);
  overrides.at_most("model.d_ff", *model.d_ff, 2 * d_model);
  overrides.at_most("model.encoder_layers", *model.encoder_layers, layers);
  overrides.at_most("model.decoder_layers", *model.decoder_layers, layers);
  if (!model.init_from.empty()) {
    overrides.set("model.init_from", "\"\"");
  }
}

// Only one batch is looked at; the tasks want a few examples of each split nevertheless.
template <class Options>
void shrink_splits(const Options& task, Overrides& overrides) {
  overrides.at_most("task.train_examples", task.train_examples, 64);
  overrides.at_most("task.validation_examples", task.validation_examples, 4);
  overrides.at_most("task.test_examples", task.test_examples, 4);
}

// Characters need no training of a tokenizer, and make a small vocabulary.
void shrink_text(const ParallelTextOptions& text, Overrides& overrides) {
  const ParallelTextOptions defaults;
  if (text.tokenizer == TokenizerKind::character) {
    return;
  }
  overrides.set("task.tokenizer", "character");
  overrides.at_most("task.vocabulary", text.vocabulary, 100);
  if (text.max_length < 1000) {
    overrides.set("task.max_length", "1000");  // now in characters
  }
  if (text.normalization != defaults.normalization) {
    overrides.set("task.normalization", "identity");
  }
  if (text.character_coverage != defaults.character_coverage) {
    overrides.set("task.character_coverage", "1");
  }
}

}  // namespace

std::vector<std::string> tiny_overrides(const Config& config) {
  Overrides overrides;
  switch (config.task.name) {
    case TaskName::parallel_text:
      shrink_text(config.task.text, overrides);
      break;
    case TaskName::grammar_translation:
      shrink_splits(config.task.grammar, overrides);
      break;
    case TaskName::brackets:
      shrink_splits(config.task.brackets, overrides);
      break;
    case TaskName::recall:
      shrink_splits(config.task.recall, overrides);
      break;
    default:
      shrink_splits(config.task.synthetic, overrides);
      overrides.at_most("task.longer_examples", config.task.synthetic.longer_examples, 4);
  }
  shrink_model(config.model, overrides);
  return overrides.take();
}

}  // namespace tapehead
