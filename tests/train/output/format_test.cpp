// Durations, counts and tables, written out by hand.
#include "train/output/text_table.hpp"

#include "tests/support/testing.hpp"

namespace tapehead { namespace {

TEST(RunFormat, durations) {
  EXPECT_EQ(format_duration(0), "0.00 s");
  EXPECT_EQ(format_duration(-1), "0.00 s");
  EXPECT_EQ(format_duration(0.994), "0.99 s");
  EXPECT_EQ(format_duration(0.999), "1.0 s");
  EXPECT_EQ(format_duration(9.94), "9.9 s");
  EXPECT_EQ(format_duration(9.96), "10 s");
  EXPECT_EQ(format_duration(59.4), "59 s");
  EXPECT_EQ(format_duration(59.6), "1 min 00 s");
  EXPECT_EQ(format_duration(65), "1 min 05 s");
  EXPECT_EQ(format_duration(3599.6), "1 h 00 min");
  EXPECT_EQ(format_duration(7380), "2 h 03 min");
  EXPECT_EQ(format_duration(86399), "1 d 00 h");
  EXPECT_EQ(format_duration(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(format_duration(std::nan("")), "unknown");
  EXPECT_EQ(format_duration(INFINITY), "unknown");
}

TEST(RunFormat, counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(950), "950");
  EXPECT_EQ(format_count(999.4), "999");
  EXPECT_EQ(format_count(999.6), "1.0 k");
  EXPECT_EQ(format_count(1234), "1.2 k");
  EXPECT_EQ(format_count(999949), "999.9 k");
  EXPECT_EQ(format_count(999951), "1.0 M");
  EXPECT_EQ(format_count(2.6e6), "2.6 M");
  EXPECT_EQ(format_count(3.14e9), "3.1 G");
  EXPECT_EQ(format_count(-2000), "-2.0 k");
  EXPECT_EQ(format_count(5e16), "50000.0 T");
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
