#include "datasets/text/labelled_options.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

Index columns_of(const std::string& line) { return 1 + std::ranges::count(line, '\t'); }

void expect_columns(const std::string& line, Index expected, const std::string& file,
                    std::size_t number, std::string_view what) {
  if (columns_of(line) != expected) {
    throw DataError("{}:{}: {} column{} with tabs between them, where {} {} expected: {}", file,
                    number, columns_of(line), columns_of(line) == 1 ? "" : "s", expected,
                    expected == 1 ? "is" : "are", what);
  }
}

std::string_view label_of(std::string_view line) {
  return trimmed(line.substr(line.rfind('\t') + 1));
}

// A first line without names of columns is a header too if no other line has its class, while some
// other lines share a class. `known`: classes of other files.
AlignedText from_tsv(const SplitFiles& files, Index texts, const std::vector<std::string>& known) {
  return read_tab_separated(
      files.tsv, files.header,
      [&](const std::string& line, std::size_t number) {
        expect_columns(line, texts + 1, files.tsv, number,
                       texts == 1 ? "text and class (task.texts: 2 for pairs of texts)"
                                  : "two texts and a class");
      },
      [&](const std::vector<std::string>& lines) {
        std::set<std::string_view> others(known.begin(), known.end());
        for (const std::string& line : lines | std::views::drop(1)) {
          others.insert(label_of(line));
        }
        return !others.contains(label_of(lines.front())) &&
               others.size() + 1 < lines.size() + known.size();
      });
}

AlignedText from_files(const SplitFiles& files, Index texts) {
  AlignedText all =
      read_aligned_files(files.source, files.target,
                         {" texts", " classes", "each text needs its class on the same line"});
  for (std::size_t i = 0; i < all.source.size(); ++i) {
    expect_columns(all.source[i], texts, files.source, i + 1,
                   texts == 1 ? "one text (task.texts: 2 for pairs of texts)" : "two texts");
  }
  return all;
}

// `known`: labels of other lines. A first line with a known label is data, not a header.
SplitText whole_files(const SplitFiles& files, Index texts,
                      const std::vector<std::string>& known = {}) {
  for (const auto& [file, option] : {std::pair{&files.tsv, "tsv"}, std::pair{&files.source, "text"},
                                     std::pair{&files.target, "labels"}}) {
    expect_file(*file, fmt::format("task.{}_{}", files.name, option));
  }
  SplitText split{
      .files = files,
      .text = files.tsv.empty() ? from_files(files, texts) : from_tsv(files, texts, known)};
  auto& [sources, labels, numbers] = split.text;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = std::string(trimmed(labels[i]));
    if (labels[i].empty()) {
      throw DataError("{}:{}: the class is empty", files.target_file(), numbers[i]);
    }
  }
  return split;
}

// Draws a part of a split's examples. Returns this part and the rest, both in the order of the
// file. The rest keeps `kept` examples of each class, even if the part becomes smaller.
std::pair<SplitText, SplitText> divided(const SplitText& all, double share, const Draws& draws,
                                        Index kept) {
  const auto& [sources, labels, numbers] = all.text;
  const auto count = std::ssize(labels);
  auto wanted = std::llround(share * static_cast<double>(count));
  std::map<std::string_view, Index> rest;  // number of examples of each class
  for (const std::string& label : labels) {
    ++rest[label];
  }
  std::vector<bool> in_part(labels.size());
  for (const Index i : draw_permutation(draws, count)) {
    Index& of_class = rest[labels[static_cast<std::size_t>(i)]];
    if (wanted > 0 && of_class > kept) {
      in_part[static_cast<std::size_t>(i)] = true;
      --of_class;
      --wanted;
    }
  }
  std::pair<SplitText, SplitText> parts{{.files = all.files, .whole = false},
                                        {.files = all.files, .whole = false}};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    AlignedText& to = (in_part[i] ? parts.first : parts.second).text;
    to.source.push_back(sources[i]);
    to.target.push_back(labels[i]);
    to.numbers.push_back(numbers[i]);
  }
  return parts;
}

void expect_examples(const SplitText& split, const char* option, double share) {
  if (split.text.numbers.empty()) {
    throw DataError("{}: no example is left for {} with {} {}", split.files.source_file(),
                    split.files.name, option, share);
  }
}

class ClassSource : public Source {
 public:
  ClassSource(std::vector<ClassifiedText> texts, const Layout& layout)
      : texts_(std::move(texts)), layout_(layout) {}

  Index size() const override { return std::ssize(texts_); }

  Sequence at(Index number) const override {
    const ClassifiedText& of = texts_[static_cast<std::size_t>(number)];
    Sequence sequence{.source = {of.tokens}, .predicted = 1, .number = number};
    if (of.label >= 0) {
      sequence.labels = {of.label};
    }
    if (layout_.source_alone()) {  // between marks
      sequence.input = {begin_id, of.tokens, end_id};
      sequence.second_text = 1 + of.first_text + 1;
    } else {
      sequence.input = {of.tokens, begin_id};
      sequence.first_label = std::ssize(of.tokens);
      sequence.prefix = layout_.full_prefix ? std::ssize(of.tokens) : 0;
    }
    return sequence;
  }

  bool in_one_pass() const override { return true; }

  void add_to(Hash& hash) const override {
    hash.add(texts_.size());
    for (const ClassifiedText& of : texts_) {
      hash.add(of.tokens).add(std::span(&of.label, 1));
    }
  }

 private:
  std::vector<ClassifiedText> texts_;
  Layout layout_;
};

}  // namespace

std::array<SplitFiles, 3> files_of(const LabelledTextOptions& options) {
  const HeaderLine header = options.header;
  return {{{"train", options.train_text, options.train_labels, options.train_tsv, header},
           {"validation", options.validation_text, options.validation_labels,
            options.validation_tsv, header},
           {"test", options.test_text, options.test_labels, options.test_tsv, header}}};
}

std::vector<std::string> texts_of(const std::string& line, Index texts) {
  const std::size_t tab = texts == 2 ? line.find('\t') : std::string::npos;
  if (tab == std::string::npos) {
    return {line};
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

std::vector<SplitText> labelled_splits(const LabelledTextOptions& options, std::uint64_t seed) {
  const auto [train, validation, test] = files_of(options);
  std::vector<SplitText> splits{whole_files(train, options.texts)};
  const std::vector<std::string> known = splits.front().text.target;
  if (validation.given()) {
    splits.push_back(whole_files(validation, options.texts, known));
  } else {
    auto [held_out, rest] = divided(splits.front(), options.validation_share,
                                    Draws(seed, "labelled_text/validation", 0), 1);
    held_out.files.name = "validation";
    splits = {std::move(rest), std::move(held_out)};
    expect_examples(splits.back(), "task.validation_share", options.validation_share);
  }
  if (options.train_share < 1) {
    splits.front() =
        divided(splits.front(), options.train_share, Draws(seed, "labelled_text/train", 0), 0)
            .first;
  }
  expect_examples(splits.front(), "task.train_share", options.train_share);
  if (test.given()) {
    splits.push_back(whole_files(test, options.texts, known));
  }
  return splits;
}

ClassifiedText classified_text(const Tokenizer& tokenizer, const std::string& line, Index texts,
                               Index max_length) {
  const auto parts = texts_of(line, texts);
  std::vector<TokenId> first = tokenizer.encode(parts.front());
  std::vector<TokenId> second =
      parts.size() > 1 ? tokenizer.encode(parts[1]) : std::vector<TokenId>{};
  ClassifiedText result;
  while (std::ssize(first) + std::ssize(second) > max_length) {
    (first.size() >= second.size() ? first : second).pop_back();
    result.cut = true;
  }
  result.first_text = std::ssize(first);
  if (texts == 2) {
    first.push_back(end_id);
    first.insert(first.end(), second.begin(), second.end());
  }
  result.tokens = std::move(first);
  return result;
}

std::shared_ptr<const Source> class_source(std::vector<ClassifiedText> texts,
                                           const Layout& layout) {
  return std::make_shared<ClassSource>(std::move(texts), layout);
}

}  // namespace tapehead
