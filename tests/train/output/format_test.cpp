// Durations, counts and tables, written out by hand.
#include "train/output/text_table.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunFormat, durations_and_counts) {
  const std::vector<std::pair<double, std::string>> durations{
      {0, "0.00 s"},        {-1, "0.00 s"},         {0.994, "0.99 s"},        {0.999, "1.0 s"},
      {9.94, "9.9 s"},      {9.96, "10 s"},         {59.4, "59 s"},           {59.6, "1 min 00 s"},
      {65, "1 min 05 s"},   {3599.6, "1 h 00 min"}, {7380, "2 h 03 min"},     {86399, "1 d 00 h"},
      {273600, "3 d 04 h"}, {INFINITY, "unknown"},  {std::nan(""), "unknown"}};
  for (const auto& [seconds, text] : durations) {
    EXPECT_EQ(format_duration(seconds), text) << seconds;
  }
  const std::vector<std::pair<double, std::string>> counts{
      {0, "0"},          {950, "950"},        {999.4, "999"},     {999.6, "1.0 k"},
      {1234, "1.2 k"},   {999949, "999.9 k"}, {999951, "1.0 M"},  {2.6e6, "2.6 M"},
      {3.14e9, "3.1 G"}, {-2000, "-2.0 k"},   {5e16, "50000.0 T"}};
  for (const auto& [count, text] : counts) {
    EXPECT_EQ(format_count(count), text) << count;
  }
}

TEST(RunFormat, columns_are_aligned_whatever_the_letters) {
  Table table({Align::left, Align::right, Align::left});
  table.row({"", "loss", "sample"});
  table.rule();
  table.row({"schön", "1.5", "x"});
  table.row({"plain", "12.25", "yy"});
  table.row({"last"});
  EXPECT_EQ(table.text(),
            "          loss  sample\n"
            "  --------------------\n"
            "  schön    1.5  x\n"
            "  plain  12.25  yy\n"
            "  last");
  EXPECT_EQ(table.text(0).substr(0, 8), "        ");
  EXPECT_EQ(Table({Align::left}).text(), "");
}

// Quoted for a POSIX shell, and for commands that take a word with a leading - as an option.
TEST(ShellWord, is_read_as_the_word_that_it_stands_for) {
  EXPECT_EQ(shell_word("runs/a-1,b=2"), "runs/a-1,b=2");
  EXPECT_EQ(shell_word("my run"), "'my run'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-r"), "./-r");
  EXPECT_EQ(shell_word("- r"), "'./- r'");
}

}}  // namespace tapehead
