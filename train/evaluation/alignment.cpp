#include "train/evaluation/alignment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens) {
  Alignment pairs;
  for (Index target = 0; target < target_tokens && source_tokens > 0; ++target) {
    const Scalar* row = attention.row(target);
    const Scalar* largest = std::max_element(row, row + source_tokens);
    if (*largest > 0) {
      pairs.insert({.source = largest - row, .target = target});
    }
  }
  return pairs;
}

Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target) {
  Alignment pairs;
  for (const AlignedPair& pair : tokens) {
    pairs.insert({.source = source[static_cast<std::size_t>(pair.source)],
                  .target = target[static_cast<std::size_t>(pair.target)]});
  }
  return pairs;
}

std::string pharaoh_text(const Alignment& alignment) {
  std::vector<std::string> pairs;
  for (const AlignedPair& pair : alignment) {
    pairs.push_back(fmt::format("{}-{}", pair.source, pair.target));
  }
  return join(pairs, " ");
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
