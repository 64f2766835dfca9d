// Events: what an event file holds, as tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto define it, in records of the format TFRecord.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// Protocol buffers as their encoding defines them
// (https://protobuf.dev/programming-guides/encoding). The messages of event files have so few
// fields that they need neither a compiler of messages nor a library.
class WireMessage {
 public:
  // Each appends a field by its number.
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
  double seconds = 0;  // since 1970
  Index step = 0;
};

// These add a value to a summary, a message that is empty at first, for summary_event().
// TensorBoard groups tags by what is before their first slash.
void add_scalar(WireMessage& summary, std::string_view tag, double value);  // rounded to float
// Shown as they are: as code blocks of Markdown, with U+FFFD for bytes that are not UTF-8.
void add_texts(WireMessage& summary, std::string_view tag, std::span<const std::string> texts);

// Events, encoded. The first of a file says its format.
std::string format_event(const EventTime& time);
// Readers drop what they have read of this step and of later ones.
std::string start_event(const EventTime& time);
std::string summary_event(const EventTime& time, const WireMessage& summary);

// The step of an event that one of these functions encoded; nothing for other bytes.
std::optional<Index> step_of_event(std::string_view event);

// CRC-32C, with Castagnoli's polynomial (RFC 3720, section 12.1), which checks event files.
std::uint32_t crc32c(std::string_view bytes);

// Little-endian: length (8 bytes), its checksum (4), content, checksum of the content (4).
std::string to_record(std::string_view content);

// What a file holds, read until its end or the first record that is not whole.
struct Records {
  std::vector<std::string_view> contents;
  std::string_view rest;  // from there on; empty if all records are whole
  bool damaged = false;   // that record has a wrong checksum; else only its end is missing
};
Records read_records(std::string_view bytes);

}  // namespace tapehead
