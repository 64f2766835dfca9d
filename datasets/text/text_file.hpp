// Reads and checks lines of text from files, pipes and terminals. Also recognises the header of a
// TSV, a first line that names the columns.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

// Lines end with "\n" or "\r\n"; the last one may have no end. Gzip is recognised by its first
// bytes and unpacked. A byte order mark at the beginning is skipped. Lines may hold NUL.
class TextReader {
 public:
  // Reads the open descriptor `file`; `name` is for messages.
  TextReader(int file, std::filesystem::path name);
  ~TextReader();

  // Waits for a line, then takes further lines, at most `most`, until the input pauses. Empty at
  // the end of the input. Throws IoError, and DataError for a line longer than 100 MiB.
  std::vector<std::string> next(Index most);

 private:
  class Gunzip;

  bool take_line(std::vector<std::string>& lines);
  bool readable(int milliseconds) const;  // bytes, or the end of the input, can be read
  void fill();
  void add(std::string_view bytes);
  void begin_text();

  int file_;
  std::filesystem::path name_;
  std::string head_;  // the first bytes, until they show whether this is gzip
  bool head_read_ = false;
  std::unique_ptr<Gunzip> gunzip_;
  std::string text_;
  std::size_t taken_ = 0;     // bytes of text_ whose lines have been returned
  std::size_t searched_ = 0;  // bytes of text_ already searched for a line end
  Index lines_ = 0;           // number of lines returned
  bool begun_ = false;        // a byte order mark has been skipped, if there was one
  bool ended_ = false;
};

// The lines of a file of UTF-8 text, as TextReader splits them. Throws IoError if the file cannot
// be read, and DataError, with file, line and byte, if it is empty or not UTF-8.
std::vector<std::string> read_lines(const std::filesystem::path& file);

// Throws IoError with the option, and where a relative path begins, if the file does not exist.
void expect_file(const std::filesystem::path& file, std::string_view option);

// The message if a line, numbered from 1, is not valid UTF-8: file, line, byte and remedy.
std::optional<std::string> utf8_fault(std::string_view line, const std::filesystem::path& file,
                                      std::size_t number);

enum class HeaderLine { automatic, present, absent };
constexpr ValueNames<3> value_names(HeaderLine) { return {"auto", "true", "false"}; }

// Whether all fields of the line are names of columns, such as sentence, text2, label or source.
bool names_columns(std::string_view line);

// Whether the first line of a TSV is a header. With `automatic` it is one if it `looks_like_one`
// and other lines follow; this is logged. Throws DataError if nothing follows a `present` header.
bool has_header(HeaderLine given, const std::filesystem::path& file,
                const std::vector<std::string>& lines, bool looks_like_one);

// The rule of task.header: some split must be a TSV.
template <class Options>
std::optional<Violation> header_without_tsv(const Options& options) {
  const bool tsv = !(options.train_tsv + options.validation_tsv + options.test_tsv).empty();
  if (tsv || options.header == HeaderLine::automatic) {
    return {};
  }
  return Violation{{"task.header"}, "has no effect, since no split is a TSV"};
}

}  // namespace tapehead
