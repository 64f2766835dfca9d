#include "core/files/tensor_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/files/tensor_header.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace fs = std::filesystem;

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

constexpr std::size_t length_bytes = sizeof(std::uint64_t);

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr std::size_t crc_digits = 8;  // of each half of the checksum: header, then data

uLong crc(std::string_view bytes, uLong so_far = 0) {
  // zlib starts again if it gets a null pointer, which an empty tensor may have.
  return bytes.empty()
             ? so_far
             : crc32_z(so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::string hexadecimal(uLong value) { return fmt::format("{:0{}x}", value, crc_digits); }

// The two parts of a file, which are not verified yet.
struct FileParts {
  std::string_view head;    // length and header
  std::string_view header;  // JSON
  std::span<const std::byte> data;
};

FileParts split(std::string_view content) {
  if (content.size() < length_bytes) {
    throw IoError(fmt::format("it is truncated or no tensor file: {} bytes", content.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), length_bytes);
  if (length > content.size() - length_bytes) {
    throw IoError(
        fmt::format("it is truncated or no tensor file: its header should have {} bytes", length));
  }
  const std::size_t head = length_bytes + length;
  return {.head = content.substr(0, head),
          .header = content.substr(length_bytes, length),
          .data = std::as_bytes(std::span(content).subspan(head))};
}

bool carries_checksum(const FileParts& parts) {
  return parts.header.starts_with(checksum_prefix) &&
         parts.header.size() >= checksum_prefix.size() + blank_checksum.size();
}

// Once the header is known to be intact, what it says about the data can be trusted.
void check_head(const FileParts& parts) {
  if (!carries_checksum(parts)) {
    throw IoError("it carries no checksum of tapehead: written by another program, or damaged");
  }
  std::string blank(parts.head);
  blank.replace(length_bytes + checksum_prefix.size(), blank_checksum.size(), blank_checksum);
  const std::string_view checksum = parts.header.substr(checksum_prefix.size());
  if (!checksum.starts_with(hexadecimal(crc(blank)) + '-')) {
    throw IoError("it is damaged: its header does not have the checksum it states");
  }
}

void check_data(const FileParts& parts) {
  const std::size_t at = checksum_prefix.size() + crc_digits + 1;
  if (parts.header.substr(at, crc_digits) != hexadecimal(crc(as_text(parts.data)))) {
    throw IoError("it is damaged: its data does not have the checksum it states");
  }
}

TensorHeader check(const FileParts& parts, Trust trust) {
  const bool checked = trust == Trust::checksum || carries_checksum(parts);
  if (checked) {
    check_head(parts);
  }
  TensorHeader header = read_tensor_header(parts.header, parts.data);
  if (checked) {
    check_data(parts);
    header.metadata.erase("checksum");
  }
  return header;
}

template <class From, class To>
void convert(std::span<const std::byte> bytes, std::span<To> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    to[i] = static_cast<To>(value);
  }
}

// A half of IEEE 754: a sign, 5 bits of exponent and 10 of mantissa.
float of_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const auto mantissa = static_cast<float>(bits & 0x3ff);
  const float magnitude = exponent == 0x1f
                              ? (mantissa == 0 ? std::numeric_limits<float>::infinity()
                                               : std::numeric_limits<float>::quiet_NaN())
                          : exponent == 0 ? std::ldexp(mantissa, -24)
                                          : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits >> 15) != 0 ? -magnitude : magnitude;
}

// The upper half of a float.
float of_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class To>
void convert_halves(std::span<const std::byte> bytes, float (*number)(std::uint16_t),
                    std::span<To> to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    to[i] = static_cast<To>(number(bits));
  }
}

template <class To>
void copy_reals(const TensorEntry& entry, std::span<To> to) {
  if (entry.dtype == DType::i64 || entry.bytes.size() != to.size() * byte_width(entry.dtype)) {
    throw IoError(fmt::format("tensor '{}' of shape ({}) does not give {} real numbers", entry.name,
                              join(entry.shape, ", "), to.size()));
  }
  switch (entry.dtype) {
    case DType::f32:
      return convert<float>(entry.bytes, to);
    case DType::f16:
      return convert_halves(entry.bytes, of_half, to);
    case DType::bf16:
      return convert_halves(entry.bytes, of_bfloat, to);
    default:
      return convert<double>(entry.bytes, to);
  }
}

}  // namespace

std::size_t byte_width(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 4;
    case DType::f16:
    case DType::bf16:
      return 2;
    default:
      return 8;
  }
}

void write_tensor_file(const fs::path& path, std::span<const TensorEntry> entries,
                       const Metadata& metadata) {
  // Wide types first, as in the reference implementation, so that every tensor is aligned for its
  // type.
  std::vector<TensorEntry> sorted(entries.begin(), entries.end());
  std::ranges::sort(sorted, {}, [](const TensorEntry& entry) {
    return std::pair(-static_cast<Index>(byte_width(entry.dtype)), std::string_view(entry.name));
  });
  std::string head(length_bytes, '\0');
  try {
    head += make_tensor_header(sorted, metadata);
  } catch (const IoError& error) {
    throw IoError(fmt::format("cannot write {}: {}", path.string(), error.what()));
  }
  const std::uint64_t length = head.size() - length_bytes;
  std::memcpy(head.data(), &length, length_bytes);

  uLong data_crc = 0;
  std::vector<std::string_view> pieces{{}};
  for (const TensorEntry& entry : sorted) {
    pieces.push_back(as_text(entry.bytes));
    data_crc = crc(pieces.back(), data_crc);
  }
  head.replace(length_bytes + checksum_prefix.size(), blank_checksum.size(),
               hexadecimal(crc(head)) + '-' + hexadecimal(data_crc));
  pieces.front() = head;
  write_file_atomically(path, pieces);
}

TensorFile::TensorFile(fs::path path, Trust trust)
    : path_(std::move(path)), content_(std::make_unique<const std::string>(read_file(path_))) {
  try {
    TensorHeader header = check(split(*content_), trust);
    entries_ = std::move(header.entries);
    metadata_ = std::move(header.metadata);
  } catch (const IoError& error) {
    throw IoError(fmt::format("cannot use {}: {}", path_.string(), error.what()));
  }
}

const std::string& TensorFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end()) {
    throw IoError(fmt::format("cannot use {}: its metadata has no '{}'", path_.string(), key));
  }
  return found->second;
}

const TensorEntry* TensorFile::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &TensorEntry::name);
  return found == entries_.end() ? nullptr : &*found;
}

const TensorEntry& TensorFile::entry(std::string_view name) const {
  const TensorEntry* const found = find(name);
  if (found == nullptr) {
    throw IoError(fmt::format("cannot use {}: it has no tensor '{}'", path_.string(), name));
  }
  return *found;
}

void copy_values(const TensorEntry& entry, std::span<float> to) { copy_reals(entry, to); }

void copy_values(const TensorEntry& entry, std::span<double> to) { copy_reals(entry, to); }

void copy_values(const TensorEntry& entry, std::span<std::int64_t> to) {
  if (entry.dtype != DType::i64 || entry.bytes.size() != to.size_bytes()) {
    throw IoError(fmt::format("tensor '{}' of shape ({}) does not give {} integers", entry.name,
                              join(entry.shape, ", "), to.size()));
  }
  convert<std::int64_t>(entry.bytes, to);
}

}  // namespace tapehead
