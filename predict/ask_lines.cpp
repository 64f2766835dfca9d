#include "predict/ask_lines.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.hpp"

namespace tapehead {

namespace {

Index lines_in_all(LineInput& input) {
  while (!input.next().empty()) {
  }
  return input.read();
}

// The next lines; none at the end.
std::vector<AskedLine> next_lines(LineInput& lines, LineInput* targets) {
  std::vector<AskedLine> asked;
  for (std::string& line : lines.next()) {
    asked.push_back({.text = std::move(line)});
  }
  if (targets == nullptr) {
    return asked;
  }
  std::vector<std::string> behind = targets->next();
  if (behind.size() != asked.size()) {
    const Index sources = lines_in_all(lines);
    throw DataError(
        fmt::format("there are {} sources and {} targets", sources, lines_in_all(*targets)));
  }
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].target = std::move(behind[i]);
  }
  return asked;
}

LineRead read_line(const AskedLine& line, std::size_t index, LineInput& lines, LineInput* targets,
                   const Tokenizers& tokenizers, const Question& question) {
  try {
    LineRead read = question.read(line);
    if (!read.warning.empty()) {
      spdlog::warn("{}: {}", lines.place(index), read.warning);
    }
    lines.see(*tokenizers.source, index, read.known.empty() ? line.text : read.known, read.tokens);
    if (targets != nullptr) {
      targets->see(*tokenizers.target, index, line.target, read.target);
    }
    read.line = line;
    return read;
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", lines.place(index), error.what()));
  }
}

}  // namespace

std::vector<std::string> texts_of(std::span<const LineRead> lines) {
  std::vector<std::string> texts;
  for (const LineRead& read : lines) {
    texts.push_back(read.line.text);
  }
  return texts;
}

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

void ask_lines(LineInput& lines, LineInput* targets, const Tokenizers& tokenizers,
               Question& question, const std::function<void(std::string_view)>& write) {
  Index first = 0;
  for (auto asked = next_lines(lines, targets); !asked.empty();
       asked = next_lines(lines, targets)) {
    std::vector<LineRead> read;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      read.push_back(read_line(asked[i], i, lines, targets, tokenizers, question));
    }
    write(question.answers(read, first));
    first += std::ssize(asked);
  }
  lines.say_unknown();
  if (targets != nullptr) {
    targets->say_unknown();
  }
  question.end();
}

}  // namespace tapehead
