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

std::vector<std::string> LineInput::next() {
  constexpr Index at_a_time = 1024;
  std::vector<std::string> lines =
      from_texts_ ? std::exchange(texts_, {}) : reader_.next(at_a_time);
  before_ += last_;
  last_ = std::ssize(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto number = static_cast<std::size_t>(before_) + i + 1;
    if (const auto fault = utf8_fault(lines[i], name_, number)) {
      spdlog::warn("{}", *fault);
    }
  }
  return lines;
}

std::string LineInput::place(std::size_t index) const {
  return fmt::format("{}:{}", name_, before_ + static_cast<Index>(index) + 1);
}

void LineInput::see(const Tokenizer& tokenizer, std::size_t index, std::string_view text,
                    const std::vector<TokenId>& tokens) {
  unknown_.see(tokenizer, text, tokens, before_ + static_cast<Index>(index) + 1);
}

void LineInput::say_unknown() const {
  if (unknown_.any()) {
    spdlog::warn("{}: {}", name_, describe(unknown_));
  }
}

}  // namespace tapehead
