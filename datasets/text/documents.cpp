#include "datasets/text/documents.hpp"

#include <fcntl.h>
#include <glob.h>

#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

constexpr Index lines_at_once = 64;  // which may be long
constexpr Index bytes_at_once = Index{1} << 20;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\v\f\r") == std::string_view::npos;
}

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
      if (within_ && belongs(begin, first)) {
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

// Whether a document begins with this line. Afterwards `within_` says whether the line is of one.
bool DocumentReader::opens(const std::string& line) {
  const bool before = within_;
  switch (files_.end) {
    case DocumentEnd::file:
      within_ = true;
      return !before;
    case DocumentEnd::line:
      return within_ = !is_blank(line);
    case DocumentEnd::blank_line:
      within_ = !is_blank(line);
      return within_ && !before;
    case DocumentEnd::separator:
      within_ = line != files_.separator;
      separators_ += within_ ? 0 : 1;
      almost_separators_ += within_ && trimmed(line) == trimmed(files_.separator) ? 1 : 0;
      return within_ && !before;
  }
  return false;
}

bool DocumentReader::belongs(Index begin, bool opens) {
  if (opens || files_.end == DocumentEnd::file) {
    chosen_ = begin >= files_.share.from && begin < files_.share.to;
  }
  return chosen_;
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
  while (!reader.next().empty()) {
  }
  return reader.bytes();
}

}  // namespace tapehead
