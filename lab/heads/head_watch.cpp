#include "lab/heads/head_report.hpp"

#include "datasets/loader.hpp"
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

std::vector<RecordedAttention> recorded_attentions(const Model& model, const Batch& batch) {
  std::vector<RecordedAttention> all;
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.recorder = [&all](const RecordedAttention& one) { all.push_back(one); };
  model.transformer.hidden(pass, batch);
  return all;
}

namespace {

std::span<const TokenId> tokens_of(const Tokens& tokens, Index sequence) {
  const Segment& segment = tokens.segments[sequence];
  return std::span(tokens.ids.data(), tokens.ids.size())
      .subspan(static_cast<std::size_t>(segment.row), static_cast<std::size_t>(segment.rows));
}

// Limits the memory: a batch's weights in all layers are kept. Larger batches are hardly faster.
constexpr Index most_tokens = 512;

using HeadWeights = std::vector<std::vector<Scalar>>;         // by head
using Writes = std::map<AttentionSite, std::vector<Tensor>>;  // by attention, by head

Writes writes_of(const Transformer& model, const ParameterStore& store) {
  Writes writes;
  for (const MultiHeadAttention* attention : model.attentions()) {
    writes[attention->site] = head_writes(store, *attention);
  }
  return writes;
}

const PoolVector<Pattern>& patterns_at(const Transformer& model, AttentionSite site) {
  const auto all = model.attentions();
  return (*std::ranges::find(all, site, &MultiHeadAttention::site))->patterns;
}

// Takes the heads of a pass one after the other; adds a sequence to the sums when it has all heads.
class Watcher {
 public:
  Watcher(const Transformer& model, const Writes& writes, const Source& source, const Batch& batch,
          const ReadFacts& facts, const std::vector<HeadFigureRow>& rows)
      : model_(model), writes_(writes), batch_(batch), facts_(facts), rows_(rows) {
    for (const Index example : batch.examples) {
      relations_.push_back(source.relations(example));
    }
  }

  void see(const RecordedAttention& seen) {
    const std::vector<Tensor>& writes = writes_.at(seen.site);
    const std::span<const Scalar> weights = seen.weights.values();
    weights_.emplace_back(weights.begin(), weights.end());
    written_.push_back(
        unit_rows(written_by(seen.output, writes[static_cast<std::size_t>(seen.head)])));
    if (weights_.size() == writes.size()) {
      add_sequence(seen.site, seen.segment);
    }
  }

  std::vector<AttentionSums> take() {
    std::vector<AttentionSums> sums;
    for (Watched& attention : attentions_) {
      sums.push_back(std::move(attention.sums));
    }
    return sums;
  }

 private:
  struct Watched {
    AttentionSums sums;
    std::vector<HeadWeights> weights{};  // by sequence
  };

  // The recorder delivers all sequences of one attention before the next attention.
  void add_sequence(AttentionSite site, Index segment) {
    if (attentions_.empty() || attentions_.back().sums.site != site) {
      attentions_.push_back({.sums = {.site = site}});
    }
    AttentionSums& sums = attentions_.back().sums;
    sums.add(sequence(site, segment), weights_, rows_);
    sums.add_written(written_);
    for (const Watched& other : attentions_) {
      if (other.sums.site != site && other.sums.site.kind == site.kind) {
        sums.add_earlier(other.sums.site, weights_,
                         other.weights[static_cast<std::size_t>(segment)]);
      }
    }
    attentions_.back().weights.push_back(std::exchange(weights_, {}));
    written_.clear();
  }

  AttendedSequence sequence(AttentionSite site, Index segment) const {
    const bool self = site.is_self();
    const bool queries_input =
        site.stack() == model_.main().name;  // another stack reads the context
    const bool keys_input = queries_input && self;
    return {.keys = tokens_of(keys_input ? batch_.input : batch_.context, segment),
            .queries = tokens_of(queries_input ? batch_.input : batch_.context, segment),
            .self = self,
            .causal = site.stack() == StackName::decoder && self,
            .patterns = patterns_at(model_, site),
            .key_facts = keys_input ? facts_.input : facts_.context,
            .relations = relations_[static_cast<std::size_t>(segment)],
            .prefix = keys_input ? batch_.input.segments[segment].prefix : 0};
  }

  const Transformer& model_;
  const Writes& writes_;
  const Batch& batch_;
  const ReadFacts& facts_;
  const std::vector<HeadFigureRow>& rows_;
  std::vector<Relations> relations_;  // by sequence
  std::vector<Watched> attentions_;   // in the order of the pass
  HeadWeights weights_;               // of the current sequence's heads so far
  std::vector<Tensor> written_;
};

// Sums over weights that are not finite could look valid.
void expect_finite(const RecordedAttention& seen) {
  if (first_not_finite(seen.weights) >= 0 || first_not_finite(seen.output) >= 0) {
    throw NumericError(
        fmt::format("{}, head {}: what it attends to and says is not finite; the "
                    "weights are too large",
                    seen.site.text(), seen.head));
  }
}

std::vector<AttentionSums> watch_batch(const Transformer& model, const ParameterStore& store,
                                       const Writes& writes, const Source& source,
                                       const std::vector<Index>& examples, const ReadFacts& facts,
                                       const std::vector<HeadFigureRow>& rows) {
  const Batch batch = pack(source, examples);
  Watcher watcher(model, writes, source, batch, facts, rows);
  Tape tape(false);
  Pass pass(tape, store);
  pass.recorder = [&watcher](const RecordedAttention& seen) {
    expect_finite(seen);
    watcher.see(seen);
  };
  model.hidden(pass, batch);
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
                                       const Source& source, const ReadFacts& facts,
                                       Index batch_tokens, Workers& workers,
                                       const std::function<void(Index, Index)>& progress,
                                       const std::vector<HeadFigureRow>& rows) {
  const auto batches = ordered_batches(source, std::min(batch_tokens, most_tokens));
  const Writes writes = writes_of(model, store);
  const auto count = static_cast<Index>(batches.size());
  std::vector<AttentionSums> total;
  for (Index first = 0; first < count; first += workers.threads()) {
    std::vector<std::vector<AttentionSums>> parts(
        static_cast<std::size_t>(std::min(workers.threads(), count - first)));
    workers.run(static_cast<Index>(parts.size()), [&](Index i) {
      parts[static_cast<std::size_t>(i)] = watch_batch(
          model, store, writes, source, batches[static_cast<std::size_t>(first + i)], facts, rows);
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

}}  // namespace tapehead::TAPEHEAD_PRECISION
