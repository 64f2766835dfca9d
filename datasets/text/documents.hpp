// Documents of running text: reads them from files, a few lines at a time, and turns them into
// tokens.
#pragma once

#include "core/files/process.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/text/text_file.hpp"

namespace tapehead {

// Where a document ends: with the file, with each line, at blank lines, or at a separator line. The
// separator, and with `line` and `blank_line` all blank lines, belong to no document.
enum class DocumentEnd { file, line, blank_line, separator };
constexpr ValueNames<4> value_names(DocumentEnd) {
  return {"file", "line", "blank_line", "separator"};
}

// Long lines are processed in parts of about this many bytes.
inline constexpr std::size_t part_bytes = std::size_t{1} << 16;

struct DocumentLine {
  std::string text;
  bool opens = false;  // whether it is the first line of its document
  Index number = 0;    // in the file, from 1
};

// The bytes of a split among all lines of the files, one line end per line included. A document
// belongs to the split in which it begins; with DocumentEnd::file, each line does.
struct TextShare {
  Index from = 0;
  Index to = std::numeric_limits<Index>::max();
};

struct DocumentFiles {
  std::vector<fs::path> paths{};  // read one after another
  std::string name{};             // of all files, for messages
  std::string split{};            // the split that they are read for
  DocumentEnd end = DocumentEnd::file;
  std::string separator{};
  TextShare share{};
  double log_seconds = 2;  // between messages about the progress
};

class DocumentReader {
 public:
  explicit DocumentReader(DocumentFiles files) : files_(std::move(files)) {}

  // The next lines of the documents in the share, about a megabyte; empty at the end. Logs the
  // progress now and then. Throws IoError, and DataError with the place of text that is not UTF-8.
  std::vector<DocumentLine> next();

  void for_each_line(const auto& visit) {
    for (auto lines = next(); !lines.empty(); lines = next()) {
      std::ranges::for_each(lines, visit);
    }
  }

  // Reports that `bytes` more bytes of these lines are processed. Logs the progress now and then.
  void done(Index bytes);

  // Counts over all files so far, in the share or not.
  Index bytes() const { return bytes_; }  // of all lines, in documents or not
  Index lines() const { return lines_before_ + lines_; }
  Index documents() const { return documents_; }
  Index separators() const { return separators_; }  // lines that are the separator
  // Lines that differ from the separator only by blanks and tabs at the ends.
  Index almost_separators() const { return almost_separators_; }

 private:
  bool open_next();
  bool opens(const std::string& line);

  DocumentFiles files_;
  std::size_t opened_ = 0;  // number of files opened
  std::optional<OpenFile> file_;
  std::optional<TextReader> reader_;
  Index lines_before_ = 0;  // of the files before
  Index lines_ = 0;         // of the current file
  Index documents_ = 0;
  Index separators_ = 0;
  Index almost_separators_ = 0;
  Index bytes_ = 0;
  Index waiting_ = 0;    // bytes of the last returned lines that are not processed
  bool within_ = false;  // inside a document
  bool chosen_ = false;  // the document's lines belong to the share
  Clock::time_point said_ = Clock::now();
};

// The bytes of all lines, one line end per line included.
Index bytes_in(const DocumentFiles& files);

// The files that match a shell pattern such as docs/*.md, in byte order of their names. The pattern
// itself if no file matches.
std::vector<fs::path> matching_files(const std::string& pattern);

// The tokens of the documents. Line ends between two lines of a document are encoded too. Documents
// without tokens are left out. Throws IoError, and DataError if no token is left.
TokenText write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer);

}  // namespace tapehead
