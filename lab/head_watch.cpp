#include "lab/head_watch.hpp"

#include <algorithm>
#include <string_view>

#include "datasets/loader.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

std::span<const TokenId> tokens_of(const PoolVector<TokenId>& tokens, const Segment& segment) {
  return std::span(tokens.data(), tokens.size())
      .subspan(static_cast<std::size_t>(segment.row), static_cast<std::size_t>(segment.rows));
}

// Gathers what the recorder hands over, head after head, until a sentence has all its heads.
class Watcher {
 public:
  Watcher(const Split& split, const Batch& batch, const SideFacts& facts)
      : batch_(batch), facts_(facts), relations_(static_cast<std::size_t>(batch.sequences())) {
    for (std::size_t i = 0; facts.relations && i < relations_.size(); ++i) {
      relations_[i] = facts.relations(split, batch.examples[i]);
    }
  }

  void see(const RecordedAttention& seen) {
    if (seen.head == 0) {
      finish_sequence();
      path_ = seen.path;
      segment_ = seen.segment;
    }
    const std::span<const Scalar> weights = seen.weights.values();
    heads_.emplace_back(weights.begin(), weights.end());
  }

  std::vector<AttentionSums> take() {
    finish_sequence();
    return std::move(attentions_);
  }

 private:
  void finish_sequence() {
    if (!heads_.empty()) {
      sums_of(path_).add(sequence(), heads_);
      heads_.clear();
    }
  }

  AttentionSums& sums_of(std::string_view path) {
    const auto found = std::ranges::find(attentions_, path, &AttentionSums::path);
    if (found != attentions_.end()) {
      return *found;
    }
    attentions_.push_back(
        {.path = std::string(path), .heads = {}, .divergence = {}, .relations = {}});
    return attentions_.back();
  }

  AttendedSequence sequence() const {
    const bool decoder = path_.starts_with("decoder");
    const bool self = path_.ends_with("self");
    const auto source = tokens_of(batch_.source, batch_.source_segments[segment_]);
    const auto target = tokens_of(batch_.target_input, batch_.target_segments[segment_]);
    return {.keys = decoder && self ? target : source,
            .queries = decoder ? target : source,
            .self = self,
            .causal = decoder && self,
            .key_facts = decoder && self ? facts_.target : facts_.source,
            .relations = relations_[static_cast<std::size_t>(segment_)]};
  }

  const Batch& batch_;
  const SideFacts& facts_;
  std::vector<Relations> relations_;  // by sequence
  std::vector<AttentionSums> attentions_;
  std::string_view path_;  // the module's own, which outlives the watcher
  Index segment_ = 0;
  std::vector<std::vector<Scalar>> heads_;
};

std::vector<AttentionSums> watch_batch(const Transformer& model, const ParameterStore& store,
                                       const Split& split, const std::vector<Index>& examples,
                                       const SideFacts& facts) {
  const Batch batch = make_batch(split, examples);
  Watcher watcher(split, batch, facts);
  Tape tape(false);
  Pass pass(tape, store);
  pass.recorder = [&watcher](const RecordedAttention& seen) { watcher.see(seen); };
  const Var memory = model.encode(pass, batch.source, batch.source_segments);
  model.decode(pass, batch.target_input, batch.target_segments, memory, batch.source_segments);
  return watcher.take();
}

void add(std::vector<AttentionSums>& to, const std::vector<AttentionSums>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i == to.size()) {
      to.push_back(from[i]);
    } else {
      to[i] += from[i];
    }
  }
}

}  // namespace

std::vector<AttentionSums> watch_heads(const Transformer& model, const ParameterStore& store,
                                       const Split& split, const SideFacts& facts,
                                       Index batch_tokens, Workers& workers,
                                       const std::function<void(Index, Index)>& progress) {
  const auto batches = ordered_batches(split, batch_tokens);
  const auto count = static_cast<Index>(batches.size());
  std::vector<AttentionSums> total;
  for (Index first = 0; first < count; first += workers.threads()) {
    std::vector<std::vector<AttentionSums>> parts(
        static_cast<std::size_t>(std::min(workers.threads(), count - first)));
    workers.run(static_cast<Index>(parts.size()), [&](Index i) {
      parts[static_cast<std::size_t>(i)] =
          watch_batch(model, store, split, batches[static_cast<std::size_t>(first + i)], facts);
    });
    for (const std::vector<AttentionSums>& part : parts) {
      add(total, part);
    }
    if (progress) {
      progress(first + static_cast<Index>(parts.size()), count);
    }
  }
  return total;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
