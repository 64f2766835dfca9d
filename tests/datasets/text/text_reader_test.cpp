// The text reader returns the same lines, however the input arrives.
#include "datasets/text/text_file.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <chrono>
#include <thread>

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr Index all_lines = std::numeric_limits<Index>::max();

class TextPipe : public Test {
 protected:
  ~TextPipe() override {
    ::close(ends_[0]);
    end();
  }
  void write(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void end() {
    if (ends_[1] >= 0) {
      ::close(ends_[1]);
      ends_[1] = -1;
    }
  }
  // Writes each byte separately after a pause: a pause does not end a line.
  std::vector<std::string> lines_of_drops(const std::string& bytes) {
    std::thread writer([&] {
      for (const char byte : bytes) {
        write({&byte, 1});
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      end();
    });
    std::vector<std::string> lines;
    for (auto some = reader_.next(2); !some.empty(); some = reader_.next(2)) {
      lines.insert(lines.end(), some.begin(), some.end());
    }
    writer.join();
    return lines;
  }
  std::string packed(const std::string& content) const {
    const std::string path = directory_ / "packed";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return read_file(path);
  }

  static std::array<int, 2> make_pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    return ends;
  }

  TemporaryDirectory directory_;
  std::array<int, 2> ends_ = make_pipe();
  TextReader reader_{ends_[0], "the pipe"};
};

TEST_F(TextPipe, hands_out_what_is_there) {
  write("one\ntwo\nthr");
  EXPECT_THAT(reader_.next(1), ElementsAre("one"));
  EXPECT_THAT(reader_.next(all_lines), ElementsAre("two"));
  write("ee\r\n\n");
  EXPECT_THAT(reader_.next(all_lines), ElementsAre("three", ""));
  write("last");
  end();
  EXPECT_THAT(reader_.next(all_lines), ElementsAre("last"));
  EXPECT_THAT(reader_.next(all_lines), IsEmpty());
}

TEST_F(TextPipe, drops_are_put_together) {
  EXPECT_THAT(lines_of_drops("\xEF\xBB\xBFone\r\n\ntwo"), ElementsAre("one", "", "two"));
}

TEST_F(TextPipe, packed_drops_are_put_together) {
  EXPECT_THAT(lines_of_drops(packed("\xEF\xBB\xBFone\r\n") + packed("two\n")),
              ElementsAre("one", "two"));
}

TEST_F(TextPipe, a_single_byte_is_no_gzip) {
  EXPECT_THAT(lines_of_drops("\x1f"), ElementsAre("\x1f"));
}

TEST_F(TextPipe, only_the_first_mark_is_none) {
  write("\xEF\xBB\xBF\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n");
  end();
  EXPECT_THAT(reader_.next(all_lines), ElementsAre("\xEF\xBB\xBFone", "\xEF\xBB\xBFtwo"));
}

TEST_F(TextPipe, all_other_bytes_are_the_lines) {
  const std::string bytes("a\0b\r\x0b\n\0\n", 8);
  write(bytes);
  end();
  EXPECT_THAT(reader_.next(all_lines),
              ElementsAre(std::string("a\0b\r\x0b", 5), std::string("\0", 1)));
}

TEST_F(TextPipe, a_line_without_an_end_is_refused_before_it_takes_all_memory) {
  const std::string bomb = packed("one\n" + std::string(std::size_t{101} << 20, '0'));
  std::ofstream(directory_ / "bomb", std::ios::binary) << bomb;
  const OpenFile file(directory_ / "bomb", O_RDONLY);
  TextReader reader(file.descriptor(), "the bomb");
  EXPECT_THAT(message_of<DataError>([&] { reader.next(all_lines); }),
              HasSubstr("the bomb:2: the line is longer than 100 MiB"));
}

TEST_F(TextPipe, damage_names_the_input) {
  const std::string whole = packed("some text that is long enough\n");
  write(whole.substr(0, whole.size() - 3));
  end();
  EXPECT_THAT(io_error_of([&] { reader_.next(all_lines); }),
              HasSubstr("cannot read the pipe: gzip data that ends before it is complete"));
}

}}  // namespace tapehead
