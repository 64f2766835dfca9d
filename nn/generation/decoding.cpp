#include "nn/generation/decoding.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/ops/select_rows.hpp"
#include "nn/generation/beam.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

PoolVector<Index> last_rows(const Segments& segments) {
  PoolVector<Index> rows;
  for (const Segment& segment : segments.list) {
    rows.push_back(segment.row + segment.rows - 1);
  }
  return rows;
}

// Decodes one batch: first all prompts, then token by token. Beams that are done leave the batch.
class Search {
 public:
  Search(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
         const DecodingOptions& options)
      : model_(model), store_(store), prompts_(prompts), options_(options), cache_(begin()) {}

  std::vector<std::vector<Hypothesis>> run() {
    Tape tape(false);
    Pass pass(tape, store_);
    pass.keep_weights_packed();
    std::optional<Context> context;
    if (model_.family() == Family::encoder_decoder) {
      context.emplace(model_.encode(pass, prompts_.context), sources_);
    }
    const LogSums log_sums =
        options_.beam == 1 && !options_.scores ? LogSums::left_out : LogSums::wanted;
    for (Index length = 0; gather(length); ++length) {
      cache_.extend(slots_, newest_.segments);
      const Var rows = model_.main()(pass, newest_, context ? &*context : nullptr, &cache_);
      const Var last = length == 0 ? select_rows(rows, last_rows(newest_.segments)) : rows;
      take(model_.output().best(pass, last, options_.beam, options_.begin, log_sums));
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
    for (Index i = 0; i < prompts_.sequences(); ++i) {
      const Index prompt = prompts_.input.segments[i].rows;
      const Index source = std::max(prompts_.context.segments[i].rows, prompt);
      // The last token that is written is not read.
      const Index longest =
          std::min({source + options_.max_extra_length, options_.max_length,
                    std::min(options_.context, model_.options().max_positions) - prompt + 1});
      most = std::max(most, prompt - 1 + longest);
      beams_.emplace_back(options_, std::max<Index>(longest, 0));
    }
    return model_.main().make_cache(prompts_.sequences() * options_.beam, most);
  }

  // Collects what each open hypothesis has not read yet, each as a segment: its prompt or, later,
  // its newest token. False if none is open.
  bool gather(Index length) {
    newest_.ids.clear();
    newest_.segments.list.clear();
    sources_.list.clear();
    slots_.clear();
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      const Segment& prompt = prompts_.input.segments.list[b];
      for (const Beam::Open& open : beams_[b].open()) {
        Segment segment = prompt;
        segment.row = newest_.rows();
        if (length == 0) {
          const auto first = prompts_.input.ids.begin() + prompt.row;
          newest_.ids.insert(newest_.ids.end(), first, first + prompt.rows);
        } else {
          segment.rows = 1;
          segment.position = prompt.rows - 1 + length;
          newest_.ids.push_back(open.tokens.back());
        }
        newest_.segments.list.push_back(segment);
        sources_.list.push_back(prompts_.context.segments.list[b]);
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
  const Prompts& prompts_;
  DecodingOptions options_;
  std::vector<Beam> beams_;
  KeyValueCache cache_;
  Tokens newest_;
  Segments sources_;          // for each segment of the newest tokens
  std::vector<Index> slots_;  // likewise
};

}  // namespace

std::vector<std::vector<Hypothesis>> decode_batch(const Transformer& model,
                                                  const ParameterStore& store,
                                                  const Prompts& prompts,
                                                  const DecodingOptions& options) {
  return Search(model, store, prompts, options).run();
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
