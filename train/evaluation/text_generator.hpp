// Goes on with texts, or writes outputs for sources, by sampling or by beam search.
#pragma once

#include "core/kernel/workers.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "nn/generation/generation.hpp"
#include "train/evaluation/written_text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GeneratedText {
  std::string text;  // without its prompt
  std::vector<TokenId> tokens;
  double log_probability = 0;                     // of all tokens, as the model gives it to them
  GenerationEnd end = GenerationEnd::max_tokens;  // caller: the stop text
  bool slid = false;                              // its end no longer saw its beginning
};

using GeneratedTexts = std::vector<std::vector<GeneratedText>>;  // of each prompt: its samples

struct GeneratorOptions {
  SamplingOptions sampling{};
  Index samples = 1;
  Index max_tokens = 256;
  std::string stop{};  // ends a sample, which is without it; empty: none
  std::uint64_t seed = 1;
  Index beam = 0;  // not 0: instead of sampling, the best `samples` of a beam search this wide
  Index together = most_together;  // sequences that are written together, at most
};

// What a generator writes with. The models must outlive it.
struct GeneratorModel {
  std::vector<EnsembleMember> members;
  std::shared_ptr<const Tokenizer> tokenizer;  // of what they write
  Index context;                               // rows that the models can read together
  Index memory = 0;                            // and rows that they remember before these
  bool goes_on = false;          // what they write goes on with its prompt, and is no target of it
  std::vector<TokenId> never{};  // tokens that they do not write
  double length_penalty = 1;     // of a beam search
};

class TextGenerator {
 public:
  // Called with each further piece of the text of a sample, while it is written.
  using EachPiece = std::function<void(Index prompt, Index sample, std::string_view piece)>;

  TextGenerator(GeneratorModel model, Workers& workers, GeneratorOptions options);

  // What the model reads of a prompt. Of a text that is longer than `context()`, the last `kept()`
  // tokens or, if it `forgets()`, the last `context()`; of a source, the first.
  std::vector<TokenId> read_of(std::vector<TokenId> prompt) const;

  // The rows that the model sees together. A text that becomes longer is read again from its last
  // `kept()` tokens on. A model with a memory forgets all rows but the last `kept()` instead, and
  // one with a sink_window all but those that it can see. A beam search ends there.
  Index context() const { return model_.context + model_.memory; }
  Index kept() const;
  // In words, of a text that became longer.
  std::string what_is_kept() const;
  // Whether the model forgets rows, instead of reading others again.
  bool forgets() const { return model_.memory > 0 || seen_; }

  // Several threads call `each`. `first`: the number of the first prompt, for the draws.
  GeneratedTexts generate(std::span<const std::vector<TokenId>> prompts, const EachPiece& each = {},
                          Index first = 0) const;

 private:
  GeneratedTexts generate_together(std::span<const std::vector<TokenId>> prompts,
                                   const GenerationGroup& group, const EachPiece& each,
                                   Index first) const;
  Samples search(std::span<const Prompts> prompts, const EachToken& each) const;
  std::vector<Prompts> prompts_for(const std::vector<std::vector<TokenId>>& read) const;
  std::vector<std::vector<WrittenText>> texts_after(const std::vector<std::vector<TokenId>>& read,
                                                    Index samples) const;

  GeneratorModel model_;
  std::optional<Stack::SeenRows> seen_;  // by all models, if they see no other rows of a text
  Workers& workers_;
  GeneratorOptions options_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
