#include "nn/generation/decoding.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// One way to continue: an open hypothesis, its next token, and their total log-probability.
struct Continuation {
  Index parent;
  TokenId token;
  double log_probability;
};

// The beam of one source sentence: its open and its finished hypotheses.
class Beam {
 public:
  struct Open {
    std::vector<TokenId> tokens;
    double log_probability = 0;
    Index slot = 0;  // among the beam's slots in the decoder's cache
  };

  Beam(const DecodingOptions& options, Index max_length)
      : options_(options), max_length_(max_length) {}

  bool done() const { return open_.empty(); }
  const std::vector<Open>& open() const { return open_; }

  // The best continuations of all open hypotheses, best first, at most `beam` of them. Hypothesis i
  // has its candidate tokens in row first_row + i of `next`; tokens that are never written are
  // skipped. Each hypothesis' `beam` best candidates suffice.
  std::vector<Continuation> continuations(const BestTokens& next, Index first_row) const {
    const bool scored = !next.log_sums.empty();
    const auto may_be_written = [&](const TokenLogit& one) {
      return std::ranges::find(options_.never, one.token) == options_.never.end();
    };
    std::vector<Continuation> all;
    for (std::size_t parent = 0; parent < open_.size(); ++parent) {
      const Index row = first_row + static_cast<Index>(parent);
      const double log_sum = scored ? next.log_sums[static_cast<std::size_t>(row)] : 0;
      for (const auto& [token, logit] :
           next.of(row) | std::views::filter(may_be_written) | std::views::take(options_.beam)) {
        const double gain = scored ? static_cast<double>(logit) - log_sum : 0;
        all.push_back({static_cast<Index>(parent), token, open_[parent].log_probability + gain});
      }
    }
    // Equal ones are ordered by parent and token, so that the sorting algorithm does not matter.
    const auto kept = std::min(all.size(), static_cast<std::size_t>(options_.beam));
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept), {},
                              [](const Continuation& one) {
                                return std::tuple(-one.log_probability, one.parent, one.token);
                              });
    all.resize(kept);
    return all;
  }

  // Takes the best continuations. If one ends, its hypothesis is finished; the rest become the open
  // hypotheses. Of continuations with the same parent, the first stays in its slot; the rest get
  // new slots. The caller must copy the first slot of each returned pair to the second.
  std::vector<std::pair<Index, Index>> advance(const std::vector<Continuation>& best) {
    const std::vector<Open> parents = std::move(open_);
    open_.clear();
    for (const Continuation& next : best) {
      const Open& parent = parents[static_cast<std::size_t>(next.parent)];
      const Index length = std::ssize(parent.tokens) + 1;
      if (next.token == options_.end) {
        finish(parent, next.log_probability, length, true);
        continue;
      }
      open_.push_back(
          {.tokens = parent.tokens, .log_probability = next.log_probability, .slot = parent.slot});
      open_.back().tokens.push_back(next.token);
    }
    std::vector<Index> free = mapped(numbers_below(options_.beam), std::identity());  // all slots
    for (const Open& one : open_) {
      std::erase(free, one.slot);
    }
    std::vector<std::pair<Index, Index>> copies;
    std::set<Index> kept;
    for (Open& one : open_) {
      if (!kept.insert(one.slot).second) {
        copies.emplace_back(one.slot, free.back());
        one.slot = free.back();
        free.pop_back();
      }
    }
    close_if_settled();
    return copies;
  }

  // The finished hypotheses, best first; if too few have finished, also some that were cut off.
  std::vector<Hypothesis> results() const {
    const Index count = std::min(std::ssize(finished_), options_.best);
    return {finished_.begin(), finished_.begin() + count};
  }

 private:
  void finish(const Open& parent, double log_probability, Index length, bool ended) {
    const double divisor =
        std::pow(static_cast<double>(std::max<Index>(length, 1)), options_.length_penalty);
    finished_.push_back({parent.tokens, log_probability, log_probability / divisor, ended});
    std::ranges::stable_sort(finished_, std::greater<>(), &Hypothesis::score);
  }

  // The search ends at the maximum length, or when `beam` hypotheses have finished. If fewer have
  // then finished than are wanted, the open ones count as they are.
  void close_if_settled() {
    const Index finished = std::ssize(finished_);
    const bool full = finished >= options_.beam;
    if (open_.empty() || (!full && std::ssize(open_.front().tokens) < max_length_)) {
      return;
    }
    if (!full && finished < options_.best) {
      for (const Open& cut : open_) {
        finish(cut, cut.log_probability, std::ssize(cut.tokens), false);
      }
    }
    open_.clear();
  }

  DecodingOptions options_;
  Index max_length_;
  std::vector<Open> open_{Open()};
  std::vector<Hypothesis> finished_;
};

// Decodes one batch: first all prompts, then token by token. Beams that are done leave the batch.
class Search {
 public:
  Search(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
         const DecodingOptions& options)
      : options_(options), models_(models, prompts, options.beam, begin(models, prompts)) {}

  // The models exclude the first token of `never`; the beams skip the rest of `never`.
  Outputs run() {
    const LogSums log_sums =
        options_.beam == 1 && !options_.scores ? LogSums::left_out : LogSums::wanted;
    const TokenId excluded = options_.never.empty() ? -1 : options_.never.front();
    const Index others = std::max<Index>(std::ssize(options_.never) - 1, 0);
    while (gather()) {
      take(models_.best(readings_, options_.beam + others, excluded, log_sums));
    }
    return mapped(beams_, &Beam::results);
  }

 private:
  // Makes the beams. Returns the most rows that any model reads of a prompt and its output.
  Index begin(std::span<const EnsembleMember> models, std::span<const Prompts> prompts) {
    Index most = 0;
    for (Index i = 0; i < prompts.front().sequences(); ++i) {
      Index longest = options_.max_length;  // of the output
      Index read = 0;
      for (std::size_t k = 0; k < models.size(); ++k) {
        const Index prompt = prompts[k].input.segments[i].rows;
        const Index source = std::max(prompts[k].context.segments[i].rows, prompt);
        const Index context =
            std::min(options_.context, models[k].transformer.options().max_positions);
        // The model never reads the last token of an output, hence + 1.
        longest = std::min({longest, source + options_.max_extra_length, context - prompt + 1});
        read = std::max(read, prompt);
      }
      most = std::max(most, read - 1 + longest);
      beams_.emplace_back(options_, std::max<Index>(longest, 0));
    }
    return most;
  }

  // Collects the prompt or the newest token of each open hypothesis. False: none is open.
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
        for (const auto& [from, to] : beam.advance(best)) {
          models_.copy(slot(b, from), slot(b, to));
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
