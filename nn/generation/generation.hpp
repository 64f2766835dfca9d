// Generation: goes on with prompts by sampling, token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "nn/generation/ensemble.hpp"
#include "nn/generation/sampling.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

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

// Called with each token of a sample but the end mark, as soon as it is drawn. If it returns false,
// the sample ends.
using EachToken = std::function<bool(Index prompt, Index sample, TokenId token)>;

// The samples of each prompt. A draw depends on the seed, the prompt's number, the sample's and the
// number of the token, so samples do not depend on each other.
// Prompts with a context do not slide. `prompts`: the same prompts for each model, in its own
// layout.
std::vector<std::vector<Generated>> generate_batch(std::span<const EnsembleMember> models,
                                                   std::span<const Prompts> prompts,
                                                   const GenerationOptions& options,
                                                   const EachToken& each = {});

// Of one model.
std::vector<std::vector<Generated>> generate_batch(const Transformer& model,
                                                   const ParameterStore& store,
                                                   const Prompts& prompts,
                                                   const GenerationOptions& options,
                                                   const EachToken& each = {});

}}  // namespace tapehead::TAPEHEAD_PRECISION
