#include "train/evaluation/references.hpp"

#include <algorithm>

namespace tapehead {

std::vector<std::string> first_references(const Task& task, const Split& split, std::size_t count) {
  std::vector<std::string> references;
  for (std::size_t i = 0; i < count; ++i) {
    references.push_back(split.references.empty()
                             ? task.target_tokenizer->decode(split.examples[i].target)
                             : split.references[i]);
  }
  return references;
}

std::vector<bool> right_sequences(const Task& task, const Split& split,
                                  const std::vector<std::string>& outputs) {
  const std::vector<std::string> references = first_references(task, split, outputs.size());
  std::vector<bool> right;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<TokenId>& tokens = split.examples[i].target;
    const bool known = std::ranges::find(tokens, unknown_id) == tokens.end();
    right.push_back(outputs[i] == references[i] ||
                    (known && outputs[i] == task.target_tokenizer->decode(tokens)));
  }
  return right;
}

}  // namespace tapehead
