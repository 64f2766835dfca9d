#include "core/random/keep_bits.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#else
#error "tapehead runs on x86-64 and arm64"
#endif

namespace tapehead {

namespace {

// The product with the polynomial x modulo x⁸ + x⁴ + x³ + x + 1 (FIPS-197, section 4.2.1).
constexpr std::uint8_t times_x(std::uint8_t a) {
  return static_cast<std::uint8_t>(a << 1 ^ ((a & 0x80) != 0 ? 0x1B : 0));
}

// The inverse in GF(2⁸), with 0 for 0, then an affine map (FIPS-197, section 5.1.1). The powers of
// x + 1 are all elements except 0, and power 255 - i is the inverse of power i.
constexpr std::array<std::uint8_t, 256> substitution = [] {
  std::array<std::uint8_t, 256> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) {
    powers[i] = static_cast<std::uint8_t>(powers[i - 1] ^ times_x(powers[i - 1]));
  }
  std::array<std::uint8_t, 256> table{0x63};
  for (std::size_t i = 0; i < 255; ++i) {
    const std::uint8_t inverse = powers[255 - i];
    std::uint8_t result = 0x63;
    for (int turn = 0; turn < 5; ++turn) {
      result = static_cast<std::uint8_t>(result ^ std::rotl(inverse, turn));
    }
    table[powers[i]] = result;
  }
  return table;
}();

// The contribution of a byte of the first row to its column in MixColumns: 2, 1, 1 and 3 times its
// substitute. In row r it is rotated by r bytes (FIPS-197, equation 5.6).
constexpr std::array<std::uint32_t, 256> mixing = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::uint32_t once = substitution[i];
    const std::uint32_t twice = times_x(substitution[i]);
    table[i] = twice | once << 8 | once << 16 | (once ^ twice) << 24;
  }
  return table;
}();

// ShiftRows, then the table entry of each byte, rotated by the row of the byte.
template <class Number>
AesColumns looked_up(const AesColumns& state, const std::array<Number, 256>& table) {
  AesColumns next{};
  for (std::size_t column = 0; column < 4; ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      const std::size_t byte = state[(column + row) % 4] >> (8 * row) & 0xFF;
      next[column] ^= std::rotl(std::uint32_t{table[byte]}, static_cast<int>(8 * row));
    }
  }
  return next;
}

using Counter [[gnu::vector_size(16)]] = std::uint64_t;  // the lower half first
using CounterBytes [[gnu::vector_size(16)]] = std::uint8_t;
using CounterDraws [[gnu::vector_size(16)]] = std::uint16_t;

// A round of AES. The last round does not mix columns.
inline Counter aes_round(Counter state, Counter key, bool last) {
#if defined(__AES__)
  const auto from = reinterpret_cast<__m128i>(state);
  const auto by = reinterpret_cast<__m128i>(key);
  return reinterpret_cast<Counter>(last ? _mm_aesenclast_si128(from, by)
                                        : _mm_aesenc_si128(from, by));
#elif defined(__ARM_FEATURE_AES)
  // The Arm instruction adds a key before it substitutes; a second instruction mixes columns.
  const uint8x16_t next = vaeseq_u8(reinterpret_cast<uint8x16_t>(state), vdupq_n_u8(0));
  return reinterpret_cast<Counter>(last ? next : vaesmcq_u8(next)) ^ key;
#else
  const auto columns = std::bit_cast<AesColumns>(state);
  return std::bit_cast<Counter>(last ? aes_substituted(columns) : aes_mixed(columns)) ^ key;
#endif
}

// The highest bit of each byte.
inline std::uint16_t top_bits(CounterBytes bytes) {
#if defined(__x86_64__)
  return static_cast<std::uint16_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  const CounterBytes bits = (bytes >> 7)
                            << CounterBytes{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const auto low = vaddv_u8(vget_low_u8(reinterpret_cast<uint8x16_t>(bits)));
  const auto high = vaddv_u8(vget_high_u8(reinterpret_cast<uint8x16_t>(bits)));
  return static_cast<std::uint16_t>(low | high << 8);
#endif
}

// One 128-bit counter, or as many as a register holds, and the rounds of AES.
struct OneCounter {
  Counter numbers;

  void mix(Counter key) { numbers ^= key; }
  void go_through_round(Counter key, bool last) { numbers = aes_round(numbers, key, last); }
};

#if defined(__AVX512BW__)
struct FourCounters {
  __m512i numbers;

  // Without a mask GCC 12 falsely warns about an uninitialised variable.
  static __m512i to_each(Counter key) {
    return _mm512_maskz_broadcast_i32x4(0xFFFF, reinterpret_cast<__m128i>(key));
  }
  void mix(Counter key) { numbers = _mm512_xor_si512(numbers, to_each(key)); }
  [[gnu::target("vaes")]] void go_through_round(Counter key, bool last) {
    numbers = last ? _mm512_aesenclast_epi128(numbers, to_each(key))
                   : _mm512_aesenc_epi128(numbers, to_each(key));
  }
};
using SomeCounters = FourCounters;
#else
using SomeCounters = OneCounter;
#endif

template <class Some>
using Sixteen = std::array<Some, keep_lanes * sizeof(Counter) / sizeof(Some)>;
using AllCounters = Sixteen<SomeCounters>;

// ARS with 5 rounds: AES with keys of a Weyl sequence from `key` on (Salmon et al. 2011, 3.1).
template <class Some>
[[gnu::always_inline]] inline void encrypt_with(Sixteen<Some>& counters, std::uint64_t key) {
  constexpr Counter weyl{0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B};  // (√5 - 1) / 2 and √3 - 1
  Counter round_key{key, 0};
  for (Some& some : counters) {
    some.mix(round_key);
  }
  for (int i = 1; i < 5; ++i) {
    round_key += weyl;
    for (Some& some : counters) {
      some.go_through_round(round_key, false);
    }
  }
  round_key += weyl;
  for (Some& some : counters) {
    some.go_through_round(round_key, true);
  }
}

// The lower halves of sixteen counters: block and row. The upper half is the same: step and salt.
using Addresses = std::array<std::uint64_t, keep_lanes>;

// A byte for each address: bit i is set if the 16 bits of draw i are at least the threshold.
using KeepBytes = std::array<std::uint64_t, keep_lanes / 8>;

#if defined(__AVX512BW__)
// Not every CPU with AVX-512 has instructions for four rounds of AES at once.
const bool cpu_has_vaes = __builtin_cpu_supports("vaes") != 0;

[[gnu::target("vaes")]] void encrypt_by_fours(AllCounters& counters, std::uint64_t key) {
  encrypt_with<FourCounters>(counters, key);
}

inline void encrypt(AllCounters& counters, std::uint64_t key) {
  if (cpu_has_vaes) {
    encrypt_by_fours(counters, key);
    return;
  }
  auto single = std::bit_cast<Sixteen<OneCounter>>(counters);
  encrypt_with<OneCounter>(single, key);
  counters = std::bit_cast<AllCounters>(single);
}

// Eight addresses give four counters from the even addresses, then four from the odd addresses.
inline AllCounters counters_at(const Addresses& addresses, std::uint64_t upper) {
  const __m512i uppers = _mm512_set1_epi64(static_cast<long long>(upper));
  AllCounters counters;
  for (std::size_t i = 0; i < 2; ++i) {
    const __m512i lowers = _mm512_loadu_si512(addresses.data() + 8 * i);
    counters[2 * i].numbers = _mm512_maskz_unpacklo_epi64(0xFF, lowers, uppers);
    counters[2 * i + 1].numbers = _mm512_maskz_unpackhi_epi64(0xFF, lowers, uppers);
  }
  return counters;
}

inline KeepBytes kept(const AllCounters& draws, std::uint32_t threshold) {
  const __m512i least = _mm512_set1_epi16(static_cast<short>(threshold));
  KeepBytes keep;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const auto even = _mm512_cmpge_epu16_mask(draws[2 * i].numbers, least);
    const auto odd = _mm512_cmpge_epu16_mask(draws[2 * i + 1].numbers, least);
    keep[i] = _pdep_u64(even, 0x00FF00FF00FF00FF) | _pdep_u64(odd, 0xFF00FF00FF00FF00);
  }
  return keep;
}
#else
inline void encrypt(AllCounters& counters, std::uint64_t key) {
  encrypt_with<OneCounter>(counters, key);
}

inline AllCounters counters_at(const Addresses& addresses, std::uint64_t upper) {
  AllCounters counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i].numbers = Counter{addresses[i], upper};
  }
  return counters;
}

inline KeepBytes kept(const AllCounters& draws, std::uint32_t threshold) {
  const CounterDraws least = CounterDraws{} + static_cast<std::uint16_t>(threshold);
  const auto is_kept = [least](Counter x) {
    return reinterpret_cast<CounterBytes>(reinterpret_cast<CounterDraws>(x) >= least);
  };
  KeepBytes keep{};
  for (std::size_t i = 0; i < draws.size(); i += 2) {
    // The lower bytes of the eight draws of both counters.
    const CounterBytes both =
        __builtin_shufflevector(is_kept(draws[i].numbers), is_kept(draws[i + 1].numbers),  //
                                0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    keep[i / 8] |= std::uint64_t{top_bits(both)} << (8 * (i % 8));
  }
  return keep;
}
#endif

inline KeepBytes draw(const Dropout& dropout, const Addresses& addresses, std::uint32_t salt) {
  AllCounters counters =
      counters_at(addresses, dropout.draws.step | static_cast<std::uint64_t>(salt) << 32);
  encrypt(counters, dropout.draws.key);
  return kept(counters, dropout.threshold());
}

inline std::uint64_t address_of(std::uint32_t block, std::uint32_t row) {
  return block | static_cast<std::uint64_t>(row) << 32;
}

}  // namespace

AesColumns aes_substituted(const AesColumns& state) { return looked_up(state, substitution); }

AesColumns aes_mixed(const AesColumns& state) { return looked_up(state, mixing); }

std::array<std::uint16_t, 8> draw_keep_columns(const Dropout& dropout, std::uint32_t block,
                                               std::uint32_t row, std::uint32_t row_step,
                                               std::uint32_t salt) {
  Addresses addresses;
  for (std::uint32_t lane = 0; lane < keep_lanes; ++lane) {
    addresses[lane] = address_of(block, row + lane * row_step);
  }
  const auto bytes = std::bit_cast<CounterBytes>(draw(dropout, addresses, salt));
  std::array<std::uint16_t, 8> columns;
  for (int bit = 0; bit < 8; ++bit) {
    columns[static_cast<std::size_t>(bit)] = top_bits(bytes << (7 - bit));
  }
  return columns;
}

void draw_keep_rows(const Dropout& dropout, Index first, Index rows, Index columns,
                    std::uint8_t* keep) {
  const Index bytes = keep_bytes(rows, columns);
  if (bytes == 0) {
    return;
  }
  const auto row_bytes = static_cast<std::uint32_t>(keep_row_bytes(columns));
  const auto first_row = static_cast<std::uint32_t>(first + dropout.draws.first_row);
  constexpr std::uint32_t lanes = keep_lanes;
  std::array<std::uint32_t, lanes> block;
  std::array<std::uint32_t, lanes> row;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    block[lane] = lane % row_bytes;
    row[lane] = first_row + lane / row_bytes;
  }
  for (Index byte = 0; byte < bytes; byte += keep_lanes) {
    Addresses addresses;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      addresses[lane] = address_of(block[lane], row[lane]);
      const std::uint32_t next = block[lane] + lanes % row_bytes;
      const std::uint32_t wraps = next >= row_bytes ? 1 : 0;
      block[lane] = next - wraps * row_bytes;
      row[lane] += lanes / row_bytes + wraps;
    }
    const KeepBytes kept_draws = draw(dropout, addresses, 0);
    std::memcpy(keep + byte, kept_draws.data(), sizeof kept_draws);
  }
}

}  // namespace tapehead
