#include "nn/generation/cached_model.hpp"

#include <algorithm>
#include <vector>

#include "core/ops/concatenate.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

CachedModel::CachedModel(const EnsembleMember& model, const Prompts& prompts, Index slots,
                         Index longest)
    : transformer_(model.transformer),
      prompts_(prompts),
      pass_(tape_, model.store),
      cache_(transformer_.main().make_cache(prompts.sequences() * slots, longest)) {
  pass_.substitute = model.substitute;
  pass_.keep_weights_packed();
  if (transformer_.family().context) {
    context_.emplace(transformer_.encode(pass_, prompts.context), sources_);
  }
}

void CachedModel::gather(std::span<const Reading> readings) {
  newest_.ids.clear();
  newest_.segments.list.clear();
  sources_.list.clear();
  for (const Reading& reading : readings) {
    const Segment& prompt = prompts_.input.segments[reading.prompt];
    const std::span<const TokenId> of_prompt =
        std::span<const TokenId>(prompts_.input.ids)
            .subspan(static_cast<std::size_t>(prompt.row), static_cast<std::size_t>(prompt.rows));
    const std::span<const TokenId> tokens = reading.tokens.empty() ? of_prompt : reading.tokens;
    newest_.segments.list.push_back({.row = newest_.rows(),
                                     .rows = std::ssize(tokens),
                                     .position = cache_.next_position(reading.slot),
                                     .prefix = prompt.prefix});
    newest_.ids.insert(newest_.ids.end(), tokens.begin(), tokens.end());
    sources_.list.push_back(prompts_.context.segments[reading.prompt]);
  }
}

Var CachedModel::read(std::span<const Reading> readings) {
  gather(readings);
  std::vector<Index> slots(readings.size());
  std::ranges::transform(readings, slots.begin(), &Reading::slot);
  cache_.extend(slots, newest_.segments);
  Var rows = transformer_.main()(pass_, newest_, context_ ? &*context_ : nullptr, &cache_);
  if (newest_.rows() == std::ssize(readings)) {
    return rows;
  }
  PoolVector<Index> last;
  for (const Segment& segment : newest_.segments.list) {
    last.push_back(segment.row + segment.rows - 1);
  }
  return select_rows(rows, last);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
