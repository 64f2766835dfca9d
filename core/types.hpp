// The integer types that every part of tapehead counts with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tapehead {

using Index = std::ptrdiff_t;  // rows, columns, lengths, offsets
using TokenId = std::int32_t;  // an entry of a vocabulary

}  // namespace tapehead
