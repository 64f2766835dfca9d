#include "nn/attention/head_copy.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

KeptHeads kept_heads(const AttentionSpec& spec, std::vector<Index> heads) {
  const Index served = spec.heads / spec.kv_heads;
  KeptHeads kept{.heads = std::move(heads), .key_heads = {}};
  for (const Index head : kept.heads) {
    if (kept.key_heads.empty() || kept.key_heads.back() != head / served) {
      kept.key_heads.push_back(head / served);
    }
  }
  return kept;
}

HeadCopy::HeadCopy(const ParameterStore& from, ParameterStore& to)
    : from_(from), to_(to), copied_(static_cast<std::size_t>(to.blocks()), false) {}

void HeadCopy::chunks(const Parameter& from, const Parameter& to, const Chunks& chunks) {
  if (!to.declared()) {
    return;
  }
  const Tensor source = from_.value(from);
  Tensor target = to_.value(to);
  const Index source_columns = source.size() / chunks.rows;
  const Index target_columns = target.size() / chunks.rows;
  for (Index row = 0; row < chunks.rows; ++row) {
    const Scalar* first = source.data() + row * source_columns + chunks.from_first;
    Scalar* next = target.data() + row * target_columns + chunks.to_first;
    for (const Index chunk : chunks.which) {
      next = std::copy_n(first + chunk * chunks.size, chunks.size, next);
    }
  }
  copied_[static_cast<std::size_t>(to.block)] = true;
}

void HeadCopy::whole(const Parameter& from, const Parameter& to) {
  chunks(from, to, {.which = {0}, .size = from.shape.size()});
}

void HeadCopy::rest() {
  for (const NamedParameter& parameter : to_.parameters()) {
    if (copied_[static_cast<std::size_t>(parameter.block)]) {
      continue;
    }
    const auto same = std::ranges::find(from_.parameters(), parameter.name, &NamedParameter::name);
    if (same == from_.parameters().end() || same->shape != parameter.shape) {
      throw std::logic_error(fmt::format("nothing says what of {} stays", parameter.name));
    }
    std::ranges::copy(from_.value(*same).values(), to_.value(parameter).values().begin());
  }
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
