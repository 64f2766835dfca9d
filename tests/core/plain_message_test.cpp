// Error messages: those of the C++ library in plain words, tapehead's own unchanged.
#include "core/text.hpp"

#include <new>
#include <system_error>

#include "core/files/process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

std::string said_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return plain_message(error);
  }
  return "no error";
}

TEST(PlainMessage, of_lack_of_memory_has_a_remedy) {
  EXPECT_THAT(said_of([] { throw std::bad_alloc(); }), StartsWith("out of memory; try a smaller"));
  EXPECT_THAT(said_of([] { std::vector<int>().reserve(~std::size_t{0}); }),
              StartsWith("out of memory; "));
}

TEST(PlainMessage, of_a_file_names_it) {
  EXPECT_EQ(said_of([] { fs::rename("/nowhere/a", "/nowhere/b"); }),
            "cannot use /nowhere/a: No such file or directory");
  const std::error_code reason = std::make_error_code(std::errc::no_such_file_or_directory);
  EXPECT_EQ(said_of([&] { throw fs::filesystem_error("cannot get current path", reason); }),
            "cannot get current path: No such file or directory");
}

TEST(PlainMessage, of_tapehead_is_as_it_was_written) {
  EXPECT_EQ(said_of([] { throw DataError("a:3: no target"); }), "a:3: no target");
}

TEST(PlainMessage, comes_from_a_process_apart) {
  EXPECT_THAT(
      message_of<DataError>([] { isolated([]() -> std::string { throw std::bad_alloc(); }); }),
      StartsWith("out of memory; "));
}

}}  // namespace tapehead
