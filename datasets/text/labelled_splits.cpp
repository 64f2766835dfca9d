#include "datasets/text/labelled_splits.hpp"

#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/random/draws.hpp"

namespace tapehead {

namespace {

LabelledSplit whole_files(const LabelledFiles& files, Index texts,
                          const std::vector<std::string>& known = {}) {
  LabelledSplit split{.files = files, .lines = read_labelled(files, texts, known)};
  split.numbers.resize(split.lines.texts.size());
  std::iota(split.numbers.begin(), split.numbers.end(), split.lines.first);
  return split;
}

enum class OthersHave { any_classes, all_classes };

// A drawn part of a split's examples, and the others; both in the order of the file. The part
// becomes smaller where the others must have an example of each class.
std::pair<LabelledSplit, LabelledSplit> divided(const LabelledSplit& all, double share,
                                                const Draws& draws, OthersHave others_have) {
  const auto count = std::ssize(all.numbers);
  auto wanted = std::llround(share * static_cast<double>(count));
  std::map<std::string_view, Index> others;  // examples of each class
  for (const std::string& label : all.lines.labels) {
    ++others[label];
  }
  std::vector<bool> in_part(all.numbers.size());
  for (const Index i : draw_permutation(draws, count)) {
    Index& of_class = others[all.lines.labels[static_cast<std::size_t>(i)]];
    if (wanted > 0 && (of_class > 1 || others_have == OthersHave::any_classes)) {
      in_part[static_cast<std::size_t>(i)] = true;
      --of_class;
      --wanted;
    }
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
  const LabelledFiles train{"train", options.train_tsv, options.train_text, options.train_labels,
                            options.header};
  const LabelledFiles validation{"validation", options.validation_tsv, options.validation_text,
                                 options.validation_labels, options.header};
  const LabelledFiles test{"test", options.test_tsv, options.test_text, options.test_labels,
                           options.header};
  std::vector<LabelledSplit> splits{whole_files(train, options.texts)};
  const std::vector<std::string> known = splits.front().lines.labels;
  if (validation.given()) {
    splits.push_back(whole_files(validation, options.texts, known));
  } else {
    auto [held_out, rest] =
        divided(splits.front(), options.validation_share,
                Draws(seed, "labelled_text/validation", 0), OthersHave::all_classes);
    held_out.files.split = "validation";
    splits = {std::move(rest), std::move(held_out)};
    expect_examples(splits.back(), "task.validation_share", options.validation_share);
  }
  if (options.train_share < 1) {
    splits.front() = divided(splits.front(), options.train_share,
                             Draws(seed, "labelled_text/train", 0), OthersHave::any_classes)
                         .first;
  }
  expect_examples(splits.front(), "task.train_share", options.train_share);
  if (test.given()) {
    splits.push_back(whole_files(test, options.texts, known));
  }
  return splits;
}

}  // namespace tapehead
