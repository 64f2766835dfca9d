// Records: the file format TFRecord, in which event files are written. A record is, little-endian,
//
//   length (8 bytes), checksum of the length (4), content, checksum of the content (4).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapehead {

// CRC-32C, the cyclic redundancy check with Castagnoli's polynomial (RFC 3720, section 12.1), by
// which event files check themselves.

std::uint32_t crc32c(std::string_view bytes);

std::string to_record(std::string_view content);

// What a file holds, read until its end or the first record that is not whole.
struct Records {
  std::vector<std::string_view> contents;
  std::string_view rest;  // from there on; empty if all records are whole
  bool damaged = false;   // that record has a wrong checksum; else only its end is missing
};
Records read_records(std::string_view bytes);

}  // namespace tapehead
