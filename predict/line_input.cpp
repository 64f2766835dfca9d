#include "predict/line_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "datasets/text/text_file.hpp"

namespace tapehead {

LineInput::LineInput(const std::string& path, InputFiles& inputs, std::vector<std::string> texts)
    : texts_(std::move(texts)),
      from_texts_(!texts_.empty()),
      file_(path.empty() ? std::optional<OpenFile>() : OpenFile(path, O_RDONLY)),
      name_(from_texts_    ? "the command line"
            : path.empty() ? "standard input"
                           : path),
      reader_(file_ ? file_->descriptor() : STDIN_FILENO, name_) {
  if (!from_texts_) {
    inputs.add(file_ ? file_->descriptor() : STDIN_FILENO, name_);
  }
}

std::vector<std::string> LineInput::next(Index most) {
  std::vector<std::string> lines = from_texts_ ? std::exchange(texts_, {}) : reader_.next(most);
  for (const std::string& line : lines) {
    ++read_;
    if (const auto fault = utf8_fault(line, name_, static_cast<std::size_t>(read_))) {
      spdlog::warn("{}", *fault);
    }
  }
  return lines;
}

std::string LineInput::place(Index number) const { return fmt::format("{}:{}", name_, number); }

void LineInput::see(const EncodedText& text, Index number) {
  unknown_.see(text.tokenizer, text.text, text.tokens, number);
}

void LineInput::say_unknown() const {
  if (unknown_.any()) {
    spdlog::warn("{}: {}", name_, describe(unknown_));
  }
}

}  // namespace tapehead
