// The synthetic tasks copy, reverse and sort: random sequences of symbols, and what becomes of
// them.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/draws.hpp"
#include "core/errors.hpp"
#include "datasets/hash.hpp"
#include "datasets/tasks.hpp"
#include "datasets/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

using Sequence = std::vector<TokenId>;

struct Lengths {
  Index minimum;
  Index maximum;
};

Sequence answer(TaskName task, Sequence sequence) {
  if (task == TaskName::reverse) {
    std::ranges::reverse(sequence);
  }
  if (task == TaskName::sort) {
    std::ranges::sort(sequence);
  }
  return sequence;
}

// Sequence number `attempt` of a stream: a length, uniform, then as many symbols.
void draw_sequence(const Draws& draws, Index attempt, Lengths lengths, Index vocabulary,
                   Sequence& sequence) {
  constexpr int draws_each = 20;  // 2^20, more than the longest sequence has symbols
  std::uint64_t index = static_cast<std::uint64_t>(attempt) << draws_each;
  const Index range = lengths.maximum - lengths.minimum + 1;
  sequence.resize(static_cast<std::size_t>(lengths.minimum + draw_below(draws, index, range)));
  for (TokenId& token : sequence) {
    token = mark_count + static_cast<TokenId>(draw_below(draws, ++index, vocabulary));
  }
}

class Maker {
 public:
  Maker(const TaskOptions& options, std::uint64_t seed, const Tokenizer& tokenizer)
      : options_(options), seed_(seed), tokenizer_(tokenizer) {}

  // A split whose sequences are those that their hash assigns to it.
  Split held_apart(std::string_view name, Index count) const {
    const Lengths lengths{options_.synthetic.min_length, options_.synthetic.max_length};
    return draw(name, count, lengths, [&](const Sequence& sequence) {
      return split_of(Hash().add(seed_).add(sequence).value()) == name;
    });
  }

  // The split of longer sequences, which no other split can hold.
  Split longer() const {
    const SyntheticOptions& options = options_.synthetic;
    return draw("longer", options.longer_examples,
                {options.longer_min_length, options.longer_max_length},
                [](const Sequence&) { return true; });
  }

 private:
  template <class Accept>
  Split draw(std::string_view name, Index count, Lengths lengths, const Accept& accept) const {
    const Index vocabulary = options_.synthetic.vocabulary;
    const Draws draws(seed_, fmt::format("task/{}", name), 0);
    Split split;
    split.name = name;
    Sequence sequence;
    const std::string complaint = fmt::format(
        "there are too few sequences of {} to {} symbols out of {} to hold some apart for the {} "
        "split; raise task.vocabulary or task.max_length",
        lengths.minimum, lengths.maximum, vocabulary, name);
    collect(count, complaint, [&](Index attempt) {
      draw_sequence(draws, attempt, lengths, vocabulary, sequence);
      if (!accept(sequence)) {
        return false;
      }
      split.examples.push_back({sequence, answer(options_.name, sequence)});
      return true;
    });
    if (name != "train") {
      write_texts(split);
    }
    return split;
  }

  void write_texts(Split& split) const {
    for (const Example& example : split.examples) {
      split.source_texts.push_back(tokenizer_.decode(example.source));
      split.references.push_back(tokenizer_.decode(example.target));
    }
  }

  const TaskOptions& options_;
  std::uint64_t seed_;
  const Tokenizer& tokenizer_;
};

void check(const SyntheticOptions& options) {
  if (options.min_length > options.max_length) {
    throw ConfigError(fmt::format("task.min_length ({}) is more than task.max_length ({})",
                                  options.min_length, options.max_length));
  }
  if (options.longer_examples == 0) {
    return;
  }
  if (options.longer_min_length <= options.max_length ||
      options.longer_min_length > options.longer_max_length) {
    throw ConfigError(fmt::format(
        "the split `longer` runs from task.longer_min_length ({}) to task.longer_max_length ({}), "
        "and must begin beyond task.max_length ({})",
        options.longer_min_length, options.longer_max_length, options.max_length));
  }
}

}  // namespace

Task make_synthetic(const TaskOptions& options, std::uint64_t seed,
                    const std::filesystem::path& tokenizers) {
  const SyntheticOptions& synthetic = options.synthetic;
  check(synthetic);
  const Tokenizers kept = kept_joint_tokenizer(tokenizers, symbol_tokenizer(synthetic.vocabulary));
  const Maker maker(options, seed, *kept.target);
  Task task;
  task.source_tokenizer = kept.source;
  task.target_tokenizer = kept.target;
  task.splits.push_back(maker.held_apart("train", synthetic.train_examples));
  task.splits.push_back(maker.held_apart("validation", synthetic.validation_examples));
  task.splits.push_back(maker.held_apart("test", synthetic.test_examples));
  if (synthetic.longer_examples > 0) {
    task.splits.push_back(maker.longer());
  }
  return task;
}

}  // namespace tapehead
