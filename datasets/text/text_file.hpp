// Reads and checks lines of text from files, pipes and terminals. Also the files of a split whose
// lines belong together in pairs: two files, or a TSV, which may begin with a header.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

struct Split;

// Lines end with "\n" or "\r\n"; the last one may have no end. Gzip is recognised by its first
// bytes and unpacked. A byte order mark at the beginning is skipped. Lines may hold NUL.
class TextReader {
 public:
  // Reads the open descriptor `file`; `name` is for messages.
  TextReader(int file, fs::path name);
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

  int file_;
  fs::path name_;
  std::string head_;  // the first bytes, until they show whether this is gzip
  bool head_read_ = false;
  std::unique_ptr<Gunzip> gunzip_;
  std::string text_;
  std::size_t taken_ = 0;     // bytes of text_ whose lines have been returned
  std::size_t searched_ = 0;  // bytes of text_ already searched for a line end
  Index lines_ = 0;           // number of lines returned
  bool ended_ = false;
};

// The lines of a file of UTF-8 text, as TextReader splits them. Throws IoError if the file cannot
// be read, and DataError, with file, line and byte, if it is empty or not UTF-8.
std::vector<std::string> read_lines(const fs::path& file);

// Throws IoError with the option, and where a relative path begins, if a file is named and does not
// exist.
void expect_file(const fs::path& file, std::string_view option);

// The message if a line, numbered from 1, is not valid UTF-8: file, line, byte and remedy.
std::optional<std::string> utf8_fault(std::string_view line, const fs::path& file,
                                      std::size_t number);

enum class HeaderLine { automatic, present, absent };
constexpr ValueNames<3> value_names(HeaderLine) { return {"auto", "true", "false"}; }

// The files of the pairs of a split. For labelled text, targets are classes.
struct SplitFiles {
  std::string name;  // of the split
  std::string source;
  std::string target;
  std::string tsv{};                          // instead of `source` and `target`
  HeaderLine header = HeaderLine::automatic;  // of `tsv`
  std::string types{};
  bool further = false;  // its files are entries of the lists `further_...`

  bool given() const { return !tsv.empty() || !source.empty(); }
  const std::string& source_file() const { return tsv.empty() ? source : tsv; }
  const std::string& target_file() const { return tsv.empty() ? target : tsv; }
};

// The violation if a split has a TSV and two files, or one of two files alone. `sides`: how the
// options of the two files end. `twice` and `need`, "the ... examples need": parts of the message.
std::optional<Violation> given_twice_or_half(const SplitFiles& files,
                                             const std::array<std::string_view, 2>& sides,
                                             const std::string& twice, std::string_view need);

struct AlignedText {
  std::vector<std::string> source{};
  std::vector<std::string> target{};  // as many as sources
  std::vector<Index> numbers{};       // lines of the pairs in their file, from 1
};

// The pairs of a split. For labelled text, targets are classes; for tagged text, labels of tokens.
struct SplitText {
  SplitFiles files;
  AlignedText text{};
  std::vector<std::string> types{};  // one per pair, or none
  bool whole = true;                 // it has all pairs of the files
};

// Puts the texts and types into the split of a task and, if they are whole, where they are.
void keep_texts(SplitText from, Split& split);

// The words for the lines of two files in the error that one file is shorter.
struct LineWords {
  std::string_view sources = " lines";
  std::string_view targets{};
  std::string_view rule = "line n of one must be the translation of line n of the other";
};

// From two files: line i of one belongs to line i of the other. Throws what read_lines throws, and
// DataError with both line counts if they differ.
AlignedText read_aligned_files(const fs::path& source, const fs::path& target,
                               const LineWords& words = {});

// From one file. Each line is a source, a tab and a target; a source may have tabs too. Calls
// `expect_columns` with each line and its number. `header` says whether the first line is a header.
// With HeaderLine::automatic, the first line is a header, and is logged, if other lines follow and
// either all its fields are names of columns (text2, label, source) or is_header(all lines) holds.
// Throws what read_lines throws, and DataError if no line follows a header that is present.
AlignedText read_tab_separated(
    const fs::path& file, HeaderLine header,
    const std::function<void(const std::string&, std::size_t)>& expect_columns,
    const std::function<bool(const std::vector<std::string>&)>& is_header = {});

// The rule of task.header: some split must be a TSV.
std::optional<Violation> header_without_tsv(const auto& options) {
  const bool tsv = !(options.train_tsv + options.validation_tsv + options.test_tsv).empty();
  return violation_if(!tsv && options.header != HeaderLine::automatic, {"task.header"},
                      "has no effect, since no split is a TSV");
}

}  // namespace tapehead
