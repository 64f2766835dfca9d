#include "nn/decoding.hpp"

#include <algorithm>
#include <utility>

#include "nn/beam.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// The decoding of one batch, token by token. Beams that are done leave the batch.
class Search {
 public:
  Search(const Transformer& model, const ParameterStore& store, const DecodingOptions& options)
      : model_(model), store_(store), options_(options) {}

  std::vector<std::vector<Hypothesis>> run(std::span<const TokenId> source,
                                           const Segments& segments) {
    Tape tape(false);
    Pass pass(tape, store_);
    pass.keep_weights_packed();
    const Var memory = model_.encode(pass, source, segments);
    begin(segments);
    const LogSums log_sums =
        options_.beam == 1 && !options_.scores ? LogSums::left_out : LogSums::wanted;
    for (Index length = 0; gather(segments, length); ++length) {
      const Var hidden = model_.decode(pass, tokens_, targets_, memory, sources_, &cache_);
      take(model_.next_tokens(pass, hidden, options_.beam, options_.begin, log_sums), length + 1);
    }
    std::vector<std::vector<Hypothesis>> results;
    for (const Beam& beam : beams_) {
      results.push_back(beam.results());
    }
    return results;
  }

 private:
  void begin(const Segments& segments) {
    for (const Segment& segment : segments.list) {
      // The end mark closes a source, so its segment has one row more than the sentence.
      const Index longest = std::min({segment.rows + options_.max_extra_length, options_.max_length,
                                      model_.options().max_positions});
      longest_ = std::max(longest_, longest);
      first_slots_.push_back(static_cast<Index>(beams_.size()) * options_.beam);
      beams_.emplace_back(options_, longest);
    }
    capacity_ = std::min<Index>(longest_, 8);
    cache_ = model_.make_cache(segments.count() * options_.beam, capacity_);
  }

  // Slots of twice the rows, for the beams that are not done: few outputs come near the longest
  // that is allowed.
  void grow() {
    const Index capacity = std::min(2 * capacity_, longest_);
    const std::vector<Index> old_slots = first_slots_;
    Index slots = 0;
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      first_slots_[b] = slots;
      slots += beams_[b].done() ? 0 : options_.beam;
    }
    for (LayerCache& layer : cache_.layers) {
      const Tensor& old = layer.self.rows;
      const Index columns = old.dim(1);
      Tensor rows = Tensor::empty({slots * capacity, columns});
      for (std::size_t b = 0; b < beams_.size(); ++b) {
        for (Index slot = 0; slot < options_.beam && !beams_[b].done(); ++slot) {
          std::copy_n(old.row((old_slots[b] + slot) * capacity_), capacity_ * columns,
                      rows.row((first_slots_[b] + slot) * capacity));
        }
      }
      layer.self.rows = std::move(rows);
    }
    capacity_ = capacity;
  }

  // The newest token of every open hypothesis, each a segment of one row. False when none is open.
  bool gather(const Segments& segments, Index length) {
    if (length == capacity_ && length < longest_) {
      grow();
    }
    tokens_.clear();
    targets_.list.clear();
    sources_.list.clear();
    cache_.slots.list.clear();
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      for (const Beam::Open& open : beams_[b].open()) {
        targets_.list.push_back(
            {.row = static_cast<Index>(tokens_.size()), .rows = 1, .position = length});
        sources_.list.push_back(segments.list[b]);
        cache_.slots.list.push_back(
            {.row = (first_slots_[b] + open.slot) * capacity_, .rows = length + 1, .position = 0});
        tokens_.push_back(length == 0 ? options_.begin : open.tokens.back());
      }
    }
    return !tokens_.empty();
  }

  void take(const BestTokens& next, Index length) {
    Index row = 0;
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      Beam& beam = beams_[b];
      if (!beam.done()) {
        const auto best = beam.continuations(next, row);
        row += static_cast<Index>(beam.open().size());
        for (const Beam::SlotCopy& copy : beam.advance(best)) {
          copy_slot(first_slots_[b] + copy.from, first_slots_[b] + copy.to, length);
        }
      }
    }
  }

  void copy_slot(Index from, Index to, Index length) {
    for (LayerCache& layer : cache_.layers) {
      Tensor& rows = layer.self.rows;
      std::copy_n(rows.row(from * capacity_), length * rows.dim(1), rows.row(to * capacity_));
    }
  }

  const Transformer& model_;
  const ParameterStore& store_;
  DecodingOptions options_;
  std::vector<Beam> beams_;
  std::vector<Index> first_slots_;  // of each beam, in the cache
  DecoderCache cache_;
  Index longest_ = 0;   // rows that a slot may need
  Index capacity_ = 0;  // rows that it has
  std::vector<TokenId> tokens_;
  Segments targets_;
  Segments sources_;
};

}  // namespace

std::vector<std::vector<Hypothesis>> decode_batch(const Transformer& model,
                                                  const ParameterStore& store,
                                                  std::span<const TokenId> source,
                                                  const Segments& segments,
                                                  const DecodingOptions& options) {
  return Search(model, store, options).run(source, segments);
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
