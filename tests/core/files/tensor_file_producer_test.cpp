// Tensor files whose bytes are produced while they are written.
#include <sys/resource.h>

#include <csignal>

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

constexpr std::size_t numbers = 3;

// Entries without data, not in file order.
std::vector<TensorEntry> promised_entries() {
  return {{"m.b", DType::f32, {3}, {}},
          {"wide", DType::f64, {3}, {}},
          {"m.a", DType::f32, {1, 3}, {}},
          {"none", DType::f32, {0}, {}}};
}

// Produces one entry at a time: its numbers are 1, 2 and 3 times the length of its name.
class OneAtATime {
 public:
  std::span<const std::byte> operator()(const TensorEntry& entry) {
    asked.push_back(entry.name);
    for (std::size_t i = 0; i < numbers; ++i) {
      reals_[i] = static_cast<double>((i + 1) * entry.name.size());
      floats_[i] = static_cast<float>(reals_[i]);
    }
    const auto bytes = entry.dtype == DType::f64 ? std::as_bytes(std::span(reals_))
                                                 : std::as_bytes(std::span(floats_));
    return entry.shape == std::vector<Index>{0} ? bytes.first(0) : bytes;
  }

  std::vector<std::string> asked;

 private:
  std::vector<float> floats_ = std::vector<float>(numbers);
  std::vector<double> reals_ = std::vector<double>(numbers);
};

std::size_t files_in(const std::filesystem::path& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory), {}));
}

TEST(TensorFileProducer, gives_the_file_of_entries_that_have_their_bytes) {
  const TemporaryDirectory directory;
  const Metadata metadata{{"step", "7"}};
  OneAtATime producer;
  write_tensor_file(directory / "produced", promised_entries(), metadata, std::ref(producer));
  EXPECT_THAT(producer.asked, ElementsAre("wide", "m.a", "m.b", "none"));

  const std::vector<float> three{3, 6, 9};  // for names of three letters
  const std::vector<double> four{4, 8, 12};
  std::vector<TensorEntry> entries = promised_entries();
  entries[0].bytes = std::as_bytes(std::span(three));
  entries[1].bytes = std::as_bytes(std::span(four));
  entries[2].bytes = entries[0].bytes;
  write_tensor_file(directory / "whole", entries, metadata);
  EXPECT_EQ(read_file(directory / "produced"), read_file(directory / "whole"));
  EXPECT_EQ(TensorFile(directory / "produced").metadata("step"), "7");
}

TEST(TensorFileProducer, is_asked_in_the_order_that_is_announced) {
  std::vector<std::string> names;
  for (const TensorEntry& entry : in_file_order(promised_entries())) {
    names.push_back(entry.name);
  }
  EXPECT_THAT(names, ElementsAre("wide", "m.a", "m.b", "none"));
}

// The checksums come from Python's zlib.crc32: of the header with zeros in place of the checksums,
// and of the four bytes of 1.0.
TEST(TensorFileBytes, are_length_header_and_data) {
  const TemporaryDirectory directory;
  const std::vector<float> one{1};
  const std::vector<TensorEntry> entries{{"one", DType::f32, {1}, std::as_bytes(std::span(one))}};
  write_tensor_file(directory / "file", entries, {});
  EXPECT_EQ(read_file(directory / "file"),
            std::string("\x68\0\0\0\0\0\0\0", 8) +
                R"({"__metadata__":{"checksum":"aa6ffe82-aca16a6a"},)"
                R"("one":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})" +
                std::string("\0\0\x80\x3f", 4));
}

TEST(TensorFileProducer, that_fails_leaves_the_old_file_alone) {
  const TemporaryDirectory directory;
  write_tensor_file(directory / "file", {}, {{"number", "1"}});
  const auto fails_at_second = [count = 0,
                                producer = OneAtATime()](const TensorEntry& entry) mutable {
    return ++count == 2 ? throw std::runtime_error("rank 1 is gone") : producer(entry);
  };
  EXPECT_EQ(message_of<std::runtime_error>([&] {
              write_tensor_file(directory / "file", promised_entries(), {}, fails_at_second);
            }),
            "rank 1 is gone");
  const auto too_few = [producer = OneAtATime()](const TensorEntry& entry) mutable {
    return producer(entry).first(0);
  };
  EXPECT_THAT(
      io_error_of([&] { write_tensor_file(directory / "file", promised_entries(), {}, too_few); }),
      HasSubstr("file: tensor 'wide' of shape (3) has 0 bytes instead of 24"));
  EXPECT_EQ(TensorFile(directory / "file").metadata("number"), "1");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

TEST(TensorFileProducer, and_a_disk_that_fills_up_leave_the_old_file_alone) {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  write_tensor_file(path, promised_entries(), {}, OneAtATime());
  // Cuts the second tensor in its middle: it and the third have 12 bytes each, the last has none.
  const rlim_t most = std::filesystem::file_size(path) - 12 - 6;
  write_tensor_file(path, {}, {{"number", "1"}});
  ChildProcess child([&] {
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    OneAtATime producer;
    const std::string message =
        io_error_of([&] { write_tensor_file(path, promised_entries(), {}, std::ref(producer)); });
    return producer.asked.size() == 2 && message.ends_with("File too large") ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(TensorFile(path).metadata("number"), "1");
  EXPECT_EQ(files_in(directory.path()), 1U);
}

}}  // namespace tapehead
