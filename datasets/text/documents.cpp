#include "datasets/text/documents.hpp"

#include <fcntl.h>
#include <glob.h>

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/tokenizers/parallel_lines.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

namespace {

constexpr Index lines_at_once = 64;  // few, since lines may be long
constexpr Index bytes_at_once = Index{1} << 20;

constexpr std::size_t encoded_at_once = std::size_t{1} << 22;
constexpr Index ranges_at_once = 64;  // of parts, for the threads to share

// Why a split's share of the text may have no line; empty if the share begins at byte 0.
std::string why_empty(const DocumentFiles& files, const DocumentReader& reader) {
  if (files.share.from == 0) {
    return "";
  }
  const bool by_line = files.end == DocumentEnd::file;
  const Index count = by_line ? reader.lines() : reader.documents();
  const char* const unit = by_line ? "line" : "document";
  std::string text = fmt::format(": the text has {} {}{}, and a split begins at the start of a {}",
                                 count, unit, count == 1 ? "" : "s", unit);
  if (files.end == DocumentEnd::separator && reader.separators() == 0) {
    text += fmt::format("; no line is the task.separator, {}", shown(files.separator));
  }
  return fmt::format("{}; more {}s are needed, or a file for task.{}_text", text, unit,
                     files.split);
}

class Writing {
 public:
  explicit Writing(const Tokenizer& tokenizer)
      : tokenizer_(tokenizer), line_end_(tokenizer.encode(line_end)), writer_(tokenizer.size()) {}

  // Cuts long lines into parts, which are encoded in parallel as short lines are.
  void add(const std::vector<DocumentLine>& lines, DocumentReader& reader) {
    std::vector<Part> parts;
    for (const DocumentLine& line : lines) {
      std::string_view rest = line.text;
      do {
        parts.push_back({.text = tokenizer_.take_part(rest, part_bytes)});
        parts.back().ends = rest.empty();
      } while (!rest.empty());
    }
    auto line = lines.begin();
    std::vector<TokenId> tokens;
    std::string_view unknown;  // the line's first part that has an unknown token
    for (std::span<Part> rest = parts; !rest.empty();) {
      std::size_t count = 0;  // of parts that together have about `encoded_at_once` bytes
      for (std::size_t bytes = 0; count < rest.size() && bytes < encoded_at_once; ++count) {
        bytes += rest[count].text.size();
      }
      const std::span<Part> some = rest.first(count);
      rest = rest.subspan(some.size());
      encode(some);
      for (Part& part : some) {
        tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
        counts_.words += part.words;
        if (unknown.empty() && std::ranges::find(part.tokens, unknown_id) != part.tokens.end()) {
          unknown = part.text;
        }
        if (part.ends) {
          add(*line++, std::exchange(tokens, {}), std::exchange(unknown, {}));
        }
        part.tokens = {};
        reader.done(std::ssize(part.text) + 1);
      }
    }
  }

  TokenText finish(const DocumentFiles& files, const DocumentReader& reader) {
    end_document();
    if (writer_.documents() == 0) {
      throw DataError("{}: no text for the {} split{}", files.name, files.split,
                      why_empty(files, reader));
    }
    if (empty_ > 0) {
      spdlog::info("{}: the {} split leaves out documents without a token: {} document{}",
                   files.name, files.split, empty_, empty_ == 1 ? "" : "s");
    }
    return writer_.finish(counts_);
  }

 private:
  struct Part {
    std::string_view text{};
    bool ends = false;  // the line ends with this part
    std::vector<TokenId> tokens{};
    Index words = 0;
  };

  void encode(std::span<Part> parts) const {
    for_line_ranges(
        std::ssize(parts),
        [&](Index first, Index last) {
          for (Part& part : parts.subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(last - first))) {
            part.tokens = tokenizer_.encode(part.text);
            part.words = std::ssize(units_of(part.text, Unit::word));
          }
        },
        std::clamp<Index>(std::ssize(parts) / ranges_at_once, 1, 1000));
  }

  void add(const DocumentLine& line, const std::vector<TokenId>& tokens, std::string_view unknown) {
    if (line.opens) {
      end_document();
    } else if (begun_) {
      add_tokens(line_end_, line_end, line.number);
      counts_.bytes += std::ssize(line_end);
    }
    begun_ = true;
    add_tokens(tokens, unknown, line.number);
    counts_.bytes += std::ssize(line.text);
  }

  // `unknown`: text with an unknown token; empty if there is none.
  void add_tokens(const std::vector<TokenId>& tokens, std::string_view unknown, Index line) {
    writer_.add(tokens);
    counts_.unknown.see(tokenizer_, unknown, tokens, line);
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
  Index empty_ = 0;     // documents without a token
  bool begun_ = false;  // a document has begun
  bool any_ = false;    // this document has a token
};

}  // namespace

bool DocumentReader::open_next() {
  if (opened_ == files_.paths.size()) {
    return false;
  }
  const fs::path& path = files_.paths[opened_++];
  file_.emplace(path, O_RDONLY);
  reader_.emplace(file_->descriptor(), path);
  lines_before_ += std::exchange(lines_, 0);
  within_ = false;
  return true;
}

std::vector<DocumentLine> DocumentReader::next() {
  std::vector<DocumentLine> lines;
  waiting_ = 0;
  while (lines.empty() || waiting_ < bytes_at_once) {
    done(0);
    auto read = reader_ ? reader_->next(lines_at_once) : std::vector<std::string>();
    if (read.empty() && !open_next()) {
      break;
    }
    const fs::path& path = files_.paths[opened_ - 1];
    for (std::string& line : read) {
      ++lines_;
      if (const auto fault = utf8_fault(line, path, static_cast<std::size_t>(lines_))) {
        throw DataError(*fault);
      }
      const Index begin = std::exchange(bytes_, bytes_ + std::ssize(line) + 1);
      const bool first = opens(line);
      documents_ += first ? 1 : 0;
      if (first || files_.end == DocumentEnd::file) {
        chosen_ = begin >= files_.share.from && begin < files_.share.to;
      }
      if (within_ && chosen_) {
        waiting_ += std::ssize(line) + 1;
        lines.push_back({.text = std::move(line), .opens = first, .number = lines_});
      }
    }
  }
  return lines;
}

void DocumentReader::done(Index bytes) {
  waiting_ -= std::min(bytes, waiting_);
  if (seconds_since(said_) > files_.log_seconds) {
    said_ = Clock::now();
    spdlog::info("{}: {:.1f} MB read for the {} split", files_.name,
                 static_cast<double>(bytes_ - waiting_) / 1e6, files_.split);
  }
}

// Whether a document begins with this line. Sets `within_`: whether a document has this line.
bool DocumentReader::opens(const std::string& line) {
  const bool before = within_;
  within_ = true;
  if (files_.end == DocumentEnd::separator) {
    within_ = line != files_.separator;
    separators_ += within_ ? 0 : 1;
    almost_separators_ += within_ && trimmed(line) == trimmed(files_.separator) ? 1 : 0;
  } else if (files_.end != DocumentEnd::file) {
    within_ = line.find_first_not_of(" \t\v\f\r") != std::string::npos;  // not blank
  }
  return within_ && (!before || files_.end == DocumentEnd::line);
}

std::vector<fs::path> matching_files(const std::string& pattern) {
  glob_t found{};
  std::vector<fs::path> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  } else {
    files = {pattern};
  }
  ::globfree(&found);
  std::ranges::sort(files);
  return files;
}

Index bytes_in(const DocumentFiles& files) {
  DocumentReader reader(files);
  reader.for_each_line([](const DocumentLine&) {});
  return reader.bytes();
}

TokenText write_tokens(const DocumentFiles& files, const Tokenizer& tokenizer) {
  Writing writing(tokenizer);
  DocumentReader reader(files);
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    writing.add(lines, reader);
  }
  // Warns once for all splits of the same files.
  if (files.end == DocumentEnd::separator && reader.separators() == 0 && files.share.from == 0) {
    const Index almost = reader.almost_separators();
    spdlog::warn("{}: no line is the task.separator, {}, so each file is one document{}",
                 files.name, shown(files.separator),
                 almost == 0
                     ? ""
                     : fmt::format("; {} line{} from the separator only by white space at the ends",
                                   almost, almost == 1 ? " differs" : "s differ"));
  }
  return writing.finish(files, reader);
}

}  // namespace tapehead
