// Reads text: the lines of a file, a pipe or a terminal, as many at a time as are available. All
// text is read with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// How every gzip file begins (RFC 1952, section 2.3.1).
inline constexpr std::string_view gzip_signature = "\x1f\x8b";

class Gunzip {
 public:
  // `name`: the file, for messages.
  explicit Gunzip(std::filesystem::path name);
  Gunzip(Gunzip&&) noexcept;
  Gunzip& operator=(Gunzip&&) noexcept;
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;
  ~Gunzip();

  // Unpacks the next bytes of the file and appends the result to `text`. A file may have several
  // members, one after another. Throws IoError that names the file if the bytes are damaged.
  void unpack(std::string_view packed, std::string& text);

  // Call it at the end of the file. Throws IoError if the content is incomplete.
  void expect_complete() const;

 private:
  struct Inflater;

  std::filesystem::path name_;
  std::unique_ptr<Inflater> inflater_;
  bool complete_ = false;  // a member has ended, and no other has begun
};

// Lines end with "\n" or "\r\n"; the last one may have no end. Gzip is recognised by its first
// bytes and unpacked. A byte order mark at the beginning is skipped. All other bytes belong to the
// lines, even NUL.
class TextReader {
 public:
  // Reads the open descriptor `file`; `name` is for messages.
  TextReader(int file, std::filesystem::path name);

  // Waits for a line, then takes further ones, at most `most`, until the input pauses. Empty at the
  // end of the input. Throws IoError, and DataError for a line that does not end.
  std::vector<std::string> next(Index most);

 private:
  bool take_line(std::vector<std::string>& lines);
  bool readable(int milliseconds) const;  // bytes, or the end of the input, can be read
  void fill();
  void add(std::string_view bytes);
  void begin_text();

  int file_;
  std::filesystem::path name_;
  std::string head_;  // the first bytes, until they show whether this is gzip
  bool head_read_ = false;
  std::optional<Gunzip> gunzip_;
  std::string text_;
  std::size_t taken_ = 0;     // bytes of text_ whose lines have been returned
  std::size_t searched_ = 0;  // bytes of text_ behind which the next line end is
  Index lines_ = 0;           // returned so far
  bool begun_ = false;        // past a byte order mark, or without one
  bool ended_ = false;
};

}  // namespace tapehead
