#include "core/files/tensor_file.hpp"

#include <zlib.h>

#include "core/files/files.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");

// The header of a file with our checksum begins with this text, then the checksum follows.
constexpr std::string_view checksum_prefix = R"({"__metadata__":{"checksum":")";

// The length of the header precedes it.
constexpr std::size_t length_bytes = sizeof(std::uint64_t);

constexpr std::size_t crc_digits = 8;  // of each CRC in the checksum: head, then data

std::string hexadecimal(std::uint32_t value) { return fmt::format("{:0{}x}", value, crc_digits); }

std::string with_checksum(std::string head, std::string_view checksum) {
  return head.replace(length_bytes + checksum_prefix.size(), blank_checksum.size(), checksum);
}

// The CRC-32 of earlier bytes, whose CRC-32 is `so_far`, followed by `bytes`.
std::uint32_t crc_with(std::span<const std::byte> bytes, std::uint32_t so_far = 0) {
  // zlib restarts at 0 for a null pointer, which an empty tensor may have.
  return bytes.empty() ? so_far
                       : static_cast<std::uint32_t>(crc32_z(
                             so_far, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc_of(std::string_view text) { return crc_with(std::as_bytes(std::span(text))); }

// The parts of a file, not verified yet.
struct Parts {
  std::string_view head;    // length and header
  std::string_view header;  // JSON
  std::span<const std::byte> data;
};

bool carries_checksum(const Parts& parts) {
  return parts.header.starts_with(checksum_prefix) &&
         parts.header.size() >= checksum_prefix.size() + blank_checksum.size();
}

Parts split(std::string_view content) {
  if (content.size() < length_bytes) {
    throw IoError("it is truncated or not a tensor file: {} bytes", content.size());
  }
  std::uint64_t length = 0;
  std::memcpy(&length, content.data(), length_bytes);
  if (length > content.size() - length_bytes) {
    throw IoError("it is truncated or not a tensor file: its header should have {} bytes", length);
  }
  const std::size_t head = length_bytes + length;
  return {.head = content.substr(0, head),
          .header = content.substr(length_bytes, length),
          .data = std::as_bytes(std::span(content).subspan(head))};
}

void check_head(const Parts& parts) {
  if (!carries_checksum(parts)) {
    throw IoError("it carries no checksum of tapehead: written by another program, or damaged");
  }
  const std::uint32_t crc = crc_of(with_checksum(std::string(parts.head), blank_checksum));
  const std::string_view checksum = parts.header.substr(checksum_prefix.size());
  if (!checksum.starts_with(hexadecimal(crc) + '-')) {
    throw IoError("it is damaged: its header does not match its checksum");
  }
}

// The result of `action`. If it throws IoError, "cannot VERB PATH" is put before the message.
template <class Action>
auto with_context(std::string_view verb, const fs::path& path, const Action& action) {
  try {
    return action();
  } catch (const IoError& error) {
    throw IoError("cannot {} {}: {}", verb, path.string(), error.what());
  }
}

template <class From, class To, class Number = std::identity>
void convert(std::span<const std::byte> bytes, std::span<To> to, const Number& number = {}) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    From stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(From), sizeof(From));
    to[i] = static_cast<To>(number(stored));
  }
}

// A half of IEEE 754 has a sign, 5 bits of exponent and 10 of mantissa.
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

template <class To>
void copy_reals(const TensorEntry& entry, std::span<To> to) {
  if (!is_real(entry.dtype) || entry.bytes.size() != to.size() * byte_width(entry.dtype)) {
    throw IoError("tensor '{}' of shape ({}) and type {} does not give {} real numbers", entry.name,
                  join(entry.shape, ", "), name_of(entry.dtype), to.size());
  }
  switch (entry.dtype) {
    case DType::f32:
      return convert<float>(entry.bytes, to);
    case DType::f16:
      return convert<std::uint16_t>(entry.bytes, to, of_half);
    case DType::bf16:  // the upper half of a float
      return convert<std::uint16_t>(entry.bytes, to, [](std::uint16_t bits) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
      });
    default:
      return convert<double>(entry.bytes, to);
  }
}

}  // namespace

TensorHeader read_intact_header(std::string_view content) {
  const Parts parts = split(content);
  check_head(parts);
  return read_tensor_header(parts.header, parts.data);
}

std::vector<TensorEntry> in_file_order(std::span<const TensorEntry> entries) {
  // The order of the reference implementation. It aligns every tensor for its type.
  std::vector<TensorEntry> sorted(entries.begin(), entries.end());
  std::ranges::sort(sorted, {}, [](const TensorEntry& entry) {
    return std::pair(-static_cast<Index>(byte_width(entry.dtype)), std::string_view(entry.name));
  });
  return sorted;
}

void write_tensor_file(const fs::path& path, std::span<const TensorEntry> entries,
                       const Metadata& metadata, const EntryBytes& bytes_of) {
  std::vector<TensorEntry> sorted = in_file_order(entries);
  const std::string header =
      with_context("write", path, [&] { return make_tensor_header(sorted, metadata); });
  const std::uint64_t length = header.size();
  std::string head(length_bytes, '\0');
  std::memcpy(head.data(), &length, length_bytes);
  head += header;  // with a blank checksum
  AtomicFile file(path);
  file.write(head);
  std::uint32_t data_crc = 0;
  for (TensorEntry& entry : sorted) {
    entry.bytes = bytes_of(entry);
    with_context("write", path, [&] { expect_bytes(entry); });
    data_crc = crc_with(entry.bytes, data_crc);
    file.write({reinterpret_cast<const char*>(entry.bytes.data()), entry.bytes.size()});
  }
  // The checksum stands at the front, but is known only now.
  file.write_at(0, with_checksum(head, hexadecimal(crc_of(head)) + '-' + hexadecimal(data_crc)));
  file.put_in_place();
}

TensorFile::TensorFile(fs::path path, Trust trust)
    : path_(std::move(path)), content_(std::make_unique<const std::string>(read_file(path_))) {
  with_context("use", path_, [&] {
    const Parts parts = split(*content_);
    const bool checked = trust == Trust::checksum || carries_checksum(parts);
    if (checked) {
      check_head(parts);
    }
    header_ = read_tensor_header(parts.header, parts.data);
    if (!checked) {
      return;
    }
    const std::size_t at = checksum_prefix.size() + crc_digits + 1;
    if (parts.header.substr(at, crc_digits) != hexadecimal(crc_with(parts.data))) {
      throw IoError("it is damaged: its data does not match its checksum");
    }
    header_.metadata.erase("checksum");
  });
}

const std::string& TensorFile::metadata(const std::string& key) const {
  const auto found = metadata().find(key);
  if (found == metadata().end()) {
    throw unusable("its metadata has no '{}'", key);
  }
  return found->second;
}

const TensorEntry* TensorFile::find(std::string_view name) const {
  const auto found = std::ranges::find(entries(), name, &TensorEntry::name);
  return found == entries().end() ? nullptr : &*found;
}

const TensorEntry& TensorFile::entry(std::string_view name) const {
  const TensorEntry* const found = find(name);
  if (found == nullptr) {
    throw unusable("it has no tensor '{}'", name);
  }
  return *found;
}

void copy_values(const TensorEntry& entry, std::span<float> to) { copy_reals(entry, to); }

void copy_values(const TensorEntry& entry, std::span<double> to) { copy_reals(entry, to); }

void copy_values(const TensorEntry& entry, std::span<std::int64_t> to) {
  if (entry.dtype != DType::i64 || entry.bytes.size() != to.size_bytes()) {
    throw IoError("tensor '{}' of shape ({}) does not give {} integers", entry.name,
                  join(entry.shape, ", "), to.size());
  }
  convert<std::int64_t>(entry.bytes, to);
}

}  // namespace tapehead
