// Corpora of text that nobody would train on; the number selects the kind.
#pragma once

#include "core/prelude.hpp"

#include <random>

namespace tapehead {

class HostileText {
 public:
  explicit HostileText(Index number)
      : kind_(number % kinds), random_(static_cast<std::uint_fast32_t>(number + 1)) {}

  std::vector<std::string> lines() {
    switch (kind_) {
      case 0:  // runs without a space, up to ten times the length that bpe can handle
        return {"ab ba", repeated(one_of({"あ", "x", "ab", "\u0301"}), 1 << below(19))};
      case 1:
        return {random_run(20 + below(150'000), 8), "ab"};
      case 2:
        return {one_of({" ", "", "a", "a b", " a ", "\u3000", "\u2581", "\u2585", "\t"})};
      case 3:
        return std::vector<std::string>(static_cast<std::size_t>(1 + below(5000)),
                                        one_of({"", "a"}));
      case 4:
        return random_lines({"▅", "▁", "a", "b", " ", "<", "s", ">", "/", "<s>", "</s>", "<unk>"});
      case 5:
        return random_lines(
            {std::string(1, '\0'), "\x01", "\x7f", "\t", "\r", "\v", "a", " ", "b"});
      case 6:  // ligatures that normalisation lengthens, combining marks, joiners, directions
        return random_lines(
            {"\uFDFA", "ﬁ", "e\u0301", "\u200D", "\u202E", "\uFEFF", "İ", "ß", " "});
      case 7:  // the limits of UTF-8
        return random_lines({"\u007F", "\u0080", "\u07FF", "\u0800", "\uFFFD", "\uFFFF",
                             "\U00010000", "\U0010FFFF", "\uE000", " ", "a"});
      case 8:
        return {ideographs(1 + below(6000)), "ab"};
      case 9:
        return {repeated("a ", 1 + below(50'000)), repeated(" ", 1 + below(50'000)) + "b"};
      case 10:
        return random_lines({"👩‍👩‍👧", "🇩🇪", "👍🏽", "a", " "});
      default:
        return random_lines({"ab", "cd", "ef", " ", " ", "gh", "ij"});
    }
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[below(static_cast<std::uint32_t>(choices.size()))];
  }
  std::string one_of(std::initializer_list<const char*> choices) {
    return one_of(std::vector<std::string>(choices.begin(), choices.end()));
  }

 private:
  static constexpr Index kinds = 12;

  static std::string repeated(const std::string& text, std::uint32_t times) {
    std::string run;
    for (std::uint32_t i = 0; i < times; ++i) {
      run += text;
    }
    return run;
  }
  std::string random_run(std::uint32_t length, std::uint32_t letters) {
    std::string run;
    for (std::uint32_t i = 0; i < length; ++i) {
      run += static_cast<char>('a' + below(letters));
    }
    return run;
  }
  std::vector<std::string> random_lines(const std::vector<std::string>& parts) {
    std::vector<std::string> lines(1 + below(40));
    for (std::string& line : lines) {
      for (std::uint32_t i = below(20); i > 0; --i) {
        line += one_of(parts);
      }
    }
    return lines;
  }
  // `count` different ideographs, from U+4E00 on.
  std::string ideographs(std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t code = 0x4E00 + i;
      text += static_cast<char>(0xE0 | (code >> 12));
      text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
      text += static_cast<char>(0x80 | (code & 0x3F));
      text += i % 50 == 49 ? " " : "";
    }
    return text;
  }

  Index kind_;
  std::minstd_rand random_;
};

}  // namespace tapehead
