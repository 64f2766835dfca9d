#include "lab/embedding_spectrum.hpp"

#include <vector>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

CyclicSpectrum embedding_spectrum(const Model& model, std::span<const TokenId> cyclic_tokens) {
  const Tensor table = model.store.value(model.transformer.stacks().front()->embedding.table);
  const Index width = table.shape()[1];
  std::vector<double> rows;
  rows.reserve(cyclic_tokens.size() * static_cast<std::size_t>(width));
  for (const TokenId token : cyclic_tokens) {
    rows.insert(rows.end(), table.row(token), table.row(token) + width);
  }
  return cyclic_spectrum(rows, width);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
