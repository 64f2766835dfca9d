// CRC-32C, the cyclic redundancy check with Castagnoli's polynomial (RFC 3720, section 12.1), by
// which event files check themselves.
#pragma once

#include <cstdint>
#include <string_view>

namespace tapehead {

std::uint32_t crc32c(std::string_view bytes);

}  // namespace tapehead
