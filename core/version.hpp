// The version of tapehead.
#pragma once

#include <string_view>

namespace tapehead {

std::string_view version();  // "1.2.3"

}  // namespace tapehead
