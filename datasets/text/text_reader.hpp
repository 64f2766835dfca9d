// The one reader of text: lines of a file, a pipe or a terminal, as many at a time as are there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "datasets/text/gzip.hpp"

namespace tapehead {

// Lines end with "\n" or "\r\n", the last one with or without. Gzip is told by its first bytes and
// unpacked; a byte order mark at the beginning is no text. All other bytes are the line's, NUL
// included.
class TextReader {
 public:
  // Reads the open descriptor `file`; `name` is for messages.
  TextReader(int file, std::filesystem::path name);

  // Waits for a line, then takes further ones up to `most` until the input pauses. Empty at the end
  // of the input. Throws IoError, and DataError for a line without an end.
  std::vector<std::string> next(Index most);

 private:
  bool take_line(std::vector<std::string>& lines);
  bool readable(int milliseconds) const;  // something, or the end, is there to be read
  void fill();
  void add(std::string_view bytes);
  void begin_text();

  int file_;
  std::filesystem::path name_;
  std::string head_;  // the first bytes, until they tell whether this is gzip
  bool head_read_ = false;
  std::optional<Gunzip> gunzip_;
  std::string text_;
  std::size_t taken_ = 0;  // bytes of text_ whose lines have been handed out
  Index lines_ = 0;        // handed out
  bool begun_ = false;     // past a byte order mark, or without one
  bool ended_ = false;
};

}  // namespace tapehead
