// Continues texts, or writes outputs for sources, by sampling or by beam search.
#pragma once

#include "core/kernel/workers.hpp"
#include "nn/generation/generation.hpp"
#include "train/evaluation/written_text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GeneratedText : Generated {  // GenerationEnd::caller: the stop text came
  std::string text;                 // without its prompt
};

using GeneratedTexts = std::vector<std::vector<GeneratedText>>;  // of each prompt: its samples

struct GeneratorOptions {
  SamplingOptions sampling{};
  Index samples = 1;
  Index max_tokens = 256;
  std::string stop{};  // ends a sample and is not part of it; empty: none
  std::uint64_t seed = 1;
  Index beam = 0;  // not 0: the best `samples` of a beam search this wide, without sampling
  Index together = most_together;  // most sequences that are written together
};

// The models of a generator, which must outlive it, and their tokenizer.
struct GeneratorModel {
  std::vector<EnsembleMember> members;
  std::shared_ptr<const Tokenizer> tokenizer;  // of the outputs
  Index context;                               // rows that the models can read together
  Index memory = 0;                            // rows that they remember before these rows
  bool goes_on = false;          // outputs continue the prompt; else the prompt is a source
  std::vector<TokenId> never{};  // tokens that the models do not write
  double length_penalty = 1;     // of a beam search
};

class TextGenerator {
 public:
  // Called with each further piece of the text of a sample, while it is written.
  using EachPiece = std::function<void(Index prompt, Index sample, std::string_view piece)>;

  TextGenerator(GeneratorModel model, Workers& workers, GeneratorOptions options);

  // The tokens of a prompt that the model reads: the first `context()` - 1 of a source. Of a text
  // longer than `context()`, the last `kept()` or, if the model `forgets()`, the last `context()`.
  std::vector<TokenId> read_of(std::vector<TokenId> prompt) const;

  // The most rows that the model sees together. It reads a longer text again from its last `kept()`
  // tokens on. A model that `forgets()` drops rows instead: with a memory all but the last
  // `kept()`, with a sink_window all rows that it cannot see. A beam search ends there.
  Index context() const { return model_.context + model_.memory; }
  Index kept() const;
  // kept() in words, for a text that became longer.
  std::string what_is_kept() const;
  // Whether the model drops old rows, instead of reading the last tokens again.
  bool forgets() const { return model_.memory > 0 || seen_; }

  // Several threads call `each`. `first`: the number of the first prompt, for the random draws.
  GeneratedTexts generate(std::span<const std::vector<TokenId>> prompts, const EachPiece& each = {},
                          Index first = 0) const;

 private:
  GeneratedTexts generate_together(std::span<const std::vector<TokenId>> prompts,
                                   const GenerationGroup& group, const EachPiece& each,
                                   Index first) const;
  Samples search(std::span<const Prompts> prompts, const EachToken& each) const;
  std::vector<Prompts> prompts_for(const std::vector<std::vector<TokenId>>& read) const;

  GeneratorModel model_;
  std::optional<Stack::SeenRows> seen_;  // by all models, if they see no other rows
  Workers& workers_;
  GeneratorOptions options_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
