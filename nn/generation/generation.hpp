// Generation: goes on with prompts by sampling, token by token: what draws a token, and the groups
// of samples that are generated together, in parallel with other groups.
#pragma once

#include "nn/generation/ensemble.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

// Which tokens may be drawn, and how likely. The limits hold together, each for the probabilities
// that the one before has left.
struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; 0: always the most likely token
  Index top_k = 0;         // the k most likely tokens; 0: all
  double top_p = 1;        // the fewest most likely tokens that have this probability together
                           // (Holtzman et al. 2020, nucleus sampling)
  double min_p = 0;        // tokens at least this many times as likely as the most likely one
                           // (Nguyen et al. 2024)
};

// The probability of each token to be drawn; together 1. Those `excluded` have none. Among equally
// likely tokens, limits keep the first. Throws NumericError if logits are not finite.
std::vector<double> token_probabilities(std::span<const Scalar> logits,
                                        const SamplingOptions& options,
                                        std::span<const TokenId> excluded);

// The token at which the sum of probabilities, in order, exceeds `uniform`, which is in [0, 1).
TokenId token_at(std::span<const double> probabilities, double uniform);

struct GenerationOptions {
  SamplingOptions sampling{};
  Index samples = 1;       // of each prompt
  Index first_prompt = 0;  // the number of the batch's first prompt
  Index first_sample = 0;  // the number of each prompt's first sample
  Index max_tokens = 1;    // of each sample, an end mark included
  Index context = 1;       // rows of a sequence that the model reads together, at most
  // If a sequence has as many rows, only so many of its last tokens are read again, from position
  // 0; 0: the sequence ends.
  Index kept = 0;
  // If not 0, only so many of its last rows stay instead, as they are, and nothing is read again: a
  // model with a memory sees as many rows (Dai et al. 2019, section 3.2).
  Index remembered = 0;
  // And so many of its first rows: a model whose queries see only these and a window sees the same.
  Index sinks = 0;
  std::uint64_t seed = 0;         // of all draws
  std::vector<TokenId> never{1};  // are never drawn
  TokenId end = 2;                // ends a sequence; -1: nothing does
};

enum class GenerationEnd { mark, max_tokens, context, caller };

struct Generated {
  std::vector<TokenId> tokens;  // without the end mark
  // Of all tokens, the end mark included, as the model gives it to them: at temperature 1, without
  // limits, and with those that are never drawn. So it compares with that of a search.
  double log_probability = 0;
  GenerationEnd end = GenerationEnd::max_tokens;
  bool slid = false;  // it no longer saw its beginning
};

using Samples = std::vector<std::vector<Generated>>;  // of each prompt

// Called with each token but the end mark, once it is drawn. If it returns false, the sample ends.
using EachToken = std::function<bool(Index prompt, Index sample, TokenId token)>;

// The samples of each prompt. A draw depends on the seed and the numbers of the prompt, the sample
// and the token alone. Prompts with a context do not slide. `prompts`: as for decode_batch().
Samples generate_batch(std::span<const EnsembleMember> models, std::span<const Prompts> prompts,
                       const GenerationOptions& options, const EachToken& each = {});

// Of one model.
Samples generate_batch(const Transformer& model, const ParameterStore& store,
                       const Prompts& prompts, const GenerationOptions& options,
                       const EachToken& each = {});

// Some samples of each of some prompts.
struct GenerationGroup {
  Index prompt;  // the first
  Index prompts;
  Index sample;  // the first
  Index samples;
};

inline constexpr Index most_together = 16;

// All samples of all prompts, in groups of at most so many sequences that keep so many threads
// busy. A group reads the weights once for a row of each of its sequences.
std::vector<GenerationGroup> generation_groups(Index prompts, Index samples, Index threads,
                                               Index most = most_together);

// One search finds all outputs of a prompt.
std::vector<GenerationGroup> search_groups(Index prompts, Index samples, Index beam, Index threads,
                                           Index most = most_together);

}}  // namespace tapehead::TAPEHEAD_PRECISION
