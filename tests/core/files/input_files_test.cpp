// An input file is recognised by any path, link or descriptor, and is never used as an output.
#include "core/files/input_output.hpp"

#include <fcntl.h>

#include "tests/support/io_error.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class InputFilesTest : public Test {
 protected:
  void SetUp() override {
    std::ofstream(here / "in") << "dear";
    std::ofstream(here / "out") << "old";
    fs::create_directory(here / "sub");
    fs::create_symlink(here / "in", here / "symlink");
    fs::create_hard_link(here / "in", here / "hardlink");
    inputs.add(here / "in");
  }

  TemporaryDirectory here;
  InputFiles inputs;
};

TEST_F(InputFilesTest, every_name_of_an_input_is_refused_as_it_is) {
  for (const std::string name : {"in", "sub/../in", "./in", "symlink", "hardlink"}) {
    EXPECT_THAT(io_error_of([&] { open_output(here / name, inputs); }),
                AllOf(HasSubstr("cannot write to " + (here / name).string()),
                      HasSubstr((here / "in").string() + ", which is read")));
    EXPECT_NE(io_error_of([&] { inputs.expect_other(here / name); }), "no error") << name;
    EXPECT_EQ(content_of(here / "in"), "dear");
  }
}

TEST_F(InputFilesTest, an_open_input_is_known_by_its_descriptor) {
  const OpenFile opened(here / "out", O_RDONLY);
  inputs.add(opened.descriptor(), "standard input");
  EXPECT_THAT(io_error_of([&] { open_output(here / "out", inputs); }),
              HasSubstr("standard input, which is read"));
  EXPECT_EQ(content_of(here / "out"), "old");
  const OpenFile appended(here / "hardlink", O_WRONLY | O_APPEND);
  EXPECT_THAT(io_error_of([&] { inputs.expect_other(appended.descriptor(), "standard output"); }),
              HasSubstr("cannot write to standard output"));
}

TEST_F(InputFilesTest, another_file_is_written_from_its_beginning) {
  open_output(here / "out", inputs).write("x");
  EXPECT_EQ(content_of(here / "out"), "x");
  open_output(here / "new", inputs).write("y");
  EXPECT_EQ(content_of(here / "new"), "y");
  EXPECT_EQ(content_of(here / "in"), "dear");
}

TEST_F(InputFilesTest, what_is_no_regular_file_or_not_there_can_be_both) {
  inputs.add(here / "nowhere");
  inputs.add("/dev/null");
  EXPECT_EQ(io_error_of([&] { open_output("/dev/null", inputs).write("x"); }), "no error");
  EXPECT_EQ(io_error_of([&] { open_output(here / "nowhere", inputs).write("x"); }), "no error");
}

}}  // namespace tapehead
