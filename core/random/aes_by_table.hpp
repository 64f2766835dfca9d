// Rounds of AES (FIPS-197, section 5.1) for CPUs without instructions for them.
#pragma once

#include <array>
#include <cstdint>

namespace tapehead {

// The four columns of the state, each with its first row in the lowest byte.
using AesColumns = std::array<std::uint32_t, 4>;

// SubBytes and ShiftRows.
AesColumns aes_substituted(const AesColumns& state);

// SubBytes, ShiftRows and MixColumns.
AesColumns aes_mixed(const AesColumns& state);

}  // namespace tapehead
