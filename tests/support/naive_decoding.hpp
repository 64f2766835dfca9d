// Beam search without a cache, one sentence at a time: the reference for decoding; with a beam of 1
// for greedy search.
#pragma once

#include "nn/generation/decoding.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Sentences of unequal lengths; one is empty.
inline const std::vector<Sentence> decoding_sources{{3, 4, 5},          {6},    {},
                                                    {7, 8, 3, 3, 5, 6}, {4, 8}, {8, 8, 8}};

// Appends source, begin mark and tokens to `to` as one sequence, as a decoder-only model reads
// them.
inline void append_sequence(const ModelOptions& options, const Sentence& source,
                            const Sentence& tokens, Tokens& to) {
  const Index row = to.rows();
  to.ids.insert(to.ids.end(), source.begin(), source.end());
  to.ids.push_back(begin_mark);
  to.ids.insert(to.ids.end(), tokens.begin(), tokens.end());
  to.segments.list.push_back(
      {.row = row,
       .rows = to.rows() - row,
       .prefix = options.prefix == SourceRows::full ? std::ssize(source) : 0});
}

// The prompts that the model reads before it generates.
inline Prompts prompts_of(const TinyModel& model, const std::vector<Sentence>& sources) {
  Prompts prompts;
  if (model.transformer.family().context) {
    prompts.context = batch_of(sources, std::vector<Sentence>(sources.size())).context;
    prompts.input.ids.assign(sources.size(), begin_mark);
    prompts.input.segments = segments_of(std::vector<Index>(sources.size(), 1));
    return prompts;
  }
  prompts.context.segments = segments_of(std::vector<Index>(sources.size(), 0));
  for (const Sentence& source : sources) {
    append_sequence(model.transformer.options(), source, {}, prompts.input);
  }
  return prompts;
}

// A batch of one source and the tokens after the begin mark.
inline Batch pair_batch(const TinyModel& model, const Sentence& source, const Sentence& tokens) {
  if (model.transformer.family().context) {
    return batch_of({source}, {tokens});
  }
  Batch batch;
  batch.context.segments = segments_of({0});
  append_sequence(model.transformer.options(), source, tokens, batch.input);
  return batch;
}

// Decodes all sources in one batch.
inline std::vector<std::vector<Hypothesis>> decode_together(const TinyModel& model,
                                                            const std::vector<Sentence>& sources,
                                                            const DecodingOptions& options) {
  return decode_batch(model.transformer, model.store, prompts_of(model, sources), options);
}

// The log-probabilities of the token that follows `tokens`.
inline std::vector<double> next_log_probabilities(const TinyModel& model, const Sentence& source,
                                                  const Sentence& tokens) {
  Tape tape(false);
  Pass pass(tape, model.store);
  const Tensor logits =
      logits_of(model.transformer, pass, pair_batch(model, source, tokens)).value();
  const Scalar* last = logits.row(logits.dim(0) - 1);
  std::vector<double> result(last, last + logits.dim(1));
  double sum = 0;
  for (const double x : result) {
    sum += std::exp(x);
  }
  for (double& x : result) {
    x -= std::log(sum);
  }
  return result;
}

// The largest number of output tokens; the source's end mark counts. The last token is not read.
inline Index longest_output(const TinyModel& model, const Sentence& source,
                            const DecodingOptions& options) {
  const bool alone = model.transformer.family().one_sequence;
  const Index read = alone ? std::ssize(source) : 0;
  return std::min(std::ssize(source) + 1 + options.max_extra_length,
                  model.transformer.options().max_positions - read);
}

inline bool is_written(TokenId token, const DecodingOptions& options) {
  return std::ranges::find(options.never, token) == options.never.end();
}

// Returns the log-probabilities of the token that follows `tokens`.
using NextLogProbabilities = std::function<std::vector<double>(const Sentence& tokens)>;

// At each length keeps the `beam` best continuations of all open hypotheses and sets finished ones
// aside. Stops once `beam` have finished or at the longest length.
inline std::vector<Hypothesis> naive_beam(const NextLogProbabilities& next_of, Index longest,
                                          const DecodingOptions& options) {
  const auto score = [&options](Hypothesis& h, Index length) {
    h.score = h.log_probability / std::pow(static_cast<double>(length), options.length_penalty);
  };
  const auto width = static_cast<std::size_t>(options.beam);
  std::vector<Hypothesis> open(1);
  std::vector<Hypothesis> ended;
  for (Index length = 1; length <= longest && ended.size() < width; ++length) {
    std::vector<Hypothesis> all;
    for (const Hypothesis& parent : open) {
      const std::vector<double> next = next_of(parent.tokens);
      for (TokenId token = 0; token < tiny_vocabulary; ++token) {
        if (is_written(token, options)) {
          all.push_back(parent);
          all.back().tokens.push_back(token);
          all.back().log_probability += next[static_cast<std::size_t>(token)];
          score(all.back(), length);
        }
      }
    }
    std::ranges::sort(all, std::greater<>(), &Hypothesis::log_probability);
    all.resize(std::min(all.size(), width));
    open.clear();
    for (Hypothesis& hypothesis : all) {
      const bool ends = hypothesis.tokens.back() == end_mark;
      (ends ? ended : open).push_back(hypothesis);
    }
  }
  for (Hypothesis& hypothesis : ended) {
    hypothesis.tokens.pop_back();
  }
  if (static_cast<Index>(ended.size()) < options.best) {
    ended.insert(ended.end(), open.begin(), open.end());
  }
  std::ranges::sort(ended, std::greater<>(), &Hypothesis::score);
  ended.resize(std::min(ended.size(), static_cast<std::size_t>(options.best)));
  return ended;
}

inline std::vector<Hypothesis> naive_beam(const TinyModel& model, const Sentence& source,
                                          const DecodingOptions& options) {
  return naive_beam(
      [&](const Sentence& tokens) { return next_log_probabilities(model, source, tokens); },
      longest_output(model, source, options), options);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
