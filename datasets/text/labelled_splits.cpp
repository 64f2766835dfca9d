#include "datasets/text/labelled_splits.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/random/draws.hpp"

namespace tapehead {

namespace {

LabelledSplit whole_files(const LabelledFiles& files, Index texts) {
  LabelledSplit split{.files = files, .lines = read_labelled(files, texts)};
  for (Index i = 0; i < std::ssize(split.lines.texts); ++i) {
    split.numbers.push_back(i);
  }
  return split;
}

// A drawn part of a split's examples, and the others; both in the order of the file.
std::pair<LabelledSplit, LabelledSplit> divided(const LabelledSplit& all, double share,
                                                const Draws& draws) {
  const auto count = std::ssize(all.numbers);
  const auto chosen = std::llround(share * static_cast<double>(count));
  const std::vector<Index> order = draw_permutation(draws, count);
  std::vector<bool> in_part(all.numbers.size());
  for (Index i = 0; i < chosen; ++i) {
    in_part[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  }
  std::pair<LabelledSplit, LabelledSplit> parts{{.files = all.files, .lines = {}, .whole = false},
                                                {.files = all.files, .lines = {}, .whole = false}};
  for (std::size_t i = 0; i < all.numbers.size(); ++i) {
    LabelledSplit& to = in_part[i] ? parts.first : parts.second;
    to.lines.texts.push_back(all.lines.texts[i]);
    to.lines.labels.push_back(all.lines.labels[i]);
    to.numbers.push_back(all.numbers[i]);
  }
  return parts;
}

void expect_examples(const LabelledSplit& split, const char* option, double share) {
  if (split.numbers.empty()) {
    throw DataError(fmt::format("{}: no example is left for {} with {} {}", split.files.text_file(),
                                split.files.split, option, share));
  }
}

}  // namespace

std::vector<LabelledSplit> labelled_splits(const LabelledTextOptions& options, std::uint64_t seed) {
  const LabelledFiles train{"train", options.train_tsv, options.train_text, options.train_labels};
  const LabelledFiles validation{"validation", options.validation_tsv, options.validation_text,
                                 options.validation_labels};
  const LabelledFiles test{"test", options.test_tsv, options.test_text, options.test_labels};
  std::vector<LabelledSplit> splits{whole_files(train, options.texts)};
  if (validation.given()) {
    splits.push_back(whole_files(validation, options.texts));
  } else {
    auto [held_out, rest] = divided(splits.front(), options.validation_share,
                                    Draws(seed, "labelled_text/validation", 0));
    held_out.files.split = "validation";
    splits = {std::move(rest), std::move(held_out)};
    expect_examples(splits.back(), "task.validation_share", options.validation_share);
  }
  if (options.train_share < 1) {
    splits.front() =
        divided(splits.front(), options.train_share, Draws(seed, "labelled_text/train", 0)).first;
  }
  expect_examples(splits.front(), "task.train_share", options.train_share);
  if (test.given()) {
    splits.push_back(whole_files(test, options.texts));
  }
  return splits;
}

}  // namespace tapehead
