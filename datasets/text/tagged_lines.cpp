#include "datasets/text/tagged_lines.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

constexpr std::string_view document_start = "-DOCSTART-";

void append_word(std::string& text, std::string_view word) {
  text += text.empty() ? "" : " ";
  text += word;
}

}  // namespace

std::vector<TaggedSentence> read_tagged(const std::filesystem::path& file) {
  std::vector<TaggedSentence> sentences;
  TaggedSentence open;
  std::size_t columns = 0;
  const auto close = [&] {
    if (!open.tokens.empty() && open.tokens != document_start) {
      sentences.push_back(std::move(open));
    }
    open = {};
  };
  Index number = 0;
  for (const std::string& line : read_lines(file)) {
    ++number;
    const std::vector<std::string_view> words = units_of(line, Unit::word);
    if (words.empty()) {
      close();
      continue;
    }
    columns = columns == 0 ? words.size() : columns;
    if (words.size() < 2 || words.size() != columns) {
      throw DataError(
          fmt::format("{}:{}: {} column{}, where {} are expected: a token first, its label last",
                      file.string(), number, words.size(), words.size() == 1 ? "" : "s",
                      columns < 2 ? "two or more" : std::to_string(columns)));
    }
    open.line = open.tokens.empty() ? number : open.line;
    append_word(open.tokens, words.front());
    append_word(open.labels, words.back());
  }
  close();
  if (sentences.empty()) {
    throw DataError(fmt::format("{}: there is no sentence in the file", file.string()));
  }
  return sentences;
}

}  // namespace tapehead
