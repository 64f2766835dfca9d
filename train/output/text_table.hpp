// Text for people: durations, counts, tables, and commands to type next. Also rejects figures that
// are NaN.
#pragma once

#include "core/files/json_text.hpp"

namespace tapehead {

// "0.42 s", "7.3 s", "42 s", "1 min 05 s", "2 h 03 min", "3 d 04 h".
std::string format_duration(double seconds);

// "950", "1.2 k", "2.6 M", "3.1 G".
std::string format_count(double count);

// "1 step", "2 steps".
std::string counted(Index count, std::string_view noun);

// "53 %" for a share of 0.53.
std::string format_share(double share);

// The number of characters of a text on a terminal; each code point counts as one.
Index text_width(std::string_view text);

enum class Align { left, right };

class Table {
 public:
  // One alignment per column. A header gets a rule below it.
  explicit Table(std::vector<Align> columns, std::vector<std::string> header = {});

  void row(std::vector<std::string> cells);  // missing cells are empty
  void rule();                               // a line across the table, under a header

  // Lines without a final newline. Every line begins with `indent` spaces and has no spaces at its
  // end.
  std::string text(std::size_t indent = 2) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

// The program to type in commands: the executable; or of a package, whose executables are
// lib/tapehead/LEVEL/NAME, bin/NAME, or NAME if that was found on the PATH. The path is relative
// below the working directory, otherwise absolute.
std::string program_path();

// The word unchanged, or in quotes if a shell would split or change it. A path that begins with -
// gets ./ in front, because a program would read it as an option.
std::string shell_word(std::string_view word);

// Throws NumericError that names the first figure that is NaN, at any depth. Finite weights that
// are far too large lead to NaN figures, which would look like results in a table. `place`: the
// keys that lead to these figures.
void expect_figures(const Json& figures, const std::string& place = "");

}  // namespace tapehead
