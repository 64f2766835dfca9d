#include "nn/generation/generation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/ops/select_rows.hpp"
#include "core/random/draws.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

// A sample while it is written.
struct Sequence {
  Index prompt;
  Index sample;
  Draws draws;
  std::vector<TokenId> read;  // the tokens that it has read or will read next, since it last slid
  Index cached = 0;           // so many of them are in the cache
  Generated result{};
  bool open = true;

  Index unread() const { return std::ssize(read) - cached; }
};

class Generation {
 public:
  Generation(const Transformer& model, const ParameterStore& store, const Prompts& prompts,
             const GenerationOptions& options, const EachToken& each)
      : model_(model),
        prompts_(prompts),
        options_(options),
        each_(each),
        pass_(tape_, store),
        cache_(model.main().make_cache(prompts.sequences() * options.samples, options.context)) {
    pass_.keep_weights_packed();
    if (model.family() == Family::encoder_decoder) {
      context_.emplace(model.encode(pass_, prompts.context), sources_);
    }
    for (Index prompt = 0; prompt < prompts.sequences(); ++prompt) {
      for (Index sample = 0; sample < options.samples; ++sample) {
        sequences_.push_back(
            {.prompt = prompt,
             .sample = sample,
             .draws = Draws(options.seed,
                            fmt::format("generate/{}/{}", options.first_prompt + prompt,
                                        options.first_sample + sample),
                            0),
             .read = {}});
      }
    }
  }

  std::vector<std::vector<Generated>> run() {
    read_prompts();
    while (gather()) {
      const Var rows = next_rows();
      Index row = 0;
      for (const Index number : reading_) {
        draw(number, rows.value(), row++);
      }
    }
    std::vector<std::vector<Generated>> results(static_cast<std::size_t>(prompts_.sequences()));
    for (Sequence& sequence : sequences_) {
      results[static_cast<std::size_t>(sequence.prompt)].push_back(std::move(sequence.result));
    }
    return results;
  }

 private:
  Sequence& at(Index number) { return sequences_[static_cast<std::size_t>(number)]; }

  // Each prompt once; all its samples begin with a copy of its rows.
  void read_prompts() {
    newest_.ids.clear();
    for (Index prompt = 0; prompt < prompts_.sequences(); ++prompt) {
      Sequence& first = at(prompt * options_.samples);
      const Segment& segment = prompts_.input.segments[prompt];
      const auto begin = prompts_.input.ids.begin() + segment.row;
      first.read.assign(begin, begin + segment.rows);
      make_room(first, prompt * options_.samples);
      append(first, prompt * options_.samples);
    }
    const Var rows = next_rows();
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      Sequence& sequence = at(number);
      const Index first = sequence.prompt * options_.samples;
      if (number != first) {
        cache_.copy(first, number);
        sequence.read = at(first).read;
        sequence.cached = std::ssize(sequence.read);
        sequence.result.slid = at(first).result.slid;
      }
    }
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      draw(number, rows.value(), at(number).prompt);
    }
  }

  // Lets a sequence that has no room for its unread tokens forget its beginning. False if it
  // cannot.
  bool make_room(Sequence& sequence, Index number) {
    if (std::ssize(sequence.read) <= options_.context) {
      return true;
    }
    if (options_.kept == 0) {
      return false;
    }
    sequence.read.erase(sequence.read.begin(), sequence.read.end() - options_.kept);
    sequence.cached = 0;
    sequence.result.slid = true;
    cache_.clear(number);
    return true;
  }

  void append(Sequence& sequence, Index number) {
    const Segment& prompt = prompts_.input.segments[sequence.prompt];
    newest_.segments.list.push_back({.row = newest_.rows(),
                                     .rows = sequence.unread(),
                                     .position = sequence.cached,
                                     .prefix = prompt.prefix});
    newest_.ids.insert(newest_.ids.end(), sequence.read.begin() + sequence.cached,
                       sequence.read.end());
    sources_.list.push_back(prompts_.context.segments[sequence.prompt]);
    sequence.cached = std::ssize(sequence.read);
    reading_.push_back(number);
  }

  // Collects what each open sequence has not read yet. False if none is open.
  bool gather() {
    newest_.ids.clear();
    newest_.segments.list.clear();
    sources_.list.clear();
    reading_.clear();
    for (Index number = 0; number < std::ssize(sequences_); ++number) {
      Sequence& sequence = at(number);
      if (sequence.open && !make_room(sequence, number)) {
        close(number, GenerationEnd::context);
      }
      if (sequence.open) {
        append(sequence, number);
      }
    }
    return !reading_.empty();
  }

  // The logits of the last row of each segment.
  Var next_rows() {
    cache_.extend(reading_, newest_.segments);
    const Var rows = model_.main()(pass_, newest_, context_ ? &*context_ : nullptr, &cache_);
    PoolVector<Index> last;
    for (const Segment& segment : newest_.segments.list) {
      last.push_back(segment.row + segment.rows - 1);
    }
    return model_.logits(pass_, select_rows(rows, last));
  }

  void draw(Index number, const Tensor& logits, Index row) {
    Sequence& sequence = at(number);
    Generated& result = sequence.result;
    const auto written = static_cast<std::uint64_t>(result.tokens.size());
    const std::span<const Scalar> of_row(logits.row(row), static_cast<std::size_t>(logits.dim(1)));
    const std::vector<double> probabilities =
        token_probabilities(of_row, options_.sampling, options_.never);
    const TokenId token = token_at(probabilities, draw_uniform(sequence.draws, written));
    result.log_probability += std::log(probabilities[static_cast<std::size_t>(token)]);
    if (token == options_.end) {
      close(number, GenerationEnd::mark);
      return;
    }
    result.tokens.push_back(token);
    sequence.read.push_back(token);
    if (each_ && !each_(sequence.prompt, sequence.sample, token)) {
      close(number, GenerationEnd::caller);
    } else if (std::ssize(result.tokens) >= options_.max_tokens) {
      close(number, GenerationEnd::max_tokens);
    }
  }

  void close(Index number, GenerationEnd end) {
    at(number).open = false;
    at(number).result.end = end;
    cache_.release(number);
  }

  const Transformer& model_;
  const Prompts& prompts_;
  GenerationOptions options_;
  const EachToken& each_;
  Tape tape_{false};
  Pass pass_;
  KeyValueCache cache_;
  std::optional<Context> context_;
  std::vector<Sequence> sequences_;
  Tokens newest_;               // what is read next
  Segments sources_;            // for each segment of it
  std::vector<Index> reading_;  // likewise: the sequence, which is its slot
};

}  // namespace

std::vector<std::vector<Generated>> generate_batch(const Transformer& model,
                                                   const ParameterStore& store,
                                                   const Prompts& prompts,
                                                   const GenerationOptions& options,
                                                   const EachToken& each) {
  return Generation(model, store, prompts, options, each).run();
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
