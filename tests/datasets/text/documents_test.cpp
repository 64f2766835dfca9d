// Documents: where they start and end in a file, and which lines belong to a share of the file.
#include "datasets/text/documents.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class Documents : public Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& content) {
    std::ofstream(here_ / name) << content;
    return here_ / name;
  }

  // The lines; "#" is put before a line that starts a document.
  static std::vector<std::string> read(const DocumentFiles& files) {
    DocumentReader reader(files);
    std::vector<std::string> all;
    for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
      for (const DocumentLine& line : lines) {
        all.push_back((line.opens ? "#" : "") + line.text);
      }
    }
    return all;
  }

  TemporaryDirectory here_;
};

TEST_F(Documents, end_with_their_file) {
  const auto one = file("1", "a\n\nb\n");
  const auto two = file("2", "c");
  EXPECT_THAT(read({.paths = {one, two}}), ElementsAre("#a", "", "b", "#c"));
}

TEST_F(Documents, end_with_each_line) {
  const auto one = file("1", "a\n \n\nb\r\nc\n");
  EXPECT_THAT(read({.paths = {one}, .end = DocumentEnd::line}), ElementsAre("#a", "#b", "#c"));
}

TEST_F(Documents, end_at_blank_lines) {
  const auto one = file("1", "\n\na\nb\n\n \nc\n");
  EXPECT_THAT(read({.paths = {one}, .end = DocumentEnd::blank_line}), ElementsAre("#a", "b", "#c"));
}

TEST_F(Documents, end_at_separators) {
  const auto one = file("1", "a\n\nb\n%\n%\nc\n%d\n");
  EXPECT_THAT(read({.paths = {one}, .end = DocumentEnd::separator, .separator = "%"}),
              ElementsAre("#a", "", "b", "#c", "%d"));
}

// Adjacent shares together have every line exactly once.
TEST_F(Documents, are_shared_out_whole_but_those_of_a_file_by_lines) {
  const auto one = file("1", "aa\nbb\n\ncc\ndd\nee\n");
  for (const DocumentEnd end : {DocumentEnd::file, DocumentEnd::blank_line}) {
    const auto all = read({.paths = {one}, .end = end});
    for (Index cut = 0; cut <= 17; ++cut) {
      auto lines = read({.paths = {one}, .end = end, .share = {.from = 0, .to = cut}});
      const auto rest = read({.paths = {one}, .end = end, .share = {.from = cut}});
      lines.insert(lines.end(), rest.begin(), rest.end());
      EXPECT_EQ(lines, all) << cut;
    }
  }
  EXPECT_THAT(read({.paths = {one}, .share = {.from = 4}}), ElementsAre("", "cc", "dd", "ee"));
  EXPECT_THAT(read({.paths = {one}, .end = DocumentEnd::blank_line, .share = {.from = 0, .to = 9}}),
              ElementsAre("#aa", "bb", "#cc", "dd", "ee"));
}

TEST_F(Documents, are_counted_in_the_share_or_not) {
  const auto one = file("1", "a\n%\nb\n");
  const auto two = file("2", "c % \n%\n\t% \n");
  DocumentReader reader({.paths = {one, two},
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

TEST_F(Documents, of_a_file_that_is_not_text_are_refused_with_the_place) {
  const auto one = file("1", "a\n");
  const auto two = file("2", "b\nc\xFF\n");
  EXPECT_THAT(message_of<DataError>([&] { read({.paths = {one, two}}); }),
              HasSubstr("2:2: byte 2 (0xFF) is not valid UTF-8"));
}

TEST_F(Documents, are_in_the_files_that_match_a_pattern_in_order) {
  file("b.txt", "");
  file("a.txt", "");
  file("c.md", "");
  EXPECT_THAT(matching_files((here_ / "*.txt").string()),
              ElementsAre(here_ / "a.txt", here_ / "b.txt"));
  EXPECT_THAT(matching_files((here_ / "none").string()), ElementsAre(here_ / "none"));
}

}}  // namespace tapehead
