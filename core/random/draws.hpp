// Addressed randomness: every draw is a pure function of (seed, stream, step, row, column). So the
// order of computation, the number of threads and a resume cannot change it.
#pragma once

#include "core/prelude.hpp"

namespace tapehead {

// One block of Philox4x32 with 10 rounds: 128 bits for a 128-bit counter and a 64-bit key (Salmon
// et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 3.3 and table 2).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key);

// A 64-bit digest of a text: FNV-1a, finished with the mixer of SplitMix64.
std::uint64_t digest(std::string_view text);

// A stream of draws at one training step. The stream's name is the path of the module that draws.
struct Draws {
  std::uint64_t key = 0;  // seed and stream
  std::uint32_t step = 0;
  Index first_row = 0;  // added to every row: see Segments::first_row

  Draws() = default;
  Draws(std::uint64_t seed, std::string_view stream, Index at_step, Index rows_before = 0);
};

// Draws for data and initialisers: number `index` of a stream.
std::uint64_t draw_bits(const Draws& draws, std::uint64_t index);
double draw_uniform(const Draws& draws, std::uint64_t index);  // in [0, 1)
// Mean 0, standard deviation 1 (Box and Muller 1958).
double draw_normal(const Draws& draws, std::uint64_t index);
Index draw_below(const Draws& draws, std::uint64_t index, Index bound);  // in 0 ... bound - 1

// A permutation of 0 ... count - 1 (Fisher and Yates).
std::vector<Index> draw_permutation(const Draws& draws, Index count);

// A 64-bit digest of values. It assigns sentences to splits, and distinguishes data. The order of
// the values and the length of each list change the digest: ("ab", "c") differs from ("a", "bc").
class Hash {
 public:
  Hash& add(std::uint64_t word);
  Hash& add(std::string_view text);
  Hash& add(std::span<const TokenId> tokens);

  std::uint64_t value() const { return state_; }
  std::string hexadecimal() const;  // 16 digits

 private:
  std::uint64_t state_ = 0;
};

}  // namespace tapehead
