// The text of a sequence while its tokens arrive: whole characters only, and nothing from a stop
// text on.
#pragma once

#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

class WrittenText {
 public:
  // prompt: tokens before, whose text does not count. stop: may be empty. All must outlive it.
  WrittenText(const Tokenizer& tokenizer, std::vector<TokenId> prompt, std::string_view stop);

  // Returns the text that is certain now and was not before. Characters that are not complete, and
  // what may be the beginning of the stop text, wait. A byte of no character becomes U+FFFD.
  std::string add(TokenId token);
  std::string finish();  // what still waits

  bool stopped() const { return stopped_; }          // by the stop text
  const std::string& text() const { return text_; }  // all that was returned

 private:
  std::string take(bool last);
  void forget_most();

  const Tokenizer& tokenizer_;
  std::vector<TokenId> tokens_;  // the latest, and at least those whose text still waits
  std::string_view stop_;
  std::size_t before_;     // bytes of the tokens' text that do not count
  std::size_t taken_ = 0;  // bytes of the tokens' text behind them that were returned
  std::string text_;
  bool stopped_ = false;
};

}  // namespace tapehead
