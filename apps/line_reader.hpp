// Lines from a file or a terminal, as many at a time as are there.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  // Waits for a line, then takes further ones up to `most` until the input pauses; without
  // newlines, and without the carriage return of a line that ends in both. Empty at the end of the
  // input. Throws IoError.
  std::vector<std::string> next(Index most);

 private:
  bool take_line(std::vector<std::string>& lines);
  bool readable(int milliseconds) const;  // something, or the end, is there to be read
  void fill();

  int file_;
  std::string buffer_;
  bool ended_ = false;
};

}  // namespace tapehead
