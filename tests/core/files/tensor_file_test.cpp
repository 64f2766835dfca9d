// Tensor files return what was written, have bytes that depend on content alone, and include files
// of the reference implementation.
#include "core/files/tensor_file.hpp"

#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "core/files/files.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

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
  const TensorFile file(directory / "file");

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
  EXPECT_EQ(values<std::int64_t>(file.entry("integers"), 3), integers);
}

TEST(TensorFile, a_file_without_tensors_is_one) {
  const TemporaryDirectory directory;
  write_tensor_file(directory / "file", {}, {});
  const TensorFile file(directory / "file");
  EXPECT_TRUE(file.entries().empty());
  EXPECT_TRUE(file.metadata().empty());
}

TEST(TensorFile, moving_it_keeps_its_values) {
  const TemporaryDirectory directory;
  write_tensor_file(directory / "file", some_entries(), {});
  TensorFile file(directory / "file");
  const TensorFile moved = std::move(file);
  EXPECT_EQ(values<double>(moved.entry("scalar"), 1), doubles);
}

TEST(TensorFile, reals_are_converted_and_counts_checked) {
  const TemporaryDirectory directory;
  write_tensor_file(directory / "file", some_entries(), {});
  const TensorFile file(directory / "file");
  EXPECT_THAT(values<float>(file.entry("scalar"), 1), ElementsAre(0.1F));
  EXPECT_EQ(values<double>(file.entry("b.floats"), 6),
            std::vector<double>(floats.begin(), floats.end()));
  EXPECT_THROW(values<float>(file.entry("integers"), 3), IoError);
  EXPECT_THROW(values<std::int64_t>(file.entry("scalar"), 1), IoError);
  EXPECT_EQ(io_error_of([&] { values<float>(file.entry("b.floats"), 5); }),
            "tensor 'b.floats' of shape (2, 3) and type F32 does not give 5 real numbers");
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

TEST(TensorFile, a_name_that_is_not_there_is_named) {
  const TemporaryDirectory directory;
  write_tensor_file(directory / "file", some_entries(), {});
  const TensorFile file(directory / "file");
  EXPECT_EQ(file.find("other"), nullptr);
  EXPECT_THAT(io_error_of([&] { file.bytes("other"); }),
              HasSubstr("file: it has no tensor 'other'"));
  EXPECT_THAT(io_error_of([&] { file.metadata("other"); }),
              HasSubstr("file: its metadata has no 'other'"));
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
  EXPECT_THAT(error({"a", DType::f32, {6}, bytes}, {{"checksum", ""}}), HasSubstr("is taken"));
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

TEST(TensorFile, a_full_disk_leaves_the_old_file) {
  const TemporaryDirectory directory;
  const fs::path path = directory / "file";
  write_tensor_file(path, some_entries(), {{"number", "1"}});
  ChildProcess child([&] {
    const rlimit limit{.rlim_cur = 300, .rlim_max = 300};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, SIG_IGN);
    const std::string message =
        io_error_of([&] { write_tensor_file(path, some_entries(), {{"number", "2"}}); });
    return message == "cannot write " + path.string() + ": File too large" ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(TensorFile(path).metadata("number"), "1");
}

}}  // namespace tapehead
