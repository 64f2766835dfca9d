// Text files: what counts as a line, and how invalid files are rejected. The reader returns the
// same lines, however the input arrives. Documents: where they start and end in a file, and which
// lines belong to a share of the file.
#include "datasets/text/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <random>
#include <thread>

#include "core/files/files.hpp"
#include "datasets/text/documents.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

using Lines = std::vector<std::string>;

constexpr Index all_lines = std::numeric_limits<Index>::max();
const std::string byte_order_mark = "\xEF\xBB\xBF";

std::string packed(const std::string& content) {
  const TemporaryDirectory directory;
  const std::string path = directory / "packed";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
  gzclose(file);
  return read_file(path);
}

Lines lines_of(std::string_view content) {
  const TemporaryDirectory directory;
  return read_lines(directory.write("text.en", content));
}

TEST(TextFile, lines_end_with_or_without_a_carriage_return_and_gzip_is_told_by_content) {
  const std::string zeros(1000000, '0');  // highly compressible
  Lines numbers;                          // hardly compressible, and larger than any buffer
  std::minstd_rand random(1);
  for (int line = 0; line < 30000; ++line) {
    numbers.push_back(std::to_string(random()));
  }
  const std::vector<std::pair<std::string, Lines>> cases{
      {"one\ntwo\n", {"one", "two"}},
      {"one\r\ntwo\r\n", {"one", "two"}},
      {"one\n\n two ", {"one", "", " two "}},
      {"\n", {""}},
      {byte_order_mark + "one\n", {"one"}},
      {packed("one\r\nzwölf\n"), {"one", "zwölf"}},
      {packed("one\ntw") + packed("o\n"), {"one", "two"}},
      {packed(zeros), {zeros}},
      {packed(fmt::format("{}\n", fmt::join(numbers, "\n"))), numbers},
  };
  for (const auto& [content, lines] : cases) {
    EXPECT_EQ(lines_of(content), lines);
  }
}

TEST(TextFile, damage_is_refused_with_its_place) {
  const std::string whole = packed("some text that is long enough to be cut\n");
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum (RFC 1952, section 2.3.1)
  for (const auto& [content, error] : std::map<std::string, std::string>{
           {whole.substr(0, whole.size() - 1), "gzip data that ends before it is complete"},
           {whole.substr(0, 15), "gzip data that ends before it is complete"},
           {flipped, "gzip data that is damaged"}}) {
    EXPECT_THAT(io_error_of([&] { lines_of(content); }), HasSubstr("text.en: " + error));
  }
  for (const auto& [content, error] : std::map<std::string, std::string>{
           {"", "1: the file is empty"},
           {byte_order_mark, "1: the file is empty"},
           {packed(""), "1: the file is empty"},
           {"gut\nstra\xDF"
            "e\n",
            "2: byte 5 (0xDF) is not valid UTF-8"},
           {std::string("\xFF\xFEh\0i\0", 6),
            "1: byte 1 (0xFF) is not valid UTF-8; the file looks like UTF-16"}}) {
    EXPECT_THAT(message_of<DataError>([&] { lines_of(content); }), HasSubstr("text.en:" + error));
  }
  const TemporaryDirectory directory;
  EXPECT_THAT(io_error_of([&] { read_lines(directory / "none.en"); }), HasSubstr("none.en"));
  EXPECT_THAT(io_error_of([&] { read_lines(directory.path()); }), HasSubstr("it is a directory"));
}

// A pipe, and the reader of its end.
class Pipe {
 public:
  void write(std::string_view bytes) { in_.write(bytes); }
  void end() { in_.close(); }
  Lines next(Index most = all_lines) { return reader_.next(most); }

 private:
  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    return ends;
  }

  const std::array<int, 2> ends_ = make_pipe();
  const OpenFile out_{ends_[0], "the pipe"};
  OpenFile in_{ends_[1], "the pipe"};
  TextReader reader_{ends_[0], "the pipe"};
};

// Writes each byte separately after a pause: a pause does not end a line.
Lines lines_of_drops(const std::string& bytes) {
  Pipe pipe;
  std::thread writer([&] {
    for (const char byte : bytes) {
      pipe.write({&byte, 1});
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    pipe.end();
  });
  Lines lines;
  for (auto some = pipe.next(2); !some.empty(); some = pipe.next(2)) {
    lines.insert(lines.end(), some.begin(), some.end());
  }
  writer.join();
  return lines;
}

TEST(TextPipe, hands_out_what_is_there) {
  Pipe pipe;
  pipe.write("one\ntwo\nthr");
  EXPECT_THAT(pipe.next(1), ElementsAre("one"));
  EXPECT_THAT(pipe.next(), ElementsAre("two"));
  pipe.write("ee\r\n\n");
  EXPECT_THAT(pipe.next(), ElementsAre("three", ""));
  pipe.write("last");
  pipe.end();
  EXPECT_THAT(pipe.next(), ElementsAre("last"));
  EXPECT_THAT(pipe.next(), IsEmpty());
}

TEST(TextPipe, drops_are_put_together) {
  const std::vector<std::pair<std::string, Lines>> cases{
      {byte_order_mark + "one\r\n\ntwo", {"one", "", "two"}},
      {packed(byte_order_mark + "one\r\n") + packed("two\n"), {"one", "two"}},
      {"\x1f", {"\x1f"}},  // a single byte is no gzip
      // Only the first mark is none, and all other bytes are the lines.
      {byte_order_mark + byte_order_mark + "one\n" + byte_order_mark + "two\n",
       {byte_order_mark + "one", byte_order_mark + "two"}},
      {std::string("a\0b\r\x0b\n\0\n", 8), {std::string("a\0b\r\x0b", 5), std::string("\0", 1)}},
  };
  for (const auto& [bytes, lines] : cases) {
    EXPECT_EQ(lines_of_drops(bytes), lines);
    Pipe pipe;
    pipe.write(bytes);
    pipe.end();
    EXPECT_EQ(pipe.next(), lines) << "at once";
  }
}

TEST(TextPipe, damage_and_a_line_without_an_end_name_the_input) {
  const TemporaryDirectory here;
  const fs::path hole = here.write("bomb", "one\n");
  fs::resize_file(hole, std::size_t{101} << 20);
  const OpenFile file(hole, O_RDONLY);
  TextReader reader(file.descriptor(), "the bomb");
  EXPECT_THAT([&] { reader.next(all_lines); },  // before the line takes all memory
              throws<DataError>("the bomb:2: the line is longer than 100 MiB"));
  const std::string whole = packed("some text that is long enough\n");
  Pipe pipe;
  pipe.write(whole.substr(0, whole.size() - 3));
  pipe.end();
  EXPECT_THAT([&] { pipe.next(); },
              throws<IoError>("cannot read the pipe: gzip data that ends before it is complete"));
}

// Reads `mebibytes` of lines, a gzip member for each. It has `noise` random characters, of which
// two take a byte. Returns the bytes of the lines.
Index read_gzip(int mebibytes, int noise) {
  std::string text;
  for (int line = 0; line < 1024; ++line) {
    text += std::string(1023, 'a') + '\n';
  }
  std::minstd_rand random(1);
  for (int i = 0; i < noise; ++i) {
    text[static_cast<std::size_t>(i + i / 1023)] = static_cast<char>('a' + random() % 16);
  }
  const std::string member = packed(text);
  const TemporaryDirectory here;
  std::ofstream members(here / "corpus.gz", std::ios::binary);
  for (int i = 0; i < mebibytes; ++i) {
    members << member;
  }
  members.close();
  const OpenFile file(here / "corpus.gz", O_RDONLY);
  TextReader reader(file.descriptor(), "corpus.gz");
  Index bytes = 0;
  for (Lines lines = reader.next(64); !lines.empty(); lines = reader.next(64)) {
    bytes += std::ssize(lines) * 1024;
  }
  return bytes;
}

TEST(TextFile, gzip_that_unpacks_to_more_than_32_MiB_and_200_times_its_size_is_refused) {
  EXPECT_EQ(read_gzip(32, 0), 32 << 20);
  EXPECT_EQ(read_gzip(33, 4000), 33 << 20);  // about 180 times its size
  EXPECT_THAT([] { read_gzip(33, 0); },
              throws<IoError>("cannot read corpus.gz: gzip data that unpacks to more than 32 MiB "
                              "and more than 200 times its size; if you trust it, unpack it with "
                              "gunzip first"));
}

// The lines; "#" is put before a line that starts a document.
Lines read(const DocumentFiles& files) {
  DocumentReader reader(files);
  Lines all;
  for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
    for (const DocumentLine& line : lines) {
      all.push_back((line.opens ? "#" : "") + line.text);
    }
  }
  return all;
}

TEST(Documents, end_with_their_file_with_each_line_at_blank_lines_or_at_separators) {
  struct Case {
    DocumentEnd end;
    std::string file, next_file;
    Lines lines;
  };
  const TemporaryDirectory here;
  for (const auto& [end, file, next_file, lines] :
       {Case{DocumentEnd::file, "a\n\nb\n", "c", {"#a", "", "b", "#c"}},
        {DocumentEnd::line, "a\n \n\nb\r\nc\n", "d\n", {"#a", "#b", "#c", "#d"}},
        {DocumentEnd::blank_line, "\n\na\nb\n\n \nc\n", "d\n", {"#a", "b", "#c", "#d"}},
        {DocumentEnd::separator,
         "a\n\nb\n%\n%\nc\n%d\n",
         "e\n",
         {"#a", "", "b", "#c", "%d", "#e"}}}) {
    EXPECT_EQ(read({.paths = {here.write("1", file), here.write("2", next_file)},
                    .end = end,
                    .separator = "%"}),
              lines);
  }
}

// Adjacent shares together have every line exactly once.
TEST(Documents, are_shared_out_whole_but_those_of_a_file_by_lines) {
  const TemporaryDirectory here;
  DocumentFiles files{.paths = {here.write("1", "aa\nbb\n\ncc\ndd\nee\n")}};
  const auto share = [&](const TextShare& part) {
    files.share = part;
    return read(files);
  };
  for (const DocumentEnd end : {DocumentEnd::blank_line, DocumentEnd::file}) {
    files.end = end;
    const Lines all = share({});
    for (Index cut = 0; cut <= 17; ++cut) {
      Lines lines = share({.from = 0, .to = cut});
      const Lines rest = share({.from = cut});
      lines.insert(lines.end(), rest.begin(), rest.end());
      EXPECT_EQ(lines, all) << cut;
    }
  }
  EXPECT_THAT(share({.from = 4}), ElementsAre("", "cc", "dd", "ee"));
  files.end = DocumentEnd::blank_line;
  EXPECT_THAT(share({.from = 0, .to = 9}), ElementsAre("#aa", "bb", "#cc", "dd", "ee"));
}

TEST(Documents, are_counted_in_the_share_or_not) {
  const TemporaryDirectory here;
  DocumentReader reader(
      {.paths = {here.write("1", "a\n%\nb\n"), here.write("2", "c % \n%\n\t% \n")},
       .end = DocumentEnd::separator,
       .separator = "%",
       .share = {.from = 4}});  // starts at the line b
  while (!reader.next().empty()) {
  }
  EXPECT_EQ(reader.lines(), 6);
  EXPECT_EQ(reader.documents(), 4);  // a, b, c and the last line
  EXPECT_EQ(reader.separators(), 2);
  EXPECT_EQ(reader.almost_separators(), 1);
}

TEST(Documents, are_in_the_files_that_match_a_pattern_in_order_and_refused_if_no_text) {
  const TemporaryDirectory here;
  for (const char* name : {"b.txt", "a.txt", "c.md"}) {
    here.write(name, "");
  }
  EXPECT_THAT(matching_files(here / "*.txt"), ElementsAre(here / "a.txt", here / "b.txt"));
  EXPECT_THAT(matching_files(here / "none"), ElementsAre(here / "none"));
  const DocumentFiles files{.paths = {here.write("1", "a\n"), here.write("2", "b\nc\xFF\n")}};
  EXPECT_THAT([&] { read(files); }, throws<DataError>("2:2: byte 2 (0xFF) is not valid UTF-8"));
}

}}  // namespace tapehead
