// The events of TensorBoard's event files (tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto), in records of the format TFRecord.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Writes the encoding of protocol buffers (https://protobuf.dev/programming-guides/encoding).
// Events have too few fields for a message compiler or a library.
class WireMessage {
 public:
  // Each appends a field with its number.
  WireMessage& integer(int field, Index value);
  WireMessage& float32(int field, float value);
  WireMessage& float64(int field, double value);
  WireMessage& bytes(int field, std::string_view value);
  WireMessage& message(int field, const WireMessage& value) { return bytes(field, value.encoded_); }

  const std::string& encoded() const { return encoded_; }

 private:
  void key(int field, int type);
  void variable_length(std::uint64_t value);

  std::string encoded_;
};

struct EventTime {
  double seconds = 0;  // since 1970-01-01 UTC
  Index step = 0;
};

// Add a value to a summary for summary_event(); a new summary is an empty message. TensorBoard
// groups tags by the part before the first slash.
void add_scalar(WireMessage& summary, std::string_view tag, double value);  // rounded to float
// Shown verbatim: as Markdown code blocks, with U+FFFD for bytes that are not UTF-8.
void add_texts(WireMessage& summary, std::string_view tag, std::span<const std::string> texts);

// Encoded events. The first event of a file tells its format.
std::string format_event(const EventTime& time);
// Makes readers drop events of this step and of later steps that they have read before.
std::string start_event(const EventTime& time);
std::string summary_event(const EventTime& time, const WireMessage& summary);

// The step of an event from these functions; nullopt for other bytes.
std::optional<Index> step_of_event(std::string_view event);

// CRC-32C with Castagnoli's polynomial (RFC 3720, section 12.1), the checksum of event files.
std::uint32_t crc32c(std::string_view bytes);

// Little-endian: length (8 bytes), its checksum (4), content, checksum of the content (4).
std::string to_record(std::string_view content);

// The records of a file, up to its end or its first incomplete or damaged record.
struct Records {
  std::vector<std::string_view> contents;
  std::string_view rest;  // from that record on; empty if there is none
  bool damaged = false;   // that record has a wrong checksum; otherwise it is incomplete
};
Records read_records(std::string_view bytes);

}  // namespace tapehead
