#include "train/evaluation/references.hpp"

#include <algorithm>

#include <spdlog/spdlog.h>

namespace tapehead {

namespace {

// None if the split has only tokens.
std::vector<std::string> written_references(const Split& split) {
  return split.read_references ? split.read_references() : split.references;
}

}  // namespace

std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count) {
  std::vector<std::string> references = written_references(split);
  references.resize(std::min(references.size(), count));
  for (std::size_t i = references.size(); i < count; ++i) {
    references.push_back(
        task.target_tokenizer->decode(split.source->at(static_cast<Index>(i)).labels.list()));
  }
  return references;
}

std::vector<bool> right_sequences(const Task& task, const Split& split,
                                  const std::vector<std::string>& outputs) {
  const std::vector<std::string> references = written_references(split);
  std::vector<bool> right;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<TokenId> tokens = split.source->at(static_cast<Index>(i)).labels.list();
    const bool known = std::ranges::find(tokens, unknown_id) == tokens.end();
    const bool as_written = !references.empty() && outputs[i] == references[i];
    right.push_back(as_written || (known && outputs[i] == task.target_tokenizer->decode(tokens)));
  }
  return right;
}

void say_cut_references(const Split& split, const EvaluationOptions& options) {
  if (split.source->in_one_pass()) {
    return;
  }
  const Index allowed = options.max_extra_length;
  Index longer = 0;
  Index most = 0;
  for (Index i = 0; i < split.outputs(); ++i) {
    const Sequence sequence = split.source->at(i);
    const Index read = sequence.source.size() + 1;
    const Index extra = read == 1 ? 0 : sequence.predicted - 1 - read;
    longer += extra > allowed ? 1 : 0;
    most = std::max(most, extra);
  }
  if (longer > 0) {
    spdlog::warn(
        "{} split: {} of {} references are longer than any output can be: "
        "evaluation.max_extra_length allows {} tokens more than the source has; {} would be enough",
        split.name, longer, split.size(), allowed, most);
  }
}

}  // namespace tapehead
