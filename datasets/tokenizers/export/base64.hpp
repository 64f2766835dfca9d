// Bytes as text (RFC 4648, section 4).
#pragma once

#include <string>
#include <string_view>

namespace tapehead {

std::string base64_of(std::string_view bytes);

}  // namespace tapehead
