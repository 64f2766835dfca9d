#include "nn/generation/decoding.hpp"

#include <algorithm>
#include <limits>

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Decodes one batch: first all prompts, then token by token. Beams that are done leave the batch.
class Search {
 public:
  Search(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
         const DecodingOptions& options)
      : options_(options), models_(models, prompts, options.beam, begin(models, prompts)) {}

  // The models leave out one of the tokens that are never written, and the beams the others.
  Outputs run() {
    const LogSums log_sums =
        options_.beam == 1 && !options_.scores ? LogSums::left_out : LogSums::wanted;
    const TokenId excluded = options_.never.empty() ? -1 : options_.never.front();
    const Index others = std::max<Index>(std::ssize(options_.never) - 1, 0);
    while (gather()) {
      take(models_.best(readings_, options_.beam + others, excluded, log_sums));
    }
    Outputs results;
    for (const Beam& beam : beams_) {
      results.push_back(beam.results());
    }
    return results;
  }

 private:
  // Makes the beams. Returns the most rows that a model reads of a prompt and its output.
  Index begin(std::span<const EnsembleMember> models, std::span<const Prompts> prompts) {
    Index most = 0;
    for (Index i = 0; i < prompts.front().sequences(); ++i) {
      Index longest = std::numeric_limits<Index>::max();
      Index read = 0;
      for (std::size_t k = 0; k < models.size(); ++k) {
        const Index prompt = prompts[k].input.segments[i].rows;
        longest = std::min(longest, longest_output(models[k].transformer, prompts[k], i));
        read = std::max(read, prompt);
      }
      most = std::max(most, read - 1 + longest);
      beams_.emplace_back(options_, std::max<Index>(longest, 0));
    }
    return most;
  }

  // The last token that is written is not read.
  Index longest_output(const Transformer& model, const Prompts& prompts, Index number) const {
    const Index prompt = prompts.input.segments[number].rows;
    const Index source = std::max(prompts.context.segments[number].rows, prompt);
    return std::min({source + options_.max_extra_length, options_.max_length,
                     std::min(options_.context, model.options().max_positions) - prompt + 1});
  }

  // Collects what each open hypothesis has not read: its prompt or its newest token. False: none.
  bool gather() {
    readings_.clear();
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      for (const Beam::Open& open : beams_[b].open()) {
        readings_.push_back({.slot = slot(b, open.slot),
                             .prompt = static_cast<Index>(b),
                             .tokens = std::span(open.tokens).last(open.tokens.empty() ? 0 : 1)});
      }
    }
    return !readings_.empty();
  }

  void take(const BestTokens& next) {
    Index row = 0;
    for (std::size_t b = 0; b < beams_.size(); ++b) {
      Beam& beam = beams_[b];
      if (!beam.done()) {
        const auto best = beam.continuations(next, row);
        row += static_cast<Index>(beam.open().size());
        for (const Beam::SlotCopy& copy : beam.advance(best)) {
          models_.copy(slot(b, copy.from), slot(b, copy.to));
        }
        for (Index own = 0; beam.done() && own < options_.beam; ++own) {
          models_.release(slot(b, own));
        }
      }
    }
  }

  Index slot(std::size_t beam, Index own) const {
    return static_cast<Index>(beam) * options_.beam + own;
  }

  DecodingOptions options_;
  std::vector<Beam> beams_;
  Ensemble models_;
  std::vector<Reading> readings_;
};

}  // namespace

Outputs decode_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                     const DecodingOptions& options) {
  return Search(models, prompts, options).run();
}

Outputs decode_batch(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
                     const DecodingOptions& options) {
  const EnsembleMember alone{.transformer = model, .store = store};
  return decode_batch({&alone, 1}, {&prompts, 1}, options);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
