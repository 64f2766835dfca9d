// Words: a sentence under construction.
#pragma once

#include <string>
#include <string_view>

namespace tapehead::grammar {

class Words {
 public:
  // A word, or a stem and its ending.
  void add(std::string_view stem, std::string_view ending = "") {
    if (!text_.empty()) {
      text_ += ' ';
    }
    text_ += stem;
    text_ += ending;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tapehead::grammar
