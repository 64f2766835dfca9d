// Asking about lines: the loop of every command that reads lines and answers each.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "predict/line_input.hpp"

namespace tapehead {

// A line and, where lines are pairs, its target.
struct AskedLine {
  std::string text;
  std::string target{};
};

// A line and its tokens, some of which may be unknown.
struct LineRead {
  AskedLine line{};  // set by ask_lines
  std::vector<TokenId> tokens{};
  std::vector<TokenId> target_tokens{};
  Index first_text = 0;        // of a line with two texts: the tokens of the first
  std::string warning{};       // such as that only a part is read
  std::string encoded_text{};  // of which these are the tokens, if it is not the line
};

// What is asked. A command says how a line is read, what the answers are, as they are printed, and
// what is to be said at the end.
class Question {
 public:
  virtual ~Question() = default;

  // Throws DataError, without the place, for a line that cannot be read.
  virtual LineRead read(const AskedLine& line) const = 0;
  // Of lines that were read, in their order. `first`: the number of the first one, from 0.
  virtual std::string answers(std::span<const LineRead> lines, Index first) = 0;
  virtual void end() const {}
};

std::vector<std::string> texts_of(std::span<const LineRead> lines);

// A line of JSON. What is not UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& json);

// Asks about all lines, some at a time; `targets`: null, or a file of as many. Passes on each part
// of the answers to `write`. Warns of what the model does not read, of lines that are not UTF-8 and
// of unknown tokens. Throws DataError, with the place, for a line that cannot be read, when those
// before it are answered, and if there is another number of targets.
void ask_lines(LineInput& lines, LineInput* targets, const Tokenizers& tokenizers,
               Question& question, const std::function<void(std::string_view)>& write);

}  // namespace tapehead
