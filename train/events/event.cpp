#include "train/events/event.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr int varint_type = 0;
constexpr int float64_type = 1;
constexpr int bytes_type = 2;
constexpr int float32_type = 5;

static_assert(std::endian::native == std::endian::little);

std::string_view bytes_of(const auto& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

// The fields with which each event begins.
WireMessage event_at(const EventTime& time) {
  WireMessage event;
  event.float64(1, time.seconds).integer(2, time.step);
  return event;
}
constexpr std::size_t step_key = 1 + sizeof(double);
constexpr std::size_t longest_step = 9;  // bytes, 7 bits each

// Markdown that shows a text verbatim. TensorBoard does not show text that is not UTF-8.
std::string code_block(std::string_view text) {
  constexpr std::string_view indentation = "    ";
  std::string block(indentation);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    block += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
    if (text.front() == '\n' || text.front() == '\r') {
      block += indentation;
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return block;
}

constexpr std::uint32_t castagnoli = 0x82f63b78;  // coefficients, x^31 in bit 0

// For each byte the remainder of the byte times x^32.
constexpr std::array<std::uint32_t, 256> remainders = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? castagnoli : 0);
    }
    table[byte] = remainder;
  }
  return table;
}();

template <class Number>
Number number_at(std::string_view bytes) {
  Number number = 0;
  bytes.copy(reinterpret_cast<char*>(&number), sizeof number);
  return number;
}

// TFRecord rotates and shifts the CRC, because a CRC of bytes that contain CRCs is weak.
std::uint32_t checksum(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xa282ead8; }

bool checks(std::string_view bytes, std::string_view stored) {
  return checksum(bytes) == number_at<std::uint32_t>(stored);
}

constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);
constexpr std::size_t head_bytes = length_bytes + checksum_bytes;

}  // namespace

// Seven bits per byte, lowest first; the highest bit of a byte is set if another byte follows.
void WireMessage::variable_length(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    encoded_ += static_cast<char>((value & 0x7f) | 0x80);
  }
  encoded_ += static_cast<char>(value);
}

void WireMessage::key(int field, int type) {
  variable_length(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

WireMessage& WireMessage::integer(int field, Index value) {
  key(field, varint_type);
  variable_length(static_cast<std::uint64_t>(value));
  return *this;
}

WireMessage& WireMessage::float32(int field, float value) {
  key(field, float32_type);
  encoded_ += bytes_of(value);
  return *this;
}

WireMessage& WireMessage::float64(int field, double value) {
  key(field, float64_type);
  encoded_ += bytes_of(value);
  return *this;
}

WireMessage& WireMessage::bytes(int field, std::string_view value) {
  key(field, bytes_type);
  variable_length(value.size());
  encoded_ += value;
  return *this;
}

void add_scalar(WireMessage& summary, std::string_view tag, double value) {
  summary.message(1, WireMessage().bytes(1, tag).float32(2, static_cast<float>(value)));
}

void add_texts(WireMessage& summary, std::string_view tag, std::span<const std::string> texts) {
  constexpr Index string_type = 7;  // DT_STRING
  const WireMessage size = WireMessage().integer(1, std::ssize(texts));
  WireMessage tensor;
  tensor.integer(1, string_type).message(2, WireMessage().message(2, size));
  for (const std::string& text : texts) {
    tensor.bytes(8, code_block(text));
  }
  const WireMessage plugin = WireMessage().bytes(1, "text");
  WireMessage value;
  value.bytes(1, tag).message(8, tensor).message(9, WireMessage().message(1, plugin));
  summary.message(1, value);
}

std::string format_event(const EventTime& time) {
  return event_at(time).bytes(3, "brain.Event:2").encoded();
}

std::string start_event(const EventTime& time) {
  constexpr Index start = 1;  // SessionLog.START
  return event_at(time).message(7, WireMessage().integer(1, start)).encoded();
}

std::string summary_event(const EventTime& time, const WireMessage& summary) {
  return event_at(time).message(5, summary).encoded();
}

std::optional<Index> step_of_event(std::string_view event) {
  static const std::string form = event_at({}).encoded();
  if (event.size() < form.size() || event.front() != form.front() ||
      event[step_key] != form[step_key]) {
    return {};
  }
  std::uint64_t step = 0;
  int shift = 0;
  for (const char byte : event.substr(step_key + 1, longest_step)) {
    step |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if ((byte & 0x80) == 0) {
      return static_cast<Index>(step);
    }
  }
  return {};
}

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t remainder = 0xffffffff;
  for (const char byte : bytes) {
    const std::uint32_t index = (remainder ^ static_cast<unsigned char>(byte)) & 0xff;
    remainder = remainders[index] ^ (remainder >> 8);
  }
  return ~remainder;
}

std::string to_record(std::string_view content) {
  const std::uint64_t length = content.size();
  return fmt::format("{}{}{}{}", bytes_of(length), bytes_of(checksum(bytes_of(length))), content,
                     bytes_of(checksum(content)));
}

Records read_records(std::string_view bytes) {
  Records records{.contents = {}, .rest = bytes};
  std::string_view& rest = records.rest;
  while (rest.size() >= head_bytes) {
    const auto length = number_at<std::uint64_t>(rest);
    const std::string_view body = rest.substr(head_bytes);
    records.damaged = !checks(rest.substr(0, length_bytes), rest.substr(length_bytes));
    if (records.damaged || body.size() < checksum_bytes || body.size() - checksum_bytes < length) {
      break;
    }
    const std::string_view content = body.substr(0, length);
    records.damaged = !checks(content, body.substr(length));
    if (records.damaged) {
      break;
    }
    records.contents.push_back(content);
    rest = body.substr(length + checksum_bytes);
  }
  return records;
}

}  // namespace tapehead
