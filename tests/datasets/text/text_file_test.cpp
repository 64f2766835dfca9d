// Text files: what counts as a line, and how invalid files are rejected.
#include "datasets/text/text_file.hpp"

#include <zlib.h>

#include <random>

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class TextFile : public Test {
 protected:
  std::vector<std::string> lines_of(std::string_view content) const {
    write_file_atomically(file_, content);
    return read_lines(file_);
  }

  std::string complaint_about(std::string_view content) const {
    return message_of<DataError>([&] { lines_of(content); });
  }

  std::string damage_in(std::string_view content) const {
    return io_error_of([&] { lines_of(content); });
  }

  std::string packed(const std::string& content) const {
    const std::string path = directory_ / "packed";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return read_file(path);
  }

  TemporaryDirectory directory_;
  std::filesystem::path file_ = directory_ / "text.en";
};

TEST_F(TextFile, lines_end_with_or_without_a_carriage_return) {
  EXPECT_THAT(lines_of("one\ntwo\n"), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of("one\r\ntwo\r\n"), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of("one\n\n two "), ElementsAre("one", "", " two "));
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
}

TEST_F(TextFile, a_byte_order_mark_is_no_text) {
  EXPECT_THAT(lines_of("\xEF\xBB\xBFone\n"), ElementsAre("one"));
}

TEST_F(TextFile, gzip_is_told_by_content) {
  EXPECT_THAT(lines_of(packed("one\r\nzwölf\n")), ElementsAre("one", "zwölf"));
  EXPECT_THAT(lines_of(packed("one\ntw") + packed("o\n")), ElementsAre("one", "two"));
}

TEST_F(TextFile, a_large_gzip_file_is_unpacked_whole) {
  std::string text;  // hardly compressible, and larger than any buffer
  std::minstd_rand random(1);
  for (int line = 0; line < 30000; ++line) {
    text += std::to_string(random()) + "\n";
  }
  const std::vector<std::string> lines = lines_of(packed(text));
  ASSERT_EQ(lines.size(), 30000U);
  EXPECT_EQ(lines.back() + "\n", text.substr(text.size() - lines.back().size() - 1));
  const std::string zeros(1000000, '0');  // highly compressible
  EXPECT_THAT(lines_of(packed(zeros)), ElementsAre(zeros));
}

TEST_F(TextFile, damaged_gzip_is_refused) {
  const std::string whole = packed("some text that is long enough to be cut\n");
  EXPECT_THAT(damage_in(whole.substr(0, whole.size() - 1)),
              HasSubstr("text.en: gzip data that ends before it is complete"));
  EXPECT_THAT(damage_in(whole.substr(0, 15)), HasSubstr("ends before it is complete"));
  std::string flipped = whole;
  flipped[flipped.size() - 6] ^= 1;  // in the checksum (RFC 1952, section 2.3.1)
  EXPECT_THAT(damage_in(flipped), HasSubstr("text.en: gzip data that is damaged"));
}

TEST_F(TextFile, a_file_that_is_missing_or_a_directory_is_named) {
  EXPECT_THAT(io_error_of([&] { read_lines(directory_ / "none.en"); }), HasSubstr("none.en"));
  EXPECT_THAT(io_error_of([&] { read_lines(directory_.path()); }), HasSubstr("it is a directory"));
}

TEST_F(TextFile, an_empty_file_is_refused) {
  EXPECT_THAT(complaint_about(""), EndsWith("text.en:1: the file is empty"));
  EXPECT_THAT(complaint_about("\xEF\xBB\xBF"), EndsWith("text.en:1: the file is empty"));
  EXPECT_THAT(complaint_about(packed("")), EndsWith("text.en:1: the file is empty"));
}

TEST_F(TextFile, invalid_utf8_is_refused_with_line_and_byte) {
  EXPECT_THAT(complaint_about("gut\nstra\xDF"
                              "e\n"),
              HasSubstr("text.en:2: byte 5 (0xDF) is not valid UTF-8"));
  EXPECT_THAT(complaint_about(std::string_view("\xFF\xFEh\0i\0", 6)),
              HasSubstr("text.en:1: byte 1 (0xFF) is not valid UTF-8; the file looks like UTF-16"));
}

}}  // namespace tapehead
