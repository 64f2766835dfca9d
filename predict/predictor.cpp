#include "predict/predictor.hpp"

#include "core/text.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Describes what a language model reads in front of a text.
std::string_view front_of(const SavedRun& run) {
  return TextFront(run.config.task.as<TextOptions>(), *run.tokenizers.source, has_one_document(run))
      .in_words();
}

// The difference because of which two runs cannot form an ensemble; empty if they can.
std::string difference(const SavedRun& a, const SavedRun& b) {
  const bool continues = use_of(a.config).continues();
  if (continues != use_of(b.config).continues()) {
    return "one of them is a language model and the other is not";
  }
  for (const auto side : {&Tokenizers::source, &Tokenizers::target}) {
    if (tokenizer_digest(*(a.tokenizers.*side)) != tokenizer_digest(*(b.tokenizers.*side))) {
      return fmt::format(
          "their {}tokenizers differ, so their probabilities are of different tokens",
          continues                     ? ""
          : side == &Tokenizers::source ? "source "
                                        : "target ");
    }
  }
  if (continues && front_of(a) != front_of(b)) {
    return fmt::format("the first run reads {} before a text, and the second run reads {}",
                       front_of(a), front_of(b));
  }
  return "";
}

}  // namespace

RunEnsemble::RunEnsemble(std::vector<const SavedRun*> runs) : runs_(std::move(runs)) {
  for (const SavedRun* run : runs_) {
    if (runs_.size() > 1 && !use_of(run->config).writes) {
      throw ConfigError(
          "run {} does not write token by token, so it cannot predict together with another",
          run->directory.string());
    }
    if (const std::string why = difference(first(), *run); !why.empty()) {
      throw ConfigError("runs {} and {} cannot predict together: {}", first().directory.string(),
                        run->directory.string(), why);
    }
  }
}

std::vector<EnsembleMember> RunEnsemble::members() const {
  return mapped(runs_, [](const SavedRun* run) {
    return EnsembleMember{.transformer = run->model.transformer, .store = run->model.store};
  });
}

Index RunEnsemble::context() const {
  const auto context = [](const SavedRun* run) { return context_of(run->config); };
  return std::ranges::min(runs_ | std::views::transform(context));
}

Index RunEnsemble::memory() const {
  const auto memory = [](const SavedRun* run) { return run->config.evaluation.memory.value_or(0); };
  return std::ranges::min(runs_ | std::views::transform(memory));
}

std::string RunEnsemble::checkpoints() const {
  const auto name = [](const SavedRun* run) { return run->checkpoint.string(); };
  return join(runs_ | std::views::transform(name), " or ");
}

Predictor::Predictor(const RunEnsemble& runs, Workers& workers, const PredictorOptions& options)
    : runs_(runs),
      workers_(workers),
      batch_tokens_(options.batch_tokens),
      one_document_(has_one_document(runs.first())),
      reader_(reader_of(config(), tokenizers(), one_document_, options.mask)) {}

void Predictor::expect_used_for(std::string_view command) const {
  expect_used_with(config(), runs_.first().directory.string(), command);
}

void Predictor::expect_positions(const LineRead& read, std::string_view what) const {
  for (const SavedRun* run : runs_.runs()) {
    const ModelOptions& options = run->config.model;
    const Index most = reader_->source({&read, 1}, layout_of(options))->lengths(0).longer();
    if (most > options.max_positions) {
      throw DataError(
          "{} has {} tokens with its mark; the model of {} has {} positions (model.max_positions)",
          what, most, run->directory.string(), options.max_positions);
    }
  }
}

std::vector<ModelAndSource> Predictor::as_read(std::span<const LineRead> lines) const {
  return mapped(runs_.members(), [&](const EnsembleMember& member) {
    return ModelAndSource{
        .model = member, .source = reader_->source(lines, layout_of(member.transformer.options()))};
  });
}

std::vector<std::vector<Translation>> Predictor::translate(
    std::span<const LineRead> lines, const std::optional<DecodingOptions>& options) const {
  expect_used_for("translate");
  std::vector<LineRead> sources;
  for (const LineRead& read : lines) {
    const auto used = std::min(std::ssize(read.tokens), most_tokens());
    sources.push_back({.tokens = {read.tokens.begin(), read.tokens.begin() + used}});
  }
  const auto outputs =
      decode_examples(as_read(sources), batch_tokens_,
                      options.value_or(decoding_options(config().evaluation)), workers_);
  return mapped(outputs, [&](const std::vector<Hypothesis>& best) {
    return mapped(best, [&](const Hypothesis& hypothesis) {
      return Translation{.text = tokenizers().target->decode(hypothesis.tokens),
                         .score = hypothesis.score,
                         .ended = hypothesis.ended};
    });
  });
}

std::vector<std::vector<LikelyClass>> Predictor::classify(std::span<const LineRead> lines,
                                                          Index top) const {
  expect_used_for("classify");
  const ModelAndSource read = as_read(lines).front();
  const auto labels = label_examples(read.model, *read.source, batch_tokens_, top, workers_);
  return mapped(labels, [&](const ExampleLabels& rows) {
    return mapped(rows.front(), [&](const LikelyLabel& one) {
      return LikelyClass{.label = tokenizers().target->entry(one.label),
                         .probability = one.probability};
    });
  });
}

std::vector<FilledMask> Predictor::candidates_of(const LineRead& line,
                                                 const std::vector<RowLabels>& labels) const {
  const Tokenizer& tokenizer = *tokenizers().source;
  const auto place = [&](std::size_t mask) { return static_cast<std::size_t>(line.masks[mask]); };
  std::vector<TokenId> most_likely = line.tokens;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    most_likely[place(m)] = labels[m].front().label;
  }
  std::vector<FilledMask> masks;
  for (std::size_t m = 0; m < labels.size(); ++m) {
    FilledMask& candidates = masks.emplace_back();
    std::vector<TokenId> filled = most_likely;
    for (const auto& [token, probability] : labels[m]) {
      filled[place(m)] = token;
      candidates.push_back({.token = tokenizer.entry(token),
                            .probability = probability,
                            .text = tokenizer.decode(filled)});
    }
  }
  return masks;
}

std::vector<std::vector<FilledMask>> Predictor::fill(std::span<const LineRead> lines,
                                                     Index top) const {
  expect_used_for("fill");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].masks.empty()) {
      throw DataError("there is no mask in line {}", i + 1);
    }
  }
  const ModelAndSource read = as_read(lines).front();
  const auto labels = label_examples(read.model, *read.source, batch_tokens_, top, workers_);
  return mapped(numbers_below(lines.size()),
                [&](std::size_t i) { return candidates_of(lines[i], labels[i]); });
}

TextGenerator Predictor::generator(const GeneratorOptions& options) const {
  expect_writes(config(), runs_.first().directory.string());
  return TextGenerator({.members = runs_.members(),
                        .tokenizer = reader_->goes_on() ? tokenizers().source : tokenizers().target,
                        .context = runs_.context(),
                        .memory = runs_.memory(),
                        .goes_on = reader_->goes_on(),
                        .never = never_written(one_document_),
                        .length_penalty = config().evaluation.length_penalty},
                       workers_, options);
}

std::vector<std::vector<TokenId>> Predictor::prompts(std::span<const LineRead> lines) const {
  return mapped(lines, [&](const LineRead& read) { return reader_->prompt(read); });
}

GeneratedTexts Predictor::generate(std::span<const LineRead> lines,
                                   const GeneratorOptions& options) const {
  return generator(options).generate(prompts(lines));
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
