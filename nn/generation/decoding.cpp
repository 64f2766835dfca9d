#include "nn/generation/decoding.hpp"

#include <algorithm>
#include <utility>

#include "nn/generation/beam.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// Decodes one batch, token by token. Beams that are done leave the batch.
class Search {
 public:
  Search(const Transformer& model, const ParameterStore& store, const Tokens& source,
         const DecodingOptions& options)
      : model_(model), store_(store), source_(source), options_(options), cache_(begin()) {}

  std::vector<std::vector<Hypothesis>> run() {
    Tape tape(false);
    Pass pass(tape, store_);
    pass.keep_weights_packed();
    const Context context{.rows = model_.encode(pass, source_), .segments = sources_};
    const LogSums log_sums =
        options_.beam == 1 && !options_.scores ? LogSums::left_out : LogSums::wanted;
    for (Index length = 0; gather(length); ++length) {
      cache_.extend(slots_, newest_.segments);
      const Var hidden = model_.main()(pass, newest_, &context, &cache_);
      take(model_.output().best(pass, hidden, options_.beam, options_.begin, log_sums));
    }
    std::vector<std::vector<Hypothesis>> results;
    for (const Beam& beam : beams_) {
      results.push_back(beam.results());
    }
    return results;
  }

 private:
  // A slot for each hypothesis that may be open.
  KeyValueCache begin() {
    Index most = 0;
    for (const Segment& segment : source_.segments.list) {
      // A source ends with the end mark, so its segment has one row more than the sentence.
      const Index longest = std::min({segment.rows + options_.max_extra_length, options_.max_length,
                                      model_.options().max_positions});
      most = std::max(most, longest);
      beams_.emplace_back(options_, longest);
    }
    return model_.main().make_cache(source_.segments.count() * options_.beam, most);
  }

  // Collects the newest token of every open hypothesis, each as a segment of one row. False if none
  // is open.
  bool gather(Index length) {
    newest_.ids.clear();
    newest_.segments.list.clear();
    sources_.list.clear();
    slots_.clear();
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      for (const Beam::Open& open : beams_[b].open()) {
        newest_.segments.list.push_back({.row = newest_.rows(), .rows = 1, .position = length});
        newest_.ids.push_back(length == 0 ? options_.begin : open.tokens.back());
        sources_.list.push_back(source_.segments.list[b]);
        slots_.push_back(slot(b, open.slot));
      }
    }
    return newest_.rows() > 0;
  }

  void take(const BestTokens& next) {
    Index row = 0;
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      Beam& beam = beams_[b];
      if (!beam.done()) {
        const auto best = beam.continuations(next, row);
        row += static_cast<Index>(beam.open().size());
        for (const Beam::SlotCopy& copy : beam.advance(best)) {
          cache_.copy(slot(b, copy.from), slot(b, copy.to));
        }
        for (Index own = 0; beam.done() && own < options_.beam; ++own) {
          cache_.release(slot(b, own));
        }
      }
    }
  }

  Index slot(std::size_t beam, Index own) const {
    return static_cast<Index>(beam) * options_.beam + own;
  }

  const Transformer& model_;
  const ParameterStore& store_;
  const Tokens& source_;
  DecodingOptions options_;
  std::vector<Beam> beams_;
  KeyValueCache cache_;
  Tokens newest_;
  Segments sources_;          // for each newest token
  std::vector<Index> slots_;  // likewise
};

}  // namespace

std::vector<std::vector<Hypothesis>> decode_batch(const Transformer& model,
                                                  const ParameterStore& store, const Tokens& source,
                                                  const DecodingOptions& options) {
  return Search(model, store, source, options).run();
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
