#include "datasets/text/text_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <cctype>
#include <cerrno>
#include <new>

#include <spdlog/spdlog.h>

#include "core/files/files.hpp"
#include "core/text.hpp"
#include "datasets/task.hpp"

namespace tapehead {

namespace {

constexpr std::string_view gzip_signature = "\x1f\x8b";     // RFC 1952, section 2.3.1
constexpr int gzip_window = 16 + MAX_WBITS;                 // zlib's code for gzip
constexpr std::size_t most_at_once = std::size_t{1} << 30;  // zlib counts in 32 bits
// A small gzip file must not take all memory. Deflate packs zeros up to 1032 times smaller (zlib's
// technical details), but real corpora only 3 to 30 times. 32 MiB of empty lines take 1 GiB.
constexpr std::uint64_t most_unpacked = std::uint64_t{32} << 20;  // refused if beyond both
constexpr std::uint64_t most_times_smaller = 200;
constexpr int pause_milliseconds = 20;
constexpr int for_ever = -1;
// In bytes. Lines of text are shorter, and the libraries that process them count in 32 bits.
constexpr std::size_t longest_line = std::size_t{100} << 20;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// The last ones are languages: names, and codes of ISO 639-1 that are no common English words.
constexpr std::array<std::string_view, 47> column_names{
    "category", "class",    "hypothesis", "input",       "label",    "output", "phrase",  "premise",
    "query",    "question", "reference",  "review",      "sentence", "source", "src",     "target",
    "text",     "tgt",      "title",      "translation", "ar",       "arabic", "cs",      "czech",
    "de",       "german",   "deutsch",    "en",          "english",  "es",     "spanish", "fr",
    "french",   "italian",  "ja",         "japanese",    "ko",       "nl",     "dutch",   "pl",
    "polish",   "pt",       "portuguese", "ru",          "russian",  "zh",     "chinese"};

// Whether all fields are names of columns, in any case, and perhaps with a number: Sentence_2.
bool names_columns(std::string_view line) {
  return std::ranges::all_of(std::views::split(line, '\t'), [](const auto& field) {
    std::string name(field.begin(), field.end());
    for (char& character : name) {
      character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
    }
    name.erase(name.find_last_not_of(" \t_0123456789") + 1);
    return std::ranges::find(column_names, name) != column_names.end();
  });
}

bool has_header(HeaderLine given, const fs::path& file, const std::vector<std::string>& lines,
                const std::function<bool(const std::vector<std::string>&)>& is_header) {
  const bool alone = lines.size() == 1;
  if (given == HeaderLine::present && alone) {
    throw DataError("{}:1: nothing follows the header (task.header)", file.string());
  }
  if (given != HeaderLine::automatic || alone ||
      !(names_columns(lines.front()) || (is_header && is_header(lines)))) {
    return given == HeaderLine::present;
  }
  spdlog::info("{}:1: skipped as a header: {} (task.header: false reads it as data)", file.string(),
               shown(lines.front()));
  return true;
}

}  // namespace

class TextReader::Gunzip : NotCopied {
 public:
  // `name`: the file, for messages.
  explicit Gunzip(fs::path name) : name_(std::move(name)) {
    if (inflateInit2(&stream_, gzip_window) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gunzip() { inflateEnd(&stream_); }

  // Unpacks the next bytes of the file and appends the result to `text`. A file may have several
  // members, one after another. Throws IoError that names the file if the bytes are damaged, unpack
  // to more than text does, or are the `last` and the content is incomplete.
  void unpack(std::string_view packed, bool last, std::string& text) {
    std::array<char, 1 << 16> buffer;
    bool full = false;  // whether the output filled the buffer, so that there may be more
    while (!packed.empty() || full) {
      const std::string_view part = packed.substr(0, most_at_once);
      stream_.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(part.data()));
      stream_.avail_in = static_cast<uInt>(part.size());
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_BUF_ERROR) {
        break;  // there was no more output
      }
      if (status != Z_OK && status != Z_STREAM_END) {
        throw fault("is damaged");
      }
      text.append(buffer.data(), buffer.size() - stream_.avail_out);
      packed.remove_prefix(part.size() - stream_.avail_in);
      packed_bytes_ += part.size() - stream_.avail_in;
      unpacked_bytes_ += buffer.size() - stream_.avail_out;
      if (unpacked_bytes_ > std::max(most_unpacked, most_times_smaller * packed_bytes_)) {
        throw fault(fmt::format(
            "unpacks to more than {} MiB and more than {} times its size; if you trust it, "
            "unpack it with gunzip first",
            most_unpacked >> 20, most_times_smaller));
      }
      full = stream_.avail_out == 0;
      complete_ = status == Z_STREAM_END;
      if (complete_) {
        inflateReset(&stream_);
      }
    }
    if (last && !complete_) {
      throw fault("ends before it is complete");
    }
  }

 private:
  IoError fault(std::string_view what) const {
    return IoError("cannot read {}: gzip data that {}", name_.string(), what);
  }

  fs::path name_;
  z_stream stream_{};
  bool complete_ = false;  // a member has ended, and no further one has begun
  std::uint64_t packed_bytes_ = 0;
  std::uint64_t unpacked_bytes_ = 0;
};

TextReader::TextReader(int file, fs::path name) : file_(file), name_(std::move(name)) {}
TextReader::~TextReader() = default;

std::vector<std::string> TextReader::next(Index most) {
  std::vector<std::string> lines;
  while (std::ssize(lines) < most) {
    if (take_line(lines)) {
      continue;
    }
    if (ended_ || !readable(lines.empty() ? for_ever : pause_milliseconds)) {
      break;
    }
    fill();
  }
  return lines;
}

bool TextReader::take_line(std::vector<std::string>& lines) {
  const std::size_t newline = text_.find('\n', std::max(taken_, searched_));
  if (newline == std::string::npos && !ended_) {
    searched_ = text_.size();
    return false;
  }
  // No byte of the byte order mark is a line end, so the first line contains the whole mark.
  if (lines_ == 0 && text_.starts_with(byte_order_mark)) {
    taken_ = byte_order_mark.size();
  }
  if (newline == std::string::npos && taken_ == text_.size()) {
    return false;
  }
  const std::size_t end = std::min(newline, text_.size());
  ++lines_;
  std::string& line = lines.emplace_back(text_, taken_, end - taken_);
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  taken_ = std::min(end + 1, text_.size());
  return true;
}

bool TextReader::readable(int milliseconds) const {
  pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
  int ready = -1;
  do {
    ready = poll(&waiting, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

void TextReader::fill() {
  std::array<char, 65536> chunk;
  ssize_t count = -1;
  do {
    count = read(file_, chunk.data(), chunk.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw io_error("read", name_, errno);
  }
  ended_ = count == 0;
  text_.erase(0, taken_);
  searched_ -= std::min(searched_, std::exchange(taken_, 0));
  add({chunk.data(), static_cast<std::size_t>(count)});
  if (text_.size() > longest_line && text_.find('\n') > longest_line) {
    throw DataError("{}:{}: the line is longer than 100 MiB; is this a text file?", name_.string(),
                    lines_ + 1);
  }
}

void TextReader::add(std::string_view bytes) {
  if (!head_read_) {
    head_ += bytes;
    if (!ended_ && gzip_signature.starts_with(head_)) {
      return;  // too short to tell whether it is gzip
    }
    head_read_ = true;
    if (head_.starts_with(gzip_signature)) {
      gunzip_ = std::make_unique<Gunzip>(name_);
    }
    bytes = head_;
  }
  if (!gunzip_) {
    text_ += bytes;
    return;
  }
  gunzip_->unpack(bytes, ended_, text_);
}

std::optional<std::string> utf8_fault(std::string_view line, const fs::path& file,
                                      std::size_t number) {
  const std::size_t valid = utf8_valid_bytes(line);
  if (valid == line.size()) {
    return std::nullopt;
  }
  const auto byte = static_cast<unsigned char>(line[valid]);
  const bool utf16 = number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"));
  return fmt::format("{}:{}: byte {} (0x{:02X}) is not valid UTF-8; {}", file.string(), number,
                     valid + 1, byte,
                     utf16 ? "the file looks like UTF-16: convert it to UTF-8"
                           : "convert the file to UTF-8, or correct the line");
}

void expect_file(const fs::path& file, std::string_view option) {
  if (!file.empty() && !fs::exists(status_of(file))) {
    const std::string place = file.is_absolute() ? "" : " in " + fs::current_path().string();
    throw IoError("{}: there is no file {}{}", option, file.string(), place);
  }
}

std::vector<std::string> read_lines(const fs::path& file) {
  if (fs::is_directory(status_of(file))) {
    throw IoError("cannot read {}: it is a directory, not a file", file.string());
  }
  const OpenFile open(file, O_RDONLY);
  std::vector<std::string> lines =
      TextReader(open.descriptor(), file).next(std::numeric_limits<Index>::max());
  if (lines.empty()) {
    throw DataError("{}:1: the file is empty", file.string());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const auto fault = utf8_fault(lines[i], file, i + 1)) {
      throw DataError(*fault);
    }
  }
  return lines;
}

std::optional<Violation> given_twice_or_half(const SplitFiles& files,
                                             const std::array<std::string_view, 2>& sides,
                                             const std::string& twice, std::string_view need) {
  const std::string source = fmt::format("task.{}_{}", files.name, sides[0]);
  const std::string target = fmt::format("task.{}_{}", files.name, sides[1]);
  const bool has_source = !files.source.empty();
  const bool has_target = !files.target.empty();
  return first_violation(
      {violation_if(!files.tsv.empty() && (has_source || has_target),
                    {fmt::format("task.{}_tsv", files.name), source, target}, "{}", twice),
       violation_if(has_source != has_target, {has_source ? source : target},
                    "given alone; {} {} too", need, has_source ? target : source)});
}

void keep_texts(SplitText from, Split& split) {
  split.source_texts = std::move(from.text.source);
  split.references = std::move(from.text.target);
  split.types = std::move(from.types);
  if (from.whole) {
    split.source_file = from.files.source_file();
    split.target_file = from.files.target_file();
    split.lines = std::move(from.text.numbers);
  }
}

AlignedText read_aligned_files(const fs::path& source, const fs::path& target,
                               const LineWords& words) {
  AlignedText text{.source = read_lines(source), .target = read_lines(target)};
  const std::size_t sources = text.source.size();
  const std::size_t targets = text.target.size();
  if (sources != targets) {
    throw DataError("{}:{}: the file ends here, but {} has {}{} and {} has {}{}; {}",
                    (sources < targets ? source : target).string(), std::min(sources, targets),
                    source.string(), sources, words.sources, target.string(), targets,
                    words.targets, words.rule);
  }
  text.numbers = mapped(numbers_below(std::ssize(text.source)), [](Index i) { return i + 1; });
  return text;
}

AlignedText read_tab_separated(
    const fs::path& file, HeaderLine header,
    const std::function<void(const std::string&, std::size_t)>& expect_columns,
    const std::function<bool(const std::vector<std::string>&)>& is_header) {
  std::vector<std::string> lines = read_lines(file);
  AlignedText text;
  for (std::size_t i = has_header(header, file, lines, is_header) ? 1 : 0; i < lines.size(); ++i) {
    std::string& line = lines[i];
    expect_columns(line, i + 1);
    const std::size_t tab = line.rfind('\t');
    text.target.push_back(line.substr(tab + 1));
    line.resize(tab);
    text.source.push_back(std::move(line));
    text.numbers.push_back(static_cast<Index>(i) + 1);
  }
  return text;
}

}  // namespace tapehead
