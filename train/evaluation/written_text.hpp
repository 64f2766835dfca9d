// The text of a sequence while its tokens arrive: whole characters, up to the stop text.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

class WrittenText {
 public:
  // The text of `prompt` does not count. `stop` may be empty; it and `tokenizer` must live longer.
  WrittenText(const Tokenizer& tokenizer, std::vector<TokenId> prompt, std::string_view stop);

  // Returns the text that became certain with this token. Incomplete characters and a possible
  // beginning of the stop text wait. A byte that belongs to no character becomes U+FFFD.
  std::string add(TokenId token);
  std::string finish();  // the text that still waits

  bool stopped() const { return stopped_; }          // by the stop text
  const std::string& text() const { return text_; }  // all that was returned

 private:
  std::string take(bool last);
  void forget_most();

  const Tokenizer& tokenizer_;
  std::vector<TokenId> tokens_;  // the latest tokens, at least all whose text still waits
  std::string_view stop_;
  std::size_t before_;     // bytes of the tokens' text that do not count
  std::size_t taken_ = 0;  // bytes behind `before_` that were returned
  std::string text_;
  bool stopped_ = false;
};

}  // namespace tapehead
