#include "datasets/text/labelled_lines.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

namespace {

Index columns_of(const std::string& line) { return 1 + std::ranges::count(line, '\t'); }

void expect_columns(const std::string& line, Index expected, const std::string& file,
                    std::size_t number, std::string_view what) {
  if (columns_of(line) != expected) {
    throw DataError(
        fmt::format("{}:{}: {} column{} with tabs between them, where {} {} expected: {}", file,
                    number, columns_of(line), columns_of(line) == 1 ? "" : "s", expected,
                    expected == 1 ? "is" : "are", what));
  }
}

std::string_view label_of(std::string_view line) {
  return trimmed(line.substr(line.rfind('\t') + 1));
}

// Whether no other line has the class of the first, though some lines share one.
bool begins_with_class_of_its_own(const std::vector<std::string>& lines,
                                  const std::vector<std::string>& known) {
  std::set<std::string_view> others(known.begin(), known.end());
  for (const std::string& line : lines | std::views::drop(1)) {
    others.insert(label_of(line));
  }
  return !others.contains(label_of(lines.front())) &&
         others.size() + 1 < lines.size() + known.size();
}

LabelledLines from_tsv(const LabelledFiles& files, Index texts,
                       const std::vector<std::string>& known) {
  const std::string& file = files.tsv;
  std::vector<std::string> lines = read_lines(file);
  LabelledLines all;
  if (has_header(files.header, file, lines,
                 names_columns(lines.front()) || begins_with_class_of_its_own(lines, known))) {
    lines.erase(lines.begin());
    all.first = 2;
  }
  auto number = static_cast<std::size_t>(all.first);
  for (std::string& line : lines) {
    expect_columns(
        line, texts + 1, file, number++,
        texts == 1 ? "text and class (task.texts: 2 for pairs of texts)" : "two texts and a class");
    const std::size_t tab = line.rfind('\t');
    all.labels.push_back(line.substr(tab + 1));
    line.resize(tab);
    all.texts.push_back(std::move(line));
  }
  return all;
}

LabelledLines from_files(const LabelledFiles& files, Index texts) {
  LabelledLines all{.texts = read_lines(files.text), .labels = read_lines(files.labels)};
  if (all.texts.size() != all.labels.size()) {
    const bool short_text = all.texts.size() < all.labels.size();
    throw DataError(fmt::format(
        "{}:{}: the file ends here, but {} has {} texts and {} has {} classes; each text needs its "
        "class on the same line",
        short_text ? files.text : files.labels, std::min(all.texts.size(), all.labels.size()),
        files.text, all.texts.size(), files.labels, all.labels.size()));
  }
  for (std::size_t i = 0; i < all.texts.size(); ++i) {
    expect_columns(all.texts[i], texts, files.text, i + 1,
                   texts == 1 ? "one text (task.texts: 2 for pairs of texts)" : "two texts");
  }
  return all;
}

}  // namespace

LabelledLines read_labelled(const LabelledFiles& files, Index texts,
                            const std::vector<std::string>& known) {
  for (const auto& [file, option] : {std::pair{&files.tsv, "tsv"}, std::pair{&files.text, "text"},
                                     std::pair{&files.labels, "labels"}}) {
    if (!file->empty()) {
      expect_file(*file, fmt::format("task.{}_{}", files.split, option));
    }
  }
  LabelledLines all = files.tsv.empty() ? from_files(files, texts) : from_tsv(files, texts, known);
  Index number = all.first;
  for (std::string& label : all.labels) {
    label = std::string(trimmed(label));
    if (label.empty()) {
      throw DataError(fmt::format("{}:{}: the class is empty", files.label_file(), number));
    }
    ++number;
  }
  return all;
}

std::vector<std::string> texts_of(const std::string& line, Index texts) {
  const std::size_t tab = texts == 2 ? line.find('\t') : std::string::npos;
  if (tab == std::string::npos) {
    return {line};
  }
  return {line.substr(0, tab), line.substr(tab + 1)};
}

}  // namespace tapehead
