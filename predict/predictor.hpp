// Trained runs that are asked about lines of text. A line is read, and then translated, gone on
// with, classified, filled or scored, whatever the runs were trained for; a target is aligned, by
// attention: which words of its source its words come from.
#pragma once

#include "core/kernel/workers.hpp"
#include "core/tape/tensor.hpp"
#include "nn/generation/decoding.hpp"
#include "nn/pass.hpp"
#include "nn/transformer/transformer.hpp"
#include "predict/reader.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/text_generator.hpp"
#include "train/experiment.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AlignedPair {
  Index source;  // both are counted from 0
  Index target;

  auto operator<=>(const AlignedPair&) const = default;
};
using Alignment = std::set<AlignedPair>;

// Each target token with the source token of which its row of `attention` has the largest weight,
// the first of equal ones; a row without any weight has none. attention: (T, S) or more; rows and
// columns behind them, those of end marks, do not count.
Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens);

// Pairs of words that have an aligned pair of tokens. `source`, `target`: the word of each token.
Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target);

// "0-0 1-2": source and target of each pair (the format of Pharaoh, Koehn 2004).
std::string pharaoh_text(const Alignment& alignment);

class AlignmentHeads {
 public:
  // `names`, with commas between them: heads of cross-attention, such as decoder.layers.1.cross.3;
  // whole attentions, such as decoder.layers.1.cross; or `all`. Throws ConfigError, with the
  // attentions that exist, for a name of no such head, and for a model without cross-attention.
  AlignmentHeads(const Transformer& transformer, std::string_view names);

  // A recorder for a pass over one sequence, which sums the mean of the heads' weights. It must not
  // outlive `mean`, which is (T, S) after the pass.
  Recorder mean_into(Tensor& mean) const;

 private:
  using Head = std::pair<AttentionSite, Index>;

  std::vector<Head> heads_;  // in their order, each once
};

// Trained runs whose models predict the same tokens together, by the mean of their probabilities.
// One run alone is an ensemble, too.
class RunEnsemble {
 public:
  RunEnsemble(const SavedRun& run) : runs_{&run} {}  // outlives it

  // Runs of one kind, of running text or of pairs, with the same tokenizers; models may be of any
  // family. Throws ConfigError, with both runs, for two that do not go together.
  explicit RunEnsemble(std::vector<const SavedRun*> runs);

  // Its config and its tokenizers are those of the ensemble.
  const SavedRun& first() const { return *runs_.front(); }
  const std::vector<const SavedRun*>& runs() const { return runs_; }

  std::vector<EnsembleMember> members() const;
  Index context() const;  // the least of the runs
  Index memory() const;   // likewise: rows that the models remember of earlier windows

  // As SavedRun::use; of several runs the message names all checkpoints.
  template <class Action>
  auto use(const Action& action) const {
    try {
      return action();
    } catch (const NumericError& error) {
      throw NumericError(checkpoints() + ": " + error.what());
    }
  }

 private:
  std::string checkpoints() const;

  std::vector<const SavedRun*> runs_;
};

struct Translation {
  std::string text;
  double score = 0;
  bool ended = true;  // with an end mark; false: cut at its greatest length
};

struct LikelyClass {
  std::string label;
  double probability = 0;
};

struct Candidate {
  std::string token;  // as the tokenizer shows it
  double probability = 0;
  std::string text;  // the line with it; other masks have their most likely token
};

// The candidates for one mask, the most likely first.
using FilledMask = std::vector<Candidate>;

struct TokenScore {
  TokenId token;
  double log_probability;  // given the tokens before, and the source
};

struct LineScore {
  std::vector<TokenScore> tokens;
  Alignment alignment{};  // if it was asked for

  double log_probability() const;  // of all tokens
};

struct PredictorOptions {
  Index batch_tokens = decoding_batch_tokens;  // of lines that are answered together
  std::string_view mask = mask_in_text;        // what stands for a masked token in a line
};

class Predictor {
 public:
  // Runs and workers must outlive it. Throws ConfigError for an empty mask, and what
  // has_one_document() throws.
  Predictor(const RunEnsemble& runs, Workers& workers, const PredictorOptions& options = {});

  const RunEnsemble& runs() const { return runs_; }
  const Config& config() const { return runs_.first().config; }
  const Tokenizers& tokenizers() const { return runs_.first().tokenizers; }
  const Reader& reader() const { return *reader_; }
  std::vector<LineRead> read(std::span<const std::string> lines) const {
    return reader_->read(lines);
  }

  // Throws ConfigError, with the command for the runs, if they are used with another one.
  void expect_used_for(std::string_view command) const;
  // Throws DataError, which begins with `what`, for a line that is longer than a model's positions.
  void expect_positions(const LineRead& read, std::string_view what) const;

  // The `options.best` best translations of each line, best first; by default as the config says. A
  // line without tokens has one empty translation; tokens behind the first `most_tokens` are
  // ignored. Throws what expect_used_for() throws.
  std::vector<std::vector<Translation>> translate(
      std::span<const LineRead> lines, const std::optional<DecodingOptions>& options = {}) const;
  Index most_tokens() const { return runs_.context() - 1; }  // one is the end mark

  // For each line its `top` most likely classes, or all there are, the most likely first. The
  // probabilities of all classes sum to 1. Throws what expect_used_for() throws.
  std::vector<std::vector<LikelyClass>> classify(std::span<const LineRead> lines,
                                                 Index top = 1) const;

  // For each line its masks, in their order, with the `top` most likely tokens. Throws what
  // expect_used_for() throws; DataError for a line without a mask.
  std::vector<std::vector<FilledMask>> fill(std::span<const LineRead> lines, Index top = 5) const;

  // The samples with which the runs go on with each line, or that they write for it as a source.
  // Throws ConfigError if they do not write token by token.
  GeneratedTexts generate(std::span<const LineRead> lines, const GeneratorOptions& options) const;
  // What generates, for whoever wants each piece as it is written, and what it takes of the lines.
  TextGenerator generator(const GeneratorOptions& options) const;
  std::vector<std::vector<TokenId>> prompts(std::span<const LineRead> lines) const;

  // How probable lines are. Of language models: each as if it began a document or, if the runs'
  // text is only one, followed a line end (TextFront::whole). Without anything in front of it, its
  // first token has no score. No end mark is scored. Of a line that is longer than the context,
  // each token is predicted from at least half a context. Of other runs: targets after their
  // sources, each with an end mark. With `heads`, of the first run, also an alignment: of words if
  // both tokenizers are of subwords, else of tokens (aligned_tokens, aligned_words). Throws what
  // expect_scores() and, for targets, expect_positions() throw; ConfigError for heads without
  // targets.
  std::vector<LineScore> score(std::span<const LineRead> lines,
                               const AlignmentHeads* heads = nullptr) const;
  // Throws ConfigError if the runs do not write token by token, or score lines of the other kind.
  void expect_scores(bool targets) const;

 private:
  std::vector<ModelAndSource> as_read(std::span<const LineRead> lines) const;
  std::vector<FilledMask> candidates_of(const LineRead& line,
                                        const std::vector<RowLabels>& labels) const;
  std::vector<std::vector<TokenScore>> scores_of(std::span<const ModelAndSource> models,
                                                 const AlignmentHeads* heads,
                                                 std::vector<Tensor>& attentions) const;
  Alignment alignment_of(const LineRead& pair, const Tensor& attention) const;

  RunEnsemble runs_;
  Workers& workers_;
  Index batch_tokens_;
  bool one_document_;
  std::shared_ptr<const Reader> reader_;
};

}}  // namespace tapehead::TAPEHEAD_PRECISION
