// Damaged and misleading tensor files are rejected with an error that says what is wrong.

#include "core/files/files.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/io_error.hpp"
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

TEST(TensorFileDamage, every_truncation_is_seen) {
  const TemporaryDirectory directory;
  const std::string content = small_file(directory);
  for (std::size_t size = 0; size < content.size(); ++size) {
    EXPECT_THAT(error_of(directory, std::string_view(content).substr(0, size)),
                HasSubstr("truncated"))
        << size << " bytes";
  }
}

TEST(TensorFileDamage, what_is_appended_is_seen) {
  const TemporaryDirectory directory;
  const std::string content = small_file(directory);
  EXPECT_THAT(error_of(directory, content + '\0'), HasSubstr("1 bytes follow its last tensor"));
  EXPECT_THAT(error_of(directory, content + content), HasSubstr("bytes follow its last tensor"));
}

TEST(TensorFileDamage, files_of_another_kind_are_refused) {
  const TemporaryDirectory directory;
  EXPECT_THAT(error_of(directory, ""), HasSubstr("truncated or no tensor file: 0 bytes"));
  EXPECT_THAT(error_of(directory, "PK\x03\x04 a zip file, as PyTorch writes it"),
              HasSubstr("truncated or no tensor file"));
  EXPECT_THAT(error_of(directory, std::string(4096, '\0')), HasSubstr("carries no checksum"));
  EXPECT_THAT(error_of(directory, std::string(4096, '\0'), Trust::any), HasSubstr("not JSON"));
  EXPECT_THAT(error_of(directory, std::string(4096, '\xff')), HasSubstr("no tensor file"));
}

TEST(TensorFileDamage, a_file_of_ours_is_checked_even_when_any_would_do) {
  const TemporaryDirectory directory;
  std::string content = small_file(directory);
  content.back() = static_cast<char>(content.back() ^ 1);
  EXPECT_THAT(error_of(directory, content, Trust::any),
              HasSubstr("its data does not have the checksum it states"));
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
  const auto error = [&](const std::string& header, std::size_t data) {
    return error_of(directory, foreign(header, data), Trust::any);
  };
  const auto one = [&](const std::string& entry, std::size_t data = 8) {
    return error(R"({"a":)" + entry + "}", data);
  };
  const auto two = [&](const std::string& a, const std::string& b, std::size_t data) {
    return error(R"({"a":)" + a + R"(,"b":)" + b + "}", data);
  };
  ASSERT_EQ(one(tensor("[2]", "[0,8]")), "no error");

  EXPECT_THAT(one(tensor("[3]", "[0,8]")), HasSubstr("shape (3) has 8 bytes instead of 12"));
  EXPECT_THAT(one(tensor("[2]", "[0,9]")), HasSubstr("ends at byte 9 of the data, which has 8"));
  EXPECT_THAT(one(tensor("[2]", "[18446744073709551608,0]")), HasSubstr("impossible data_offsets"));
  EXPECT_THAT(one(tensor("[2]", "[8,0]")), HasSubstr("impossible data_offsets"));
  EXPECT_THAT(one(tensor("[2]", "[0,8,8]")), HasSubstr("impossible data_offsets"));
  EXPECT_THAT(one(tensor("[2]", "[0]")), HasSubstr("impossible data_offsets"));
  EXPECT_THAT(one(tensor("[2]", "[-8,0]")), HasSubstr("where counts should stand"));
  EXPECT_THAT(one(tensor("[2.0]", "[0,8]")), HasSubstr("where counts should stand"));
  EXPECT_THAT(one(tensor("{}", "[0,8]")), HasSubstr("where counts should stand"));
  EXPECT_THAT(one(tensor("[[2]]", "[0,8]")), HasSubstr("nested too deeply"));
  EXPECT_THAT(one(tensor("[2]", "[0,8]", "\"F4\"")),
              HasSubstr("type F4; the known ones are F32, F64, I64"));
  EXPECT_THAT(one(tensor("[2]", "[0,8]", "[]")), HasSubstr("type []"));
  EXPECT_THAT(one("[]"), HasSubstr("lacks one of"));
  EXPECT_THAT(one(R"({"dtype":"F32","shape":[2]})"), HasSubstr("lacks one of"));

  // Products that overflow to the correct size: 2^62 · 4 · 4 = 2^66, and 2^64 - 1.
  EXPECT_THAT(one(tensor("[4611686018427387904,4]", "[0,0]"), 0), HasSubstr("impossible shape"));
  EXPECT_THAT(one(tensor("[18446744073709551615]", "[0,8]")), HasSubstr("impossible shape"));
  EXPECT_THAT(one(tensor("[99999999999999999999]", "[0,8]")), HasSubstr("counts should stand"));

  const std::string first = tensor("[2]", "[0,8]");
  EXPECT_EQ(two(first, tensor("[1]", "[8,12]"), 12), "no error");
  EXPECT_THAT(two(first, tensor("[2]", "[4,12]"), 12), HasSubstr("overlap or leave gaps"));
  EXPECT_THAT(two(first, tensor("[2]", "[0,8]"), 8), HasSubstr("overlap or leave gaps"));
  EXPECT_THAT(two(first, tensor("[1]", "[12,16]"), 16), HasSubstr("overlap or leave gaps"));
  EXPECT_THAT(one(tensor("[1]", "[4,8]")), HasSubstr("overlap or leave gaps"));

  EXPECT_THAT(error(R"({"a":)" + first + R"(,"a":)" + first + "}", 8),
              HasSubstr("gives 'a' twice"));
  EXPECT_THAT(error(R"({"__metadata__":{"a":1}})", 0), HasSubstr("not a table of texts"));
  EXPECT_THAT(error(R"({"__metadata__":[]})", 0), HasSubstr("not a table of texts"));
  EXPECT_THAT(error("[]", 0), HasSubstr("not a table"));
  EXPECT_THAT(error("7", 0), HasSubstr("not a table"));
  EXPECT_THAT(error("{\"a\xff\":1}", 0), HasSubstr("not JSON"));
  EXPECT_THAT(error(std::string(1000000, '['), 0), HasSubstr("nested too deeply"));
}

TEST(TensorFileDamage, a_header_length_beyond_the_file_is_refused) {
  const TemporaryDirectory directory;
  for (const std::uint64_t length : {std::uint64_t{3}, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string content(8, '\0');
    std::memcpy(content.data(), &length, 8);
    EXPECT_THAT(error_of(directory, content + "{}", Trust::any),
                AllOf(HasSubstr("header should have"), HasSubstr(std::to_string(length))));
  }
}

}}  // namespace tapehead
