// Durations, counts and tables with aligned columns as plain text, for the start and the end of a
// training.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// "0.42 s", "7.3 s", "42 s", "1 min 05 s", "2 h 03 min", "3 d 04 h".
std::string format_duration(double seconds);

// "950", "1.2 k", "2.6 M", "3.1 G".
std::string format_count(double count);

// "1 step", "2 steps".
std::string counted(Index count, std::string_view noun);

// "53 %", of a share from 0 to 1.
std::string format_share(double share);

// The number of characters of a text on a terminal; each code point counts as one.
Index text_width(std::string_view text);

enum class Align { left, right };

class Table {
 public:
  // One alignment per column.
  explicit Table(std::vector<Align> columns);

  void row(std::vector<std::string> cells);  // missing cells are empty
  void rule();                               // a line across the table, under a header

  // Lines without a final newline. Every line begins with `indent` spaces and has no spaces at its
  // end.
  std::string text(std::size_t indent = 2) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace tapehead
