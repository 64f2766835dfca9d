#include "predict/reader.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

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

namespace {

Index lines_in_all(LineInput& input) {
  while (!input.next().empty()) {
  }
  return input.read();
}

// The next lines, or none at the end. Lines and targets may arrive at different times.
std::vector<AskedLine> next_lines(LineInput& lines, LineInput* targets) {
  std::vector<AskedLine> asked =
      mapped(lines.next(), [](std::string& line) { return AskedLine{.text = std::move(line)}; });
  if (targets == nullptr) {
    return asked;
  }
  for (auto line = asked.begin(); line != asked.end();) {
    std::vector<std::string> more = targets->next(asked.end() - line);
    for (std::string& target : more) {
      (line++)->target = std::move(target);
    }
    if (more.empty()) {
      break;
    }
  }
  if (targets->read() != lines.read() || (asked.empty() && !targets->next(1).empty())) {
    const Index sources = lines_in_all(lines);
    throw DataError("there are {} sources and {} targets", sources, lines_in_all(*targets));
  }
  return asked;
}

LineRead read_line(const AskedLine& line, Index number, LineInput& lines, LineInput* targets,
                   const Reader& reader, const Question& question) {
  LineRead read = reader.read(line);
  question.look_at(read);
  if (!read.warning.empty()) {
    spdlog::warn("{}: {}", lines.place(number), read.warning);
  }
  LineInput* of = &lines;
  for (const EncodedText& text : reader.encoded(read)) {
    of->see(text, number);
    of = targets;
  }
  return read;
}

}  // namespace

void ask_lines(LineInput& lines, LineInput* targets, const Reader& reader, Question& question,
               const std::function<void(std::string_view)>& write) {
  Index first = 0;
  for (auto asked = next_lines(lines, targets); !asked.empty();
       asked = next_lines(lines, targets)) {
    std::vector<LineRead> read;
    std::string fault;  // reported after the lines before it are answered
    for (auto line = asked.begin(); line != asked.end() && fault.empty(); ++line) {
      const Index number = first + std::ssize(read) + 1;
      try {
        read.push_back(read_line(*line, number, lines, targets, reader, question));
      } catch (const DataError& error) {
        fault = fmt::format("{}: {}", lines.place(number), error.what());
      }
    }
    if (!read.empty()) {
      write(question.answers(read, first));
    }
    if (!fault.empty()) {
      throw DataError(fault);
    }
    first += std::ssize(asked);
  }
  lines.say_unknown();
  if (targets != nullptr) {
    targets->say_unknown();
  }
  question.end();
}

}  // namespace tapehead
