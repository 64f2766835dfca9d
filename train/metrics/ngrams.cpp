#include "train/metrics/ngrams.hpp"

#include "train/metrics/code_points.hpp"

namespace tapehead {

namespace {

std::uint64_t pair_of(std::uint32_t first, std::uint32_t second) {
  return (std::uint64_t{first} << 32) | second;
}

double share_of(std::size_t distinct, std::size_t all) {
  return all > 0 ? static_cast<double>(distinct) / static_cast<double>(all) : 0;
}

}  // namespace

PairNumbers::PairNumbers() : slots_(1024) {}

// The slot that holds the pair, or the empty one where it belongs: linear probing from a
// multiplicative hash (Knuth, The Art of Computer Programming, volume 3, section 6.4).
std::size_t PairNumbers::slot_of(std::uint64_t pair) const {
  const std::size_t last = slots_.size() - 1;
  const std::uint64_t product = (pair ^ (pair >> 29)) * 0x9e3779b97f4a7c15ULL;
  std::size_t slot = (product >> 32) & last;
  while (slots_[slot].number != none && slots_[slot].pair != pair) {
    slot = (slot + 1) & last;
  }
  return slot;
}

std::uint32_t PairNumbers::number(std::uint32_t first, std::uint32_t second) {
  if (2 * (filled_.size() + 1) > slots_.size()) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (std::uint32_t& place : filled_) {
      const std::size_t moved = slot_of(old[place].pair);
      slots_[moved] = old[place];
      place = static_cast<std::uint32_t>(moved);
    }
  }
  const std::size_t slot = slot_of(pair_of(first, second));
  if (slots_[slot].number == none) {
    slots_[slot] = {.pair = pair_of(first, second),
                    .number = static_cast<std::uint32_t>(filled_.size())};
    filled_.push_back(static_cast<std::uint32_t>(slot));
  }
  return slots_[slot].number;
}

std::uint32_t PairNumbers::find(std::uint32_t first, std::uint32_t second) const {
  return slots_[slot_of(pair_of(first, second))].number;
}

void PairNumbers::clear() {
  for (const std::uint32_t slot : filled_) {
    slots_[slot].number = none;
  }
  filled_.clear();
}

std::uint32_t WordNumbers::number(std::u32string_view word) {
  std::uint32_t node = 0;  // the root; node k is reached by edge k - 1
  for (const char32_t c : word) {
    node = edges_.number(node, c) + 1;
  }
  return node;
}

void NgramMatcher::match(std::span<const std::uint32_t> hypothesis,
                         std::span<const std::uint32_t> reference, std::span<NgramCounts> counts) {
  hypothesis_.assign(hypothesis.size(), 0);
  reference_.assign(reference.size(), 0);
  for (std::size_t order = 1; order <= counts.size(); ++order) {
    counts[order - 1] = match_order(hypothesis, reference, order);
  }
}

NgramCounts NgramMatcher::match_order(std::span<const std::uint32_t> hypothesis,
                                      std::span<const std::uint32_t> reference, std::size_t order) {
  ngrams_.clear();
  unused_.clear();
  NgramCounts counts;
  for (std::size_t i = 0; i + order <= reference.size(); ++i) {
    reference_[i] = ngrams_.number(reference_[i], reference[i + order - 1]);
    unused_.resize(ngrams_.count());
    ++unused_[reference_[i]];
    ++counts.reference;
  }
  for (std::size_t i = 0; i + order <= hypothesis.size(); ++i) {
    ++counts.hypothesis;
    if (hypothesis_[i] == PairNumbers::none) {
      continue;  // a run that the reference lacks cannot be extended
    }
    hypothesis_[i] = ngrams_.find(hypothesis_[i], hypothesis[i + order - 1]);
    if (hypothesis_[i] == PairNumbers::none || unused_[hypothesis_[i]] == 0) {
      continue;
    }
    --unused_[hypothesis_[i]];
    ++counts.matches;
  }
  return counts;
}

std::array<double, 2> distinct_ngrams(std::span<const std::string> texts) {
  constexpr std::uint32_t nothing = PairNumbers::none;
  WordNumbers numbers;
  PairNumbers words;  // each as the pair (nothing, word)
  PairNumbers pairs;
  std::size_t all_words = 0;
  std::size_t all_pairs = 0;
  for (const std::string& text : texts) {
    std::uint32_t before = nothing;
    for_each_word(decode_utf8(text), [&](std::u32string_view word) {
      const std::uint32_t number = numbers.number(word);
      words.number(nothing, number);
      ++all_words;
      if (before != nothing) {
        pairs.number(before, number);
        ++all_pairs;
      }
      before = number;
    });
  }
  return {share_of(words.count(), all_words), share_of(pairs.count(), all_pairs)};
}

}  // namespace tapehead
