#include "datasets/text/text_front.hpp"

namespace tapehead {

namespace {

std::vector<TokenId> mark_of(const TextOptions& options) {
  if (options.stream) {
    return {end_id};  // of the document before
  }
  return options.begin_mark ? std::vector<TokenId>{begin_id} : std::vector<TokenId>{};
}

std::vector<TokenId> empty_prompt(const Tokenizer& tokenizer, bool one_document) {
  const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
  const bool known = end_of_line.size() == 1 && end_of_line.front() != unknown_id;
  return one_document && known ? end_of_line : std::vector<TokenId>{begin_id};
}

}  // namespace

TextFront::TextFront(const TextOptions& options, const Tokenizer& tokenizer, bool one_document)
    : mark_(one_document ? std::vector<TokenId>{} : mark_of(options)),
      empty_(mark_.empty() ? empty_prompt(tokenizer, one_document) : mark_),
      has_marks_(options.begin_mark) {}

std::string_view TextFront::in_words() const {
  return mark_.empty()             ? "nothing"
         : mark_.front() == end_id ? "the end of a document"
                                   : "the begin mark of a document";
}

std::vector<TokenId> TextFront::prompt(std::vector<TokenId> text) const {
  if (text.empty()) {
    return empty_;
  }
  text.insert(text.begin(), mark_.begin(), mark_.end());
  return text;
}

std::vector<TokenId> TextFront::whole(const std::vector<TokenId>& text) const {
  std::vector<TokenId> all = has_marks_ ? empty_ : std::vector<TokenId>{};
  all.insert(all.end(), text.begin(), text.end());
  return all;
}

}  // namespace tapehead
