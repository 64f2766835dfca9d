#include "lab/heads/head_report.hpp"

#include "datasets/loader.hpp"

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

using Writes = std::map<AttentionSite, std::vector<Tensor>>;  // by attention, by head

// Watches a batch: takes the heads of a pass one by one, and adds a sequence when it has all heads.
class Watcher {
 public:
  Watcher(const Transformer& model, const Writes& writes, const Source& source,
          const std::vector<Index>& examples, const ReadFacts& facts, const HeadFigureRows& rows)
      : model_(model), writes_(writes), batch_(pack(source, examples)), facts_(facts), rows_(rows) {
    for (const Index example : batch_.examples) {
      relations_.push_back(source.relations(example));
    }
  }

  std::vector<AttentionSums> run(const ParameterStore& store) {
    Tape tape(false);
    Pass pass(tape, store);
    pass.recorder = [this](const RecordedAttention& seen) { see(seen); };
    model_.hidden(pass, batch_);
    return std::move(sums_);
  }

 private:
  // The recorder delivers all sequences of one attention before the next attention. Sums over
  // weights that are not finite could look valid.
  void see(const RecordedAttention& seen) {
    if (first_not_finite(seen.weights) >= 0 || first_not_finite(seen.output) >= 0) {
      throw NumericError(
          "{}.{}: attention weights or outputs are not finite; the model's weights are too large",
          seen.site.text(), seen.head);
    }
    const std::vector<Tensor>& writes = writes_.at(seen.site);
    const std::span<const Scalar> weights = seen.weights.values();
    weights_.emplace_back(weights.begin(), weights.end());
    written_.push_back(
        unit_rows(written_by(seen.output, writes[static_cast<std::size_t>(seen.head)])));
    if (weights_.size() < writes.size()) {
      return;  // other heads of the sequence follow
    }
    const AttentionSite site = seen.site;
    if (sums_.empty() || sums_.back().site != site) {
      sums_.push_back({.site = site});
    }
    AttentionSums& sums = sums_.back();
    sums.add(sequence(site, seen.segment), weights_, rows_);
    sums.add_written(written_);
    for (const auto& [earlier, heads] : watched_) {
      if (earlier != site && earlier.kind == site.kind) {
        sums.add_earlier(earlier, weights_, heads[static_cast<std::size_t>(seen.segment)]);
      }
    }
    watched_[site].push_back(std::exchange(weights_, {}));
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
            .patterns = attention_of(model_, {site, 0}).patterns,
            .key_facts = keys_input ? facts_.input : facts_.context,
            .relations = relations_[static_cast<std::size_t>(segment)],
            .prefix = keys_input ? batch_.input.segments[segment].prefix : 0};
  }

  const Transformer& model_;
  const Writes& writes_;
  Batch batch_;
  const ReadFacts& facts_;
  const HeadFigureRows& rows_;
  std::vector<Relations> relations_;                             // by sequence
  std::vector<AttentionSums> sums_;                              // in the order of the pass
  std::map<AttentionSite, std::vector<WeightsByHead>> watched_;  // by sequence
  WeightsByHead weights_;  // of the current sequence's heads so far
  std::vector<Tensor> written_;
};

}  // namespace

std::vector<AttentionSums> watch_heads(const Transformer& model, const ParameterStore& store,
                                       const Source& source, const ReadFacts& facts,
                                       Index batch_tokens, Workers& workers,
                                       const OnProgress& progress, const HeadFigureRows& rows) {
  const auto batches = ordered_batches(source, std::min(batch_tokens, most_tokens));
  Writes writes;
  for (const MultiHeadAttention* attention : model.attentions()) {
    writes[attention->site] = head_writes(store, *attention);
  }
  const auto count = static_cast<Index>(batches.size());
  std::vector<AttentionSums> total;
  for (Index first = 0; first < count; first += workers.threads()) {
    std::vector<std::vector<AttentionSums>> parts(
        static_cast<std::size_t>(std::min(workers.threads(), count - first)));
    workers.run(static_cast<Index>(parts.size()), [&](Index i) {
      Watcher watcher(model, writes, source, batches[static_cast<std::size_t>(first + i)], facts,
                      rows);
      parts[static_cast<std::size_t>(i)] = watcher.run(store);
    });
    for (const std::vector<AttentionSums>& part : parts) {
      total.resize(part.size());
      for (std::size_t k = 0; k < part.size(); ++k) {
        total[k].site = part[k].site;
        total[k] += part[k];
      }
    }
    if (progress) {
      progress(first + static_cast<Index>(parts.size()), count);
    }
  }
  return total;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
