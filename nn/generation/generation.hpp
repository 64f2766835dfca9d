// Generation: continues prompts by sampling token by token. Groups of samples are generated
// together, and several groups in parallel.
#pragma once

#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Which tokens may be drawn, and how likely. The limits apply one after the other, each to the
// probabilities that the previous limit has left.
struct SamplingOptions {
  double temperature = 1;  // divides the logits; 0: always the most likely token
  Index top_k = 0;         // keeps the k most likely tokens; 0: all
  double top_p = 1;        // the fewest most likely tokens that have this probability together
                           // (Holtzman et al. 2020, nucleus sampling)
  double min_p = 0;        // tokens at least this many times as likely as the most likely one
                           // (Nguyen et al. 2024)

  bool operator==(const SamplingOptions&) const = default;
};

// The probability of drawing each token; the sum is 1. Tokens in `excluded` get 0. If tokens are
// equally likely, limits keep the first ones. Throws NumericError if logits are not finite.
std::vector<double> token_probabilities(std::span<const Scalar> logits,
                                        const SamplingOptions& options,
                                        std::span<const TokenId> excluded);

// The token at which the running sum of probabilities exceeds `uniform`, a number in [0, 1).
TokenId token_at(std::span<const double> probabilities, double uniform);

struct GenerationOptions {
  SamplingOptions sampling{};
  Index samples = 1;       // for each prompt
  Index first_prompt = 0;  // number of the batch's first prompt
  Index first_sample = 0;  // number of each prompt's first sample
  Index max_tokens = 1;    // of each sample, including an end mark
  Index context = 1;       // most rows of a sequence that the model reads together
  // When a sequence has `context` rows, its last `kept` tokens are read again from position 0. 0:
  // the sequence ends.
  Index kept = 0;
  // If not 0: instead, the last `remembered` rows stay in the cache and nothing is read again. A
  // model with a memory sees as many rows (Dai et al. 2019, section 3.2).
  Index remembered = 0;
  // The first `sinks` rows also stay, for a model whose queries see only sinks and a window.
  Index sinks = 0;
  std::uint64_t seed = 0;         // of all draws
  std::vector<TokenId> never{1};  // tokens that are never drawn
  TokenId end = 2;                // ends a sequence; -1: no token does
};

enum class GenerationEnd { mark, max_tokens, context, caller };

struct Generated {
  std::vector<TokenId> tokens;  // without the end mark
  // Of all tokens including the end mark, at temperature 1 and without limits. The tokens in
  // `never` have probabilities too. It is comparable with Hypothesis::log_probability.
  double log_probability = 0;
  GenerationEnd end = GenerationEnd::max_tokens;
  bool slid = false;  // the model no longer saw its beginning
};

using Samples = std::vector<std::vector<Generated>>;  // for each prompt

// Called with each drawn token except the end mark. If it returns false, the sample ends.
using EachToken = std::function<bool(Index prompt, Index sample, TokenId token)>;

// The samples of each prompt. A draw depends only on the seed and the numbers of prompt, sample and
// token. Prompts with a context do not slide. `prompts`: as for decode_batch().
Samples generate_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                       const GenerationOptions& options, const EachToken& each = {});

Samples generate_batch(const Transformer& model, const ParameterStore& store,
                       const Prompts& prompts, const GenerationOptions& options,
                       const EachToken& each = {});

// Some samples of some consecutive prompts.
struct GenerationGroup {
  Index prompt;  // the first prompt
  Index prompts;
  Index sample;  // the first sample
  Index samples;
};

inline constexpr Index most_together = 16;

// All samples of all prompts, in groups of at most `most` sequences, enough groups to keep
// `threads` threads busy. A group reads the weights once for a row of each of its sequences.
// `beam`: of a beam search, where one search finds all outputs of a prompt; 0: samples are drawn.
std::vector<GenerationGroup> generation_groups(Index prompts, Index samples, Index threads,
                                               Index most = most_together, Index beam = 0);

}}  // namespace tapehead::TAPEHEAD_PRECISION
