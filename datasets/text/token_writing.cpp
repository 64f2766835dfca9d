#include "datasets/text/token_writing.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

// Why a share of a text can be without a line; empty for a split that has files of its own. The
// reader has read them all.
std::string why_empty(const DocumentFiles& files, const DocumentReader& reader) {
  if (files.share.from == 0) {
    return "";
  }
  const bool by_line = files.end == DocumentEnd::file;
  const Index count = by_line ? reader.lines() : reader.documents();
  const char* const unit = by_line ? "line" : "document";
  std::string text = fmt::format(": the text has {} {}{}, and a split begins with a {}", count,
                                 unit, count == 1 ? "" : "s", unit);
  if (files.end == DocumentEnd::separator && reader.separators() == 0) {
    text += fmt::format("; no line is the task.separator, {}", shown(files.separator));
  }
  return fmt::format("{}; more {}s are needed, or a file for task.{}_text", text, unit,
                     files.split);
}

// Warns of a text that its separator does not separate. Splits with a share of the same files have
// the warning once.
void warn_without_separator(const DocumentFiles& files, const DocumentReader& reader) {
  if (files.end != DocumentEnd::separator || reader.separators() > 0 || files.share.from > 0) {
    return;
  }
  const Index almost = reader.almost_separators();
  spdlog::warn("{}: no line is the task.separator, {}, so each file is one document{}", files.name,
               shown(files.separator),
               almost == 0 ? ""
                           : fmt::format("; {} line{} from it only by white space at the ends",
                                         almost, almost == 1 ? " differs" : "s differ"));
}

class Writing {
 public:
  explicit Writing(const Tokenizer& tokenizer)
      : tokenizer_(tokenizer), line_end_(tokenizer.encode(line_end)), writer_(tokenizer.size()) {}

  void add(const std::vector<DocumentLine>& lines) {
    std::vector<std::vector<TokenId>> tokens(lines.size());
    for_line_ranges(std::ssize(lines), [&](Index first, Index last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
        tokens[i] = tokenizer_.encode(lines[i].text);
      }
    });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      add(lines[i], tokens[i]);
    }
  }

  TokenText finish(const DocumentFiles& files, const DocumentReader& reader) {
    end_document();
    if (writer_.documents() == 0) {
      throw DataError(fmt::format("{}: no text for the {} split{}", files.name, files.split,
                                  why_empty(files, reader)));
    }
    if (empty_ > 0) {
      spdlog::info("{}: without a token, and left out of the {} split: {} document{}", files.name,
                   files.split, empty_, empty_ == 1 ? "" : "s");
    }
    return writer_.finish(counts_);
  }

 private:
  void add(const DocumentLine& line, const std::vector<TokenId>& tokens) {
    if (line.opens) {
      end_document();
    } else if (begun_) {
      add_tokens(line_end_, line_end, line.number);
    }
    begun_ = true;
    add_tokens(tokens, line.text, line.number);
    counts_.words += std::ssize(units_of(line.text, Unit::word));
  }

  void add_tokens(const std::vector<TokenId>& tokens, std::string_view text, Index line) {
    writer_.add(tokens);
    counts_.unknown.see(tokenizer_, text, tokens, line);
    counts_.bytes += std::ssize(text);
    any_ = any_ || !tokens.empty();
  }

  void end_document() {
    if (any_) {
      writer_.end_document();
    }
    empty_ += begun_ && !any_ ? 1 : 0;
    begun_ = any_ = false;
  }

  const Tokenizer& tokenizer_;
  std::vector<TokenId> line_end_;
  TokenTextWriter writer_;
  TextCounts counts_;
  Index empty_ = 0;     // documents
  bool begun_ = false;  // a document
  bool any_ = false;    // it has a token
};

}  // namespace

TokenText write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer) {
  Writing writing(tokenizer);
  DocumentReader reader(files);
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    writing.add(lines);
  }
  warn_without_separator(files, reader);
  return writing.finish(files, reader);
}

}  // namespace tapehead
