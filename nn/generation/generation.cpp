#include "nn/generation/generation.hpp"

#include "core/random/draws.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

using Probabilities = std::vector<double>;

void normalise(Probabilities& probabilities) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) {
    probability /= sum;
  }
}

// p_v = exp(z_v / T) / Σ exp(z_w / T). For T = 0 the limit; of equal logits, the first gets all.
Probabilities tempered(std::span<const Scalar> logits, double temperature,
                       std::span<const TokenId> excluded) {
  std::vector<double> scaled(logits.begin(), logits.end());
  if (!std::ranges::all_of(scaled, [](double logit) { return std::isfinite(logit); })) {
    throw NumericError("logits are not finite");
  }
  for (const TokenId token : excluded) {
    scaled[static_cast<std::size_t>(token)] = -std::numeric_limits<double>::infinity();
  }
  const auto largest = std::ranges::max_element(scaled);
  Probabilities probabilities(scaled.size());
  if (temperature == 0) {
    probabilities[static_cast<std::size_t>(largest - scaled.begin())] = 1;
    return probabilities;
  }
  std::ranges::transform(scaled, probabilities.begin(),
                         [&](double logit) { return std::exp((logit - *largest) / temperature); });
  normalise(probabilities);
  return probabilities;
}

// Keeps the most likely tokens until enough(number of kept tokens, their total probability).
void keep_most_likely(Probabilities& probabilities, const auto& enough) {
  std::vector<std::size_t> order = mapped(numbers_below(probabilities.size()), std::identity());
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return probabilities[a] > probabilities[b]; });
  double sum = 0;
  std::size_t kept = 0;
  while (kept < order.size() && !enough(kept, sum)) {
    sum += probabilities[order[kept++]];
  }
  for (std::size_t i = kept; i < order.size(); ++i) {
    probabilities[order[i]] = 0;
  }
  normalise(probabilities);
}

// A sample in progress.
struct Sequence {
  Index prompt;
  Index sample;
  Draws draws;
  Generated result{};
  std::vector<TokenId> read_again{};  // instead of the newest token, after it slid
  bool open = true;
};

class Generation {
 public:
  Generation(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
             const GenerationOptions& options, const EachToken& each)
      : prompts_(prompts.front()),
        options_(options),
        each_(each),
        models_(models, prompts, options.samples, options.context) {
    for (Index prompt = 0; prompt < prompts_.sequences(); ++prompt) {
      for (Index sample = 0; sample < options.samples; ++sample) {
        sequences_.push_back(
            {.prompt = prompt,
             .sample = sample,
             .draws = Draws(options.seed,
                            fmt::format("generate/{}/{}", options.first_prompt + prompt,
                                        options.first_sample + sample),
                            0)});
      }
    }
  }

  Samples run() {
    read_prompts();
    while (gather()) {
      const Tensor logits = models_.logits(readings_);
      Index row = 0;
      for (const Reading& reading : readings_) {
        draw(reading.slot, logits, row++);
      }
    }
    Samples results(static_cast<std::size_t>(prompts_.sequences()));
    for (Sequence& sequence : sequences_) {
      results[static_cast<std::size_t>(sequence.prompt)].push_back(std::move(sequence.result));
    }
    return results;
  }

 private:
  // The slot of a sequence is its number.
  Sequence& at(Index number) { return sequences_[static_cast<std::size_t>(number)]; }

  // Reads each prompt once. All samples of a prompt begin with a copy of its rows.
  void read_prompts() {
    for (Index prompt = 0; prompt < prompts_.sequences(); ++prompt) {
      const Index first = prompt * options_.samples;
      make_room(first, prompts_.input.segments[prompt].rows);
      readings_.push_back({.slot = first, .prompt = prompt, .tokens = at(first).read_again});
    }
    const Tensor logits = models_.logits(readings_);
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      const Index first = at(number).prompt * options_.samples;
      if (number != first) {
        models_.copy(first, number);
        at(number).result.slid = at(first).result.slid;
      }
    }
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      draw(number, logits, at(number).prompt);
    }
  }

  // If a sequence has no room for `more` rows, it forgets its beginning, or is cleared to read its
  // last tokens again. False if neither is possible.
  bool make_room(Index number, Index more) {
    Sequence& sequence = at(number);
    sequence.read_again.clear();
    if (models_.length(number) + more <= options_.context) {
      return true;
    }
    if (options_.remembered > 0 && models_.length(number) > options_.sinks + options_.remembered) {
      sequence.result.slid = true;
      models_.forget(number, options_.remembered, options_.sinks);
      return true;
    }
    if (options_.kept == 0) {
      return false;
    }
    const Segment& prompt = prompts_.input.segments[sequence.prompt];
    const auto begin = prompts_.input.ids.begin() + prompt.row;
    std::vector<TokenId>& tokens = sequence.read_again;
    tokens.assign(begin, begin + prompt.rows);
    tokens.insert(tokens.end(), sequence.result.tokens.begin(), sequence.result.tokens.end());
    tokens.erase(tokens.begin(), tokens.end() - options_.kept);
    sequence.result.slid = true;
    models_.clear(number);
    return true;
  }

  // Collects what each open sequence reads next. False if no sequence is open.
  bool gather() {
    readings_.clear();
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      Sequence& sequence = at(number);
      if (sequence.open && !make_room(number, 1)) {
        close(number, GenerationEnd::context);
      }
      if (sequence.open) {
        const std::span<const TokenId> newest = std::span(sequence.result.tokens).last(1);
        readings_.push_back({.slot = number,
                             .prompt = sequence.prompt,
                             .tokens = sequence.read_again.empty() ? newest : sequence.read_again});
      }
    }
    return !readings_.empty();
  }

  void draw(Index number, const Tensor& logits, Index row) {
    Sequence& sequence = at(number);
    Generated& result = sequence.result;
    const auto written = static_cast<std::uint64_t>(result.tokens.size());
    const std::span<const Scalar> of_row(logits.row(row), static_cast<std::size_t>(logits.dim(1)));
    const std::vector<double> probabilities =
        token_probabilities(of_row, options_.sampling, options_.never);
    const TokenId token = token_at(probabilities, draw_uniform(sequence.draws, written));
    result.log_probability +=
        static_cast<double>(of_row[static_cast<std::size_t>(token)]) - log_sum_exp(of_row);
    if (token == options_.end) {
      close(number, GenerationEnd::mark);
      return;
    }
    result.tokens.push_back(token);
    if (each_ && !each_(sequence.prompt, sequence.sample, token)) {
      close(number, GenerationEnd::caller);
    } else if (std::ssize(result.tokens) >= options_.max_tokens) {
      close(number, GenerationEnd::max_tokens);
    }
  }

  void close(Index number, GenerationEnd end) {
    at(number).open = false;
    at(number).result.end = end;
    models_.release(number);
  }

  const Prompts& prompts_;  // of the first model; sliding prompts are the same for all
  GenerationOptions options_;
  const EachToken& each_;
  Ensemble models_;
  std::vector<Sequence> sequences_;
  std::vector<Reading> readings_;
};

}  // namespace

std::vector<double> token_probabilities(std::span<const Scalar> logits,
                                        const SamplingOptions& options,
                                        std::span<const TokenId> excluded) {
  Probabilities probabilities = tempered(logits, options.temperature, excluded);
  if (options.top_k > 0) {
    keep_most_likely(probabilities, [&](std::size_t kept, double) {
      return kept == static_cast<std::size_t>(options.top_k);
    });
  }
  if (options.top_p < 1) {
    keep_most_likely(probabilities, [&](std::size_t kept, double sum) {
      return kept > 0 && sum >= options.top_p;
    });
  }
  if (options.min_p > 0) {
    const double least = options.min_p * std::ranges::max(probabilities);
    std::ranges::replace_if(probabilities, [&](double one) { return one < least; }, 0.0);
    normalise(probabilities);
  }
  return probabilities;
}

// If rounding leaves the total sum below `uniform`, returns the last token that can be drawn.
TokenId token_at(std::span<const double> probabilities, double uniform) {
  double sum = 0;
  TokenId last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] > 0) {
      last = static_cast<TokenId>(i);
      sum += probabilities[i];
      if (uniform < sum) {
        break;
      }
    }
  }
  return last;
}

Samples generate_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                       const GenerationOptions& options, const EachToken& each) {
  return Generation(models, prompts, options, each).run();
}

Samples generate_batch(const Transformer& model, const ParameterStore& store,
                       const Prompts& prompts, const GenerationOptions& options,
                       const EachToken& each) {
  const EnsembleMember alone{.transformer = model, .store = store};
  return generate_batch({&alone, 1}, {&prompts, 1}, options, each);
}

std::vector<GenerationGroup> generation_groups(Index prompts, Index samples, Index threads,
                                               Index most, Index beam) {
  const Index of_prompt = beam > 0 ? beam : samples;  // sequences
  const Index together = std::clamp<Index>((prompts * of_prompt + threads - 1) / threads, 1, most);
  const Index prompts_together = together / std::min(of_prompt, together);
  const Index samples_together = beam > 0 ? samples : std::min(samples, together);
  std::vector<GenerationGroup> groups;
  for (Index prompt = 0; prompt < prompts; prompt += prompts_together) {
    for (Index sample = 0; sample < samples; sample += samples_together) {
      groups.push_back({.prompt = prompt,
                        .prompts = std::min(prompts_together, prompts - prompt),
                        .sample = sample,
                        .samples = std::min(samples_together, samples - sample)});
    }
  }
  return groups;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
