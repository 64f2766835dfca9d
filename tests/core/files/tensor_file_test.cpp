// Tensor files return what was written, have bytes that depend on content alone, and include files
// of the reference implementation. Their bytes may be produced while they are written.
#include "core/files/tensor_file.hpp"

#include <sys/resource.h>

#include <csignal>

#include "core/files/files.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const std::vector<float> floats{1.5F, -2.25F, 3.0F, 0.1F, 1e-30F, -0.0F};
const std::vector<double> doubles{0.1};
const std::vector<std::int64_t> integers{0, -1, std::int64_t{1} << 62};

std::vector<TensorEntry> some_entries() {
  return {{"b.floats", DType::f32, {2, 3}, std::as_bytes(std::span(floats))},
          {"scalar", DType::f64, {}, std::as_bytes(std::span(doubles))},
          {"a.floats", DType::f32, {3, 2}, std::as_bytes(std::span(floats))},
          {"empty", DType::f32, {0, 7}, {}},
          {"alone", DType::f32, {1}, std::as_bytes(std::span(floats).first(1))},
          {"integers", DType::i64, {3}, std::as_bytes(std::span(integers))}};
}

template <class T>
std::vector<T> values(const TensorEntry& entry, std::size_t count) {
  std::vector<T> result(count);
  copy_values(entry, std::span<T>(result));
  return result;
}

TEST(TensorFile, what_is_written_is_read) {
  const TemporaryDirectory directory;
  const Metadata metadata{{"config", "a: \"b\"\n"}, {"text", "ü – \t"}, {"", ""}};
  write_tensor_file(directory / "file", some_entries(), metadata);
  TensorFile written(directory / "file");
  const TensorFile file = std::move(written);

  EXPECT_EQ(file.metadata(), metadata);
  EXPECT_EQ(file.metadata("config"), "a: \"b\"\n");
  ASSERT_EQ(file.entries().size(), 6U);
  for (const TensorEntry& expected : some_entries()) {
    const TensorEntry& found = file.entry(expected.name);
    EXPECT_EQ(found.dtype, expected.dtype);
    EXPECT_EQ(found.shape, expected.shape);
    EXPECT_TRUE(std::ranges::equal(found.bytes, expected.bytes)) << expected.name;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found.bytes.data()) % byte_width(found.dtype), 0U);
  }
  EXPECT_EQ(values<float>(file.entry("b.floats"), 6), floats);
  EXPECT_EQ(values<double>(file.entry("scalar"), 1), doubles);
  EXPECT_EQ(values<std::int64_t>(file.entry("integers"), 3), integers);
  // Reals are converted, and counts checked.
  EXPECT_THAT(values<float>(file.entry("scalar"), 1), ElementsAre(0.1F));
  EXPECT_EQ(values<double>(file.entry("b.floats"), 6),
            std::vector<double>(floats.begin(), floats.end()));
  EXPECT_THROW(values<float>(file.entry("integers"), 3), IoError);
  EXPECT_THROW(values<std::int64_t>(file.entry("scalar"), 1), IoError);
  EXPECT_EQ(io_error_of([&] { values<float>(file.entry("b.floats"), 5); }),
            "tensor 'b.floats' of shape (2, 3) and type F32 does not give 5 real numbers");
  EXPECT_EQ(file.find("other"), nullptr);
  EXPECT_THAT(io_error_of([&] { file.bytes("other"); }),
              HasSubstr("file: it has no tensor 'other'"));
  EXPECT_THAT(io_error_of([&] { file.metadata("other"); }),
              HasSubstr("file: its metadata has no 'other'"));

  write_tensor_file(directory / "empty", {}, {});
  const TensorFile empty(directory / "empty");
  EXPECT_TRUE(empty.entries().empty());
  EXPECT_TRUE(empty.metadata().empty());
}

// Types that other programs write. The widths come from safetensors 0.8.0 (Dtype).
TEST(TensorFile, tensors_of_any_type_may_stand_beside_those_that_are_read) {
  const std::vector<std::pair<std::string, std::size_t>> widths{
      {"BOOL", 1},    {"U8", 1},      {"I8", 1},          {"U16", 2},        {"I16", 2},
      {"U32", 4},     {"I32", 4},     {"U64", 8},         {"C64", 8},        {"F8_E4M3", 1},
      {"F8_E5M2", 1}, {"F8_E8M0", 1}, {"F8_E4M3FNUZ", 1}, {"F8_E5M2FNUZ", 1}};
  const TemporaryDirectory directory;
  for (const auto& [type, width] : widths) {
    const std::string header =
        fmt::format(R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":[0,4]}},)"
                    R"("b":{{"dtype":"{}","shape":[1,3],"data_offsets":[4,{}]}}}})",
                    type, 4 + 3 * width);
    const std::uint64_t length = header.size();
    std::string content(reinterpret_cast<const char*>(&length), sizeof length);
    content += header + std::string(4 + 3 * width, '\0');
    write_file_atomically(directory / "file", content);
    const TensorFile file(directory / "file", Trust::any);
    EXPECT_EQ(values<float>(file.entry("a"), 1), std::vector<float>{0});
    EXPECT_EQ(file.entry("b").bytes.size(), 3 * width) << type;
    EXPECT_EQ(io_error_of([&] { values<float>(file.entry("b"), 3); }),
              "tensor 'b' of shape (1, 3) and type " + type + " does not give 3 real numbers");
    EXPECT_THROW(values<std::int64_t>(file.entry("b"), 3), IoError);
    content.replace(content.find("[1,3]"), 5, "[1,4]");
    write_file_atomically(directory / "file", content);
    EXPECT_THAT(io_error_of([&] { TensorFile(directory / "file", Trust::any); }),
                HasSubstr(fmt::format("has {} bytes instead of {}", 3 * width, 4 * width)));
  }
}

TEST(TensorFile, its_bytes_depend_on_content_alone) {
  const TemporaryDirectory directory;
  std::vector<TensorEntry> entries = some_entries();
  write_tensor_file(directory / "one", entries, {{"key", "value"}});
  std::ranges::reverse(entries);
  fs::create_directory(directory / "deeper");
  write_tensor_file(directory / "deeper" / "other name", entries, {{"key", "value"}});
  EXPECT_EQ(read_file(directory / "one"), read_file(directory / "deeper" / "other name"));
}

TEST(TensorFile, what_cannot_be_written_is_refused) {
  const TemporaryDirectory directory;
  const auto bytes = std::as_bytes(std::span(floats));
  const auto error = [&](const TensorEntry& entry, const Metadata& metadata) {
    const std::vector<TensorEntry> entries{entry, {"other", DType::f32, {6}, bytes}};
    return io_error_of([&] { write_tensor_file(directory / "file", entries, metadata); });
  };
  EXPECT_THAT(error({"a", DType::f32, {5}, bytes}, {}),
              HasSubstr("(5) has 24 bytes instead of 20"));
  EXPECT_THAT(error({"other", DType::f32, {6}, bytes}, {}), HasSubstr("two tensors"));
  EXPECT_THAT(error({"a", DType::f32, {-6}, bytes}, {}), HasSubstr("impossible shape (-6)"));
  EXPECT_THAT(error({"a\xff", DType::f32, {6}, bytes}, {}), HasSubstr("not UTF-8"));
  EXPECT_THAT(error({"a", DType::f32, {6}, bytes}, {{"checksum", ""}}), HasSubstr("is reserved"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

// The values that scripts/make_fixtures.py writes with the reference implementation.
TEST(TensorFile, a_file_of_the_reference_implementation_is_read_when_asked_for) {
  const fs::path path = fs::path(TAPEHEAD_FIXTURES) / "safetensors_python.safetensors";
  EXPECT_THAT(io_error_of([&] { TensorFile{path}; }),
              HasSubstr("safetensors_python.safetensors: it carries no checksum of tapehead"));

  const TensorFile file(path, Trust::any);
  EXPECT_EQ(file.metadata("from"), "Python – ü");
  EXPECT_THAT(file.entry("weight").shape, ElementsAre(2, 3));
  const std::vector<float> weight = values<float>(file.entry("weight"), 6);
  EXPECT_EQ(weight, floats);
  EXPECT_TRUE(std::signbit(weight[5]));
  EXPECT_TRUE(file.entry("scalar").shape.empty());
  EXPECT_EQ(values<double>(file.entry("scalar"), 1), doubles);
  EXPECT_THAT(values<std::int64_t>(file.entry("ids"), 4),
              ElementsAre(0, -1, std::int64_t{1} << 62, 7));
  EXPECT_THAT(file.entry("empty").shape, ElementsAre(0, 3));
}

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
    const auto length = static_cast<float>(entry.name.size());
    floats_ = {length, 2 * length, 3 * length};
    reals_.assign(floats_.begin(), floats_.end());
    const auto bytes = entry.dtype == DType::f64 ? std::as_bytes(std::span(reals_))
                                                 : std::as_bytes(std::span(floats_));
    return entry.shape == std::vector<Index>{0} ? bytes.first(0) : bytes;
  }

  std::vector<std::string> asked;

 private:
  std::vector<float> floats_;
  std::vector<double> reals_;
};

std::size_t entries_in(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), {}));
}

TEST(TensorFileProducer, gives_the_file_of_entries_that_have_their_bytes) {
  const TemporaryDirectory directory;
  const Metadata metadata{{"step", "7"}};
  OneAtATime producer;
  write_tensor_file(directory / "produced", promised_entries(), metadata, std::ref(producer));
  EXPECT_THAT(producer.asked, ElementsAre("wide", "m.a", "m.b", "none"));
  std::vector<std::string> announced;
  for (const TensorEntry& entry : in_file_order(promised_entries())) {
    announced.push_back(entry.name);
  }
  EXPECT_EQ(announced, producer.asked);

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
  EXPECT_EQ(entries_in(directory.path()), 1U);
}

TEST(TensorFileProducer, and_a_disk_that_fills_up_leave_the_old_file_alone) {
  const TemporaryDirectory directory;
  const auto path = directory / "file";
  write_tensor_file(path, promised_entries(), {}, OneAtATime());
  // Cuts the second tensor in its middle: it and the third have 12 bytes each, the last has none.
  const rlim_t most = fs::file_size(path) - 12 - 6;
  write_tensor_file(path, {}, {{"number", "1"}});
  ChildProcess child([&] {
    const rlimit limit{.rlim_cur = most, .rlim_max = most};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    OneAtATime producer;
    const std::string message =
        io_error_of([&] { write_tensor_file(path, promised_entries(), {}, std::ref(producer)); });
    const bool told = message == "cannot write " + path.string() + ": File too large";
    return told && producer.asked.size() == 2 ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(TensorFile(path).metadata("number"), "1");
  EXPECT_EQ(entries_in(directory.path()), 1U);
}

}}  // namespace tapehead
