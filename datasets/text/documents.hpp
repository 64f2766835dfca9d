// Documents: the texts that files of running text hold, read a few lines at a time, and turned into
// tokens.
#pragma once

#include "core/fields.hpp"
#include "core/files/files.hpp"
#include "core/files/process.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// Where a document ends: with the file, with each line, at blank lines, or at a line that is the
// separator. Blank lines between documents and separators belong to none.
enum class DocumentEnd { file, line, blank_line, separator };
constexpr ValueNames<4> value_names(DocumentEnd) {
  return {"file", "line", "blank_line", "separator"};
}

// About so many bytes of a long line are worked on at a time.
inline constexpr std::size_t part_bytes = std::size_t{1} << 16;

struct DocumentLine {
  std::string text;
  bool opens = false;  // it is the first of its document
  Index number = 0;    // in the file, from 1
};

// The bytes that a split has of the lines of all files, with an end each. A line, or without
// DocumentEnd::file a whole document, belongs to the split in which it begins.
struct TextShare {
  Index from = 0;
  Index to = std::numeric_limits<Index>::max();
};

struct DocumentFiles {
  std::vector<std::filesystem::path> paths{};  // read one after another
  std::string name{};                          // of all, for messages
  std::string split{};                         // for which they are read
  DocumentEnd end = DocumentEnd::file;
  std::string separator{};
  TextShare share{};
  double log_seconds = 2;  // between messages of how far a reading is
};

class DocumentReader {
 public:
  explicit DocumentReader(DocumentFiles files) : files_(std::move(files)) {}

  // The next lines of the documents, about a megabyte of them; none at the end. Logs now and then
  // how far it is. Throws IoError, and DataError with the place of text that is not UTF-8.
  std::vector<DocumentLine> next();

  // For whoever works on these lines for long: so many more of their bytes are done. Logs likewise.
  void done(Index bytes);

  // Of all files so far, in the share or not.
  Index bytes() const { return bytes_; }  // of all lines, of documents or not
  Index lines() const { return lines_before_ + lines_; }
  Index documents() const { return documents_; }
  Index separators() const { return separators_; }  // lines that are the separator
  // Lines that differ from the separator only by blanks and tabs at the ends.
  Index almost_separators() const { return almost_separators_; }

 private:
  bool open_next();
  bool opens(const std::string& line);
  bool belongs(Index begin, bool opens);

  DocumentFiles files_;
  std::size_t opened_ = 0;  // so many files
  std::optional<OpenFile> file_;
  std::optional<TextReader> reader_;
  Index lines_before_ = 0;  // of earlier files
  Index lines_ = 0;         // of the file
  Index documents_ = 0;
  Index separators_ = 0;
  Index almost_separators_ = 0;
  Index bytes_ = 0;
  Index waiting_ = 0;    // bytes of the lines returned last that are not done
  bool within_ = false;  // a document
  bool chosen_ = false;  // the document's lines belong to the share
  Clock::time_point said_ = Clock::now();
};

// The bytes of all lines, with an end each.
Index bytes_in(const DocumentFiles& files);

// The files whose names match a pattern of the shell, such as docs/*.md, in the order of their
// bytes; without any, the pattern itself.
std::vector<std::filesystem::path> matching_files(const std::string& pattern);

// The tokens of the documents. A line end between two lines of a document is a
// token; documents without tokens are left out. Throws IoError, and DataError if no token is left.
TokenText write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer);

}  // namespace tapehead
