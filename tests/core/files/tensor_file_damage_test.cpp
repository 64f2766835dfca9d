// Damaged and misleading tensor files are rejected with an error that says what is wrong.
#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::string small_file(const TemporaryDirectory& directory) {
  const std::vector<float> floats{1, 2, 3};
  const std::vector<TensorEntry> entries{
      {"a", DType::f32, {3}, std::as_bytes(std::span(floats))},
      {"b", DType::f32, {1, 2}, std::as_bytes(std::span(floats).first(2))}};
  write_tensor_file(directory / "small", entries, {{"step", "7"}});
  return read_file(directory / "small");
}

std::string error_of(const TemporaryDirectory& directory, std::string_view content,
                     Trust trust = Trust::checksum) {
  std::ofstream(directory / "file", std::ios::binary) << content;
  return io_error_of([&] { TensorFile(directory / "file", trust); });
}

TEST(TensorFileDamage, every_flipped_bit_is_seen) {
  const TemporaryDirectory directory;
  std::string content = small_file(directory);
  ASSERT_EQ(error_of(directory, content), "no error");
  for (std::size_t i = 0; i < content.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      content[i] = static_cast<char>(content[i] ^ (1 << bit));
      EXPECT_THAT(error_of(directory, content),
                  HasSubstr("cannot use " + directory.path().string()))
          << "byte " << i << ", bit " << bit;
      content[i] = static_cast<char>(content[i] ^ (1 << bit));
    }
  }
}

TEST(TensorFileDamage, every_truncation_and_what_is_appended_is_seen) {
  const TemporaryDirectory directory;
  const std::string content = small_file(directory);
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_THAT(error_of(directory, content.substr(0, size)), HasSubstr("truncated"))
        << size << " bytes";
  }
  EXPECT_THAT(error_of(directory, content + '\0'), HasSubstr("1 bytes follow its last tensor"));
  EXPECT_THAT(error_of(directory, content + content), HasSubstr("bytes follow its last tensor"));
}

TEST(TensorFileDamage, files_of_another_kind_are_refused) {
  const TemporaryDirectory directory;
  const std::string zeros(4096, '\0');
  std::string ours = small_file(directory);
  ours.back() = static_cast<char>(ours.back() ^ 1);
  const std::vector<std::tuple<std::string, Trust, std::string>> cases{
      {"", Trust::checksum, "truncated or not a tensor file: 0 bytes"},
      {"PK\x03\x04 a zip file, as PyTorch writes it", Trust::checksum,
       "truncated or not a tensor file"},
      {zeros, Trust::checksum, "carries no checksum"},
      {zeros, Trust::any, "not JSON"},
      {std::string(4096, '\xff'), Trust::checksum, "not a tensor file"},
      // A file of ours is checked even when any would do.
      {ours, Trust::any, "its data does not match its checksum"}};
  for (const auto& [content, trust, message] : cases) {
    EXPECT_THAT(error_of(directory, content, trust), HasSubstr(message));
  }
}

// A file without a checksum: the header, then `data` zero bytes.
std::string foreign(std::string_view header, std::size_t data) {
  const std::uint64_t length = header.size();
  std::string content(8, '\0');
  std::memcpy(content.data(), &length, 8);
  return content.append(header).append(data, '\0');
}

std::string tensor(std::string_view shape, std::string_view offsets,
                   std::string_view dtype = "\"F32\"") {
  return std::string(R"({"dtype":)") + std::string(dtype) + R"(,"shape":)" + std::string(shape) +
         R"(,"data_offsets":)" + std::string(offsets) + "}";
}

TEST(TensorFileDamage, headers_that_mislead_are_refused) {
  const TemporaryDirectory directory;
  const auto one = [](const std::string& entry) { return R"({"a":)" + entry + "}"; };
  const auto two = [](const std::string& a, const std::string& b) {
    return R"({"a":)" + a + R"(,"b":)" + b + "}";
  };
  const std::string first = tensor("[2]", "[0,8]");
  const std::vector<std::tuple<std::string, std::size_t, std::string>> cases{
      // header, bytes of data, message
      {one(first), 8, "no error"},
      {one(tensor("[3]", "[0,8]")), 8, "shape (3) has 8 bytes instead of 12"},
      {one(tensor("[2]", "[0,9]")), 8, "ends at byte 9 of the data, which has 8"},
      {one(tensor("[2]", "[18446744073709551608,0]")), 8, "impossible data_offsets"},
      {one(tensor("[2]", "[8,0]")), 8, "impossible data_offsets"},
      {one(tensor("[2]", "[0,8,8]")), 8, "impossible data_offsets"},
      {one(tensor("[2]", "[0]")), 8, "impossible data_offsets"},
      {one(tensor("[2]", "[-8,0]")), 8, "instead of a list of counts"},
      {one(tensor("[2.0]", "[0,8]")), 8, "instead of a list of counts"},
      {one(tensor("{}", "[0,8]")), 8, "instead of a list of counts"},
      {one(tensor("[[2]]", "[0,8]")), 8, "nested too deeply"},
      {one(tensor("[2]", "[0,8]", "\"F4\"")), 8, "type F4; the known ones are F32, F64, I64"},
      {one(tensor("[2]", "[0,8]", "[]")), 8, "type []"},
      {one("[]"), 8, "lacks one of"},
      {one(R"({"dtype":"F32","shape":[2]})"), 8, "lacks one of"},
      // Products that overflow to the correct size: 2^62 · 4 · 4 = 2^66, and 2^64 - 1.
      {one(tensor("[4611686018427387904,4]", "[0,0]")), 0, "impossible shape"},
      {one(tensor("[18446744073709551615]", "[0,8]")), 8, "impossible shape"},
      {one(tensor("[99999999999999999999]", "[0,8]")), 8, "instead of a list of counts"},
      {two(first, tensor("[1]", "[8,12]")), 12, "no error"},
      {two(first, tensor("[2]", "[4,12]")), 12, "overlap or leave gaps"},
      {two(first, first), 8, "overlap or leave gaps"},
      {two(first, tensor("[1]", "[12,16]")), 16, "overlap or leave gaps"},
      {one(tensor("[1]", "[4,8]")), 8, "overlap or leave gaps"},
      {R"({"a":)" + first + R"(,"a":)" + first + "}", 8, "gives 'a' twice"},
      {R"({"__metadata__":{"a":1}})", 0, "not a table of texts"},
      {R"({"__metadata__":[]})", 0, "not a table of texts"},
      {"[]", 0, "not a table"},
      {"7", 0, "not a table"},
      {"{\"a\xff\":1}", 0, "not JSON"},
      {std::string(1000000, '['), 0, "nested too deeply"}};
  for (const auto& [header, data, message] : cases) {
    EXPECT_THAT(error_of(directory, foreign(header, data), Trust::any), HasSubstr(message))
        << header.substr(0, 100);
  }
}

TEST(TensorFileDamage, a_header_length_beyond_the_file_is_refused) {
  const TemporaryDirectory directory;
  for (const std::uint64_t length : {std::uint64_t{3}, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string content = foreign("{}", 0);
    std::memcpy(content.data(), &length, 8);
    EXPECT_THAT(error_of(directory, content, Trust::any),
                AllOf(HasSubstr("header should have"), HasSubstr(std::to_string(length))));
  }
}

}}  // namespace tapehead
