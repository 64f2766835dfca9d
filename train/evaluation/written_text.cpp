#include "train/evaluation/written_text.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

// Whether these bytes may be the beginning of a longer character.
bool may_begin_character(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes.front());
  const std::size_t needed = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
  return bytes.size() < needed &&
         std::ranges::all_of(
             bytes.substr(1),
             [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; });
}

// Removes the bytes and returns them as text, with U+FFFD for each byte that belongs to no
// character. If a text goes on, last bytes that may begin its next character stay.
std::string take_characters(std::string_view& bytes, bool goes_on) {
  std::string text;
  while (!bytes.empty()) {
    const std::size_t valid = utf8_valid_bytes(bytes);
    text += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty() || (goes_on && may_begin_character(bytes))) {
      break;
    }
    text += "\uFFFD";
    bytes.remove_prefix(1);
  }
  return text;
}

}  // namespace

WrittenText::WrittenText(const Tokenizer& tokenizer, std::vector<TokenId> prompt,
                         std::string_view stop)
    : tokenizer_(tokenizer),
      tokens_(std::move(prompt)),
      stop_(stop),
      before_(tokenizer.decode(tokens_).size()) {}

std::string WrittenText::add(TokenId token) {
  tokens_.push_back(token);
  return take(false);
}

std::string WrittenText::finish() { return take(true); }

// The text of a token depends on the one before (there may be a space), not on those far back.
void WrittenText::forget_most() {
  constexpr std::size_t most = 64;
  constexpr std::ptrdiff_t kept = 8;
  if (tokens_.size() > most) {
    tokens_.erase(tokens_.begin(), tokens_.end() - kept);
    before_ = tokenizer_.decode(tokens_).size();
    taken_ = 0;
  }
}

std::string WrittenText::take(bool last) {
  if (stopped_) {
    return {};
  }
  const std::string all = tokenizer_.decode(tokens_).substr(before_);
  std::string_view rest = std::string_view(all).substr(taken_);
  const std::size_t stop = stop_.empty() ? std::string_view::npos : rest.find(stop_);
  stopped_ = stop != std::string_view::npos;
  rest = rest.substr(0, stop);
  if (!last && !stopped_) {
    // The longest end of the text that begins the stop text waits.
    std::size_t begun = std::min(rest.size(), stop_.empty() ? 0 : stop_.size() - 1);
    while (begun > 0 && !stop_.starts_with(rest.substr(rest.size() - begun))) {
      --begun;
    }
    rest.remove_suffix(begun);
  }
  const std::size_t certain = rest.size();
  std::string text = take_characters(rest, !last && !stopped_);
  taken_ += certain - rest.size();
  text_ += text;
  if (taken_ == all.size()) {
    forget_most();
  }
  return text;
}

}  // namespace tapehead
