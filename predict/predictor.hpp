// Applies trained runs to lines of text: translates, continues, classifies, fills or scores them,
// if the runs are made for it. Attention can also align the words of a target and its source.
#pragma once

#include "core/tape/tensor.hpp"
#include "nn/pass.hpp"
#include "predict/reader.hpp"
#include "train/evaluation/example_decoding.hpp"
#include "train/evaluation/text_generator.hpp"
#include "train/experiment.hpp"
#include "train/options/application.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct AlignedPair {
  Index source;  // both count from 0
  Index target;

  auto operator<=>(const AlignedPair&) const = default;
};
using Alignment = std::set<AlignedPair>;

// Pairs each target token with the source token that has the largest weight in its row of
// `attention`, the first if several are equal. A row without any weight gives no pair. attention:
// at least (T, S); further rows and columns, for end marks, are ignored.
Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens);

// Pairs of words that have an aligned pair of tokens. `source`, `target`: the word of each token.
Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target);

// "0-0 1-2": source and target of each pair (format of Pharaoh, Koehn 2004).
std::string pharaoh_text(const Alignment& alignment);

class AlignmentHeads {
 public:
  // `names`, separated by commas: heads of cross-attention, such as decoder.layers.1.cross.3; whole
  // attentions, such as decoder.layers.1.cross; or `all`. Throws ConfigError for unknown names,
  // listing the existing attentions, and for a model without cross-attention.
  AlignmentHeads(const Transformer& transformer, std::string_view names);

  // A recorder for a pass over one sequence that adds up the mean of the heads' weights in `mean`,
  // which is (T, S) after the pass. `mean` must outlive the recorder.
  Recorder mean_into(Tensor& mean) const;

 private:
  using Head = std::pair<AttentionSite, Index>;

  std::set<Head> heads_;
};

// One or several trained runs that predict tokens together, by the mean of their probabilities.
class RunEnsemble {
 public:
  RunEnsemble(const SavedRun& run) : runs_{&run} {}  // the run must outlive it

  // The runs must be of one kind, running text or pairs, and have the same tokenizers; model
  // families may differ. Throws ConfigError, naming both runs, for two that do not match.
  explicit RunEnsemble(std::vector<const SavedRun*> runs);

  // The run whose config and tokenizers the ensemble uses.
  const SavedRun& first() const { return *runs_.front(); }
  const std::vector<const SavedRun*>& runs() const { return runs_; }

  std::vector<EnsembleMember> members() const;
  Index context() const;  // the smallest context of the runs
  Index memory() const;   // rows of earlier windows that the models remember; the smallest

  // Like SavedRun::use(). With several runs, the error message names all checkpoints.
  auto use(const auto& action) const { return naming(checkpoints(), action); }

 private:
  std::string checkpoints() const;

  std::vector<const SavedRun*> runs_;
};

struct Translation {
  std::string text;
  double score = 0;
  bool ended = true;  // with an end mark; false: cut at the greatest length
};

struct LikelyClass {
  std::string label;
  double probability = 0;
};

struct Candidate {
  std::string token;  // as the tokenizer shows the token
  double probability = 0;
  std::string text;  // the line with the token; its other masks have their most likely token
};

// The candidates for one mask, most likely first.
using FilledMask = std::vector<Candidate>;

struct TokenScore {
  TokenId token;
  double log_probability;  // given the source and the tokens before
};

struct LineScore {
  std::vector<TokenScore> tokens;
  Alignment alignment{};  // if requested

  double log_probability() const;  // the sum over all tokens
};

struct PredictorOptions {
  Index batch_tokens = decoding_batch_tokens;  // of lines in one batch
  std::string_view mask = mask_in_text;        // the text that stands for a masked token
};

class Predictor {
 public:
  // `runs` and `workers` must outlive it. Throws what reader_of() and has_one_document() throw.
  Predictor(const RunEnsemble& runs, Workers& workers, const PredictorOptions& options = {});

  const RunEnsemble& runs() const { return runs_; }
  const Config& config() const { return runs_.first().config; }
  const Tokenizers& tokenizers() const { return runs_.first().tokenizers; }
  const Reader& reader() const { return *reader_; }
  std::vector<LineRead> read(std::span<const std::string> lines) const {
    return reader_->read(lines);
  }

  // Throws ConfigError, naming the right command, if the runs are not made for this command.
  void expect_used_for(std::string_view command) const;
  // Throws DataError, beginning with `what`, for a line longer than a model's positions.
  void expect_positions(const LineRead& read, std::string_view what) const;

  // The `options.best` best translations of each line, best first. Default options come from the
  // config. A line without tokens has one empty translation. Tokens after the first `most_tokens()`
  // are ignored. Throws what expect_used_for() throws.
  std::vector<std::vector<Translation>> translate(
      std::span<const LineRead> lines, const std::optional<DecodingOptions>& options = {}) const;
  Index most_tokens() const { return runs_.context() - 1; }  // one is the end mark

  // The `top` most likely classes of each line, or all classes if there are fewer, most likely
  // first. The probabilities of all classes sum to 1. Throws what expect_used_for() throws.
  std::vector<std::vector<LikelyClass>> classify(std::span<const LineRead> lines,
                                                 Index top = 1) const;

  // For each line and each of its masks, in order, the `top` most likely tokens. Throws what
  // expect_used_for() throws; DataError for a line without a mask.
  std::vector<std::vector<FilledMask>> fill(std::span<const LineRead> lines, Index top = 5) const;

  // Samples for each line: continuations of it, or outputs for it as a source. Throws ConfigError
  // if the runs do not generate token by token.
  GeneratedTexts generate(std::span<const LineRead> lines, const GeneratorOptions& options) const;
  // The generator, for callers that want each piece as it is generated; prompts() gives its input.
  TextGenerator generator(const GeneratorOptions& options) const;
  std::vector<std::vector<TokenId>> prompts(std::span<const LineRead> lines) const;

  // Scores lines. Language models: each line as if it began a document or, if the training text is
  // one document, followed a line end (TextFront::whole). The first token has no score if nothing
  // is in front of it. End marks are not scored. In a line longer than the context, each token is
  // predicted from at least half a context. Other runs: each target after its source, with an end
  // mark. `heads` of the first run add an alignment, of words if both tokenizers have subwords,
  // otherwise of tokens. Throws what expect_scores() and, for targets, expect_positions() throw;
  // ConfigError for heads without targets.
  std::vector<LineScore> score(std::span<const LineRead> lines,
                               const AlignmentHeads* heads = nullptr) const;
  // Throws ConfigError unless the runs generate token by token and score such lines (`targets`).
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
