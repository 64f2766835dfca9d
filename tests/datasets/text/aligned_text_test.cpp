// Aligned text: pairs of lines, and files whose lines do not pair.
#include "datasets/text/parallel_options.hpp"

#include "core/files/files.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(AlignedText, two_files_pair_line_by_line) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "a", "one\n\nthree\n");
  write_file_atomically(directory / "b", "eins\r\nzwei\r\ndrei");
  const AlignedText text = read_aligned_files(directory / "a", directory / "b");
  EXPECT_THAT(text.source, ElementsAre("one", "", "three"));
  EXPECT_THAT(text.target, ElementsAre("eins", "zwei", "drei"));
}

TEST(AlignedText, unequal_line_counts_are_refused_with_both) {
  const TemporaryDirectory directory;
  const std::string a = directory / "a";
  const std::string b = directory / "b";
  write_file_atomically(a, "one\ntwo\nthree\n");
  write_file_atomically(b, "eins\nzwei\n");
  const std::string both_ways = "{}:2: the file ends here, but {} has {} lines and {} has {};";
  EXPECT_THAT(message_of<DataError>([&] { read_aligned_files(a, b); }),
              StartsWith(fmt::format(fmt::runtime(both_ways), b, a, 3, b, 2)));
  EXPECT_THAT(message_of<DataError>([&] { read_aligned_files(b, a); }),
              StartsWith(fmt::format(fmt::runtime(both_ways), b, b, 2, a, 3)));
}

TEST(AlignedText, a_tab_parts_source_and_target) {
  const TemporaryDirectory directory;
  write_file_atomically(directory / "pairs.tsv", "one\teins\r\n\tzwei\nthree\t\n");
  const AlignedText text = read_pairs(directory / "pairs.tsv");
  EXPECT_THAT(text.source, ElementsAre("one", "", "three"));
  EXPECT_THAT(text.target, ElementsAre("eins", "zwei", ""));
}

TEST(AlignedText, a_first_line_of_names_is_a_header) {
  const TemporaryDirectory directory;
  const auto sources = [&](std::string_view content, HeaderLine header) {
    write_file_atomically(directory / "pairs.tsv", content);
    return read_pairs(directory / "pairs.tsv", header).source;
  };
  constexpr auto automatic = HeaderLine::automatic;
  for (const std::string header : {"source\ttarget", "Sentence_1\tTRANSLATION ", "src\ttgt"}) {
    EXPECT_THAT(sources(header + "\none\teins\n", automatic), ElementsAre("one"));
    EXPECT_EQ(sources(header + "\none\teins\n", HeaderLine::absent).size(), 2U);
    EXPECT_EQ(sources(header + "\n", automatic).size(), 1U) << "nothing follows it";
  }
  for (const std::string first : {"text\tText ist da", "a source\ttarget", "\t", "one\teins"}) {
    EXPECT_EQ(sources(first + "\ntwo\tzwei\n", automatic).size(), 2U) << first;
    EXPECT_THAT(sources(first + "\ntwo\tzwei\n", HeaderLine::present), ElementsAre("two"));
  }
  EXPECT_THAT(message_of<DataError>([&] { sources("one\teins\n", HeaderLine::present); }),
              EndsWith("pairs.tsv:1: nothing follows the header (task.header)"));
}

TEST(AlignedText, a_line_without_exactly_one_tab_is_refused) {
  const TemporaryDirectory directory;
  const auto complaint = [&](std::string_view content) {
    write_file_atomically(directory / "pairs.tsv", content);
    return message_of<DataError>([&] { read_pairs(directory / "pairs.tsv"); });
  };
  EXPECT_THAT(complaint("a\tb\nc d\n"),
              EndsWith("pairs.tsv:2: no tabs, where source, one tab and target are expected"));
  EXPECT_THAT(complaint("a\tb\tc\n"),
              EndsWith("pairs.tsv:1: 2 tabs, where source, one tab and target are expected"));
}

}}  // namespace tapehead
