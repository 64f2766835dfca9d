// The generator goes on with texts, or writes outputs for sources, by sampling from a trained run
// or an ensemble of runs, or by beam search.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/workers.hpp"
#include "nn/generation/generation.hpp"
#include "nn/generation/generation_groups.hpp"
#include "train/evaluation/run_ensemble.hpp"
#include "train/evaluation/written_text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GeneratedText {
  std::string text;  // without its prompt
  std::vector<TokenId> tokens;
  double log_probability = 0;                     // of all tokens, as the model gives it to them
  GenerationEnd end = GenerationEnd::max_tokens;  // caller: the stop text
  bool slid = false;                              // its end no longer saw its beginning
};

struct GeneratorOptions {
  SamplingOptions sampling{};
  Index samples = 1;
  Index max_tokens = 256;
  std::string stop{};  // ends a sample, which is without it; empty: none
  std::uint64_t seed = 1;
  Index beam = 0;  // not 0: instead of sampling, the best `samples` of a beam search this wide
  Index together = most_together;  // sequences that are written together, at most
};

// What a generator writes with. The config and the models must outlive it.
struct GeneratorModel {
  const Config& config;
  Tokenizers tokenizers;
  std::vector<EnsembleMember> members;
  Index context;              // rows that the models can read together
  Index memory = 0;           // and rows that they remember before these
  bool one_document = false;  // the training text has no second one
};

class Generator {
 public:
  // Called with each further piece of the text of a sample, while it is written.
  using EachPiece = std::function<void(Index prompt, Index sample, std::string_view piece)>;

  Generator(const GeneratorModel& model, Workers& workers, GeneratorOptions options);
  // Runs and workers must outlive it.
  Generator(const RunEnsemble& runs, Workers& workers, GeneratorOptions options);

  // What the model reads of a prompt: its tokens and, in a run whose text has several documents,
  // the mark before a document, if there is one. Without any token, a begin mark, or a line end if
  // the text is one document that has line ends. Of a text that is longer than `context()`, the
  // last `kept()` tokens or, if it `forgets()`, the last `context()`; of a source, the first.
  std::vector<TokenId> read_of(std::string_view prompt) const;
  // What it reads of a text that is given as a whole, in front of it.
  std::vector<TokenId> front_of_text() const;

  // The rows that the model sees together. A text that becomes longer is read again from its last
  // `kept()` tokens on. A model with a memory forgets all rows but the last `kept()` instead, and
  // one with a sink_window all but those that it can see. A beam search ends there.
  Index context() const { return model_.context + model_.memory; }
  Index kept() const;
  // In words, of a text that became longer.
  std::string what_is_kept() const;
  // Whether it goes on with texts, rather than writing outputs for sources.
  bool of_text() const { return of_text_; }
  // Whether the model forgets rows, instead of reading others again.
  bool forgets() const { return model_.memory > 0 || seen_; }

  // The samples of each prompt. `each` is called from several threads. `first`: the number of the
  // first prompt, which the draws depend on.
  std::vector<std::vector<GeneratedText>> generate(std::span<const std::string> prompts,
                                                   const EachPiece& each = {},
                                                   Index first = 0) const;

 private:
  std::vector<std::vector<GeneratedText>> generate_together(std::span<const std::string> prompts,
                                                            const GenerationGroup& group,
                                                            const EachPiece& each,
                                                            Index first) const;
  std::vector<std::vector<Generated>> search(std::span<const Prompts> prompts,
                                             const EachToken& each) const;
  std::vector<Prompts> prompts_for(const std::vector<std::vector<TokenId>>& read) const;
  std::vector<std::vector<WrittenText>> texts_after(const std::vector<std::vector<TokenId>>& read,
                                                    Index samples) const;

  GeneratorModel model_;
  std::optional<Stack::SeenRows> seen_;  // by all models, if they see no other rows of a text
  Workers& workers_;
  GeneratorOptions options_;
  bool of_text_;
  TokenId front_ = begin_id;  // in a text, before a prompt; -1: nothing
  std::vector<TokenId> never_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
