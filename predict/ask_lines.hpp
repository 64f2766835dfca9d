// Asking about lines: the loop of every command that reads lines and answers each.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "predict/line_input.hpp"
#include "predict/reader.hpp"

namespace tapehead {

// What is asked. A command says what the answers are, as they are printed, and what is to be said
// at the end.
class Question {
 public:
  virtual ~Question() = default;

  // May set what is warned of. Throws DataError, without the place, for a line that has no answer.
  virtual void look_at(LineRead& /*read*/) const {}
  // Of lines that were read, in their order. `first`: the number of the first one, from 0.
  virtual std::string answers(std::span<const LineRead> lines, Index first) = 0;
  virtual void end() const {}
};

// A line of JSON. What is not UTF-8 becomes U+FFFD.
std::string json_line(const nlohmann::ordered_json& json);

// Asks about all lines, some at a time; `targets`: null, or a file of as many. Passes on each part
// of the answers to `write`. Warns of what the model does not read, of lines that are not UTF-8 and
// of unknown tokens. Throws DataError, with the place, for a line that cannot be read, when those
// before it are answered, and if there is another number of targets.
void ask_lines(LineInput& lines, LineInput* targets, const Reader& reader, Question& question,
               const std::function<void(std::string_view)>& write);

}  // namespace tapehead
