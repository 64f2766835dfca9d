// How probable lines are, and which of their words attention aligns.
#include "predict/predictor.hpp"

#include "core/ops/concatenate.hpp"
#include "core/text.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The log probability of each label of a batch, in order. `packed`: packs the weights, so that a
// row's bits do not depend on the number of rows.
std::vector<double> log_probabilities(const EnsembleMember& model, const Batch& batch,
                                      const Recorder& recorder, bool packed) {
  Tape tape(false);
  Pass pass(tape, model.store);
  if (packed) {
    pass.keep_weights_packed();
  }
  pass.recorder = recorder;
  Var rows = model.transformer.hidden(pass, batch);
  if (!batch.labels.every_row) {
    rows = select_rows(rows, batch.labels.rows);
  }
  const Tensor logits = model.transformer.logits(pass, rows).value();
  std::vector<double> logs;
  for (Index i = 0; i < batch.labels.count(); ++i) {
    const std::span<const Scalar> row(logits.row(i), static_cast<std::size_t>(logits.dim(1)));
    const TokenId label = batch.labels.ids[static_cast<std::size_t>(i)];
    logs.push_back(static_cast<double>(row[static_cast<std::size_t>(label)]) - log_sum_exp(row));
  }
  return logs;
}

}  // namespace

Alignment aligned_tokens(const Tensor& attention, Index target_tokens, Index source_tokens) {
  Alignment pairs;
  for (Index target = 0; target < target_tokens && source_tokens > 0; ++target) {
    const Scalar* row = attention.row(target);
    const Scalar* largest = std::max_element(row, row + source_tokens);
    if (*largest > 0) {
      pairs.insert({.source = largest - row, .target = target});
    }
  }
  return pairs;
}

Alignment aligned_words(const Alignment& tokens, const std::vector<Index>& source,
                        const std::vector<Index>& target) {
  Alignment pairs;
  for (const AlignedPair& pair : tokens) {
    pairs.insert({.source = source[static_cast<std::size_t>(pair.source)],
                  .target = target[static_cast<std::size_t>(pair.target)]});
  }
  return pairs;
}

std::string pharaoh_text(const Alignment& alignment) {
  const auto text_of = [](const AlignedPair& pair) {
    return fmt::format("{}-{}", pair.source, pair.target);
  };
  return join(alignment | std::views::transform(text_of), " ");
}

AlignmentHeads::AlignmentHeads(const Transformer& transformer, std::string_view names) {
  std::vector<const MultiHeadAttention*> attentions = transformer.attentions();
  std::erase_if(attentions, [](const MultiHeadAttention* one) { return one->site.is_self(); });
  if (attentions.empty()) {
    throw ConfigError(
        "the model has no cross-attention, so it cannot align source and target: only models with "
        "an encoder and a decoder have cross-attention");
  }
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    bool known = false;
    for (const MultiHeadAttention* one : attentions) {
      for (Index head = 0; head < one->spec.heads; ++head) {
        const std::string attention = one->site.text();
        if (name == "all" || name == attention || name == fmt::format("{}.{}", attention, head)) {
          heads_.emplace(one->site, head);
          known = true;
        }
      }
    }
    if (!known) {
      const auto in_words = [](const MultiHeadAttention* one) {
        return fmt::format("{} ({})", one->site.text(), one->spec.heads);
      };
      throw ConfigError(
          "there is no cross-attention or head {}; heads are counted from 0 "
          "(decoder.layers.0.cross.0), and the attentions with their numbers of heads are: {}",
          shown(name), join(attentions | std::views::transform(in_words), ", "));
    }
    begin = end + 1;
  }
}

Recorder AlignmentHeads::mean_into(Tensor& mean) const {
  mean = Tensor();
  return [this, &mean](const RecordedAttention& seen) {
    if (!heads_.contains(Head(seen.site, seen.head))) {
      return;
    }
    if (!mean.has_memory()) {
      mean = Tensor::zeros({seen.weights.dim(0), seen.weights.dim(1)});
    }
    const auto share = Scalar{1} / static_cast<Scalar>(heads_.size());
    std::ranges::transform(mean.values(), seen.weights.values(), mean.values().begin(),
                           [share](Scalar sum, Scalar weight) { return sum + share * weight; });
  };
}

void Predictor::expect_scores(bool targets) const {
  const std::string run = runs_.first().directory.string();
  expect_writes(config(), run);
  if (reader_->has_targets() != targets) {
    throw ConfigError(
        "run {} is {}", run,
        targets ? "a language model: score lines without targets; the command `score` reads "
                  "them with --input or from standard input"
                : "no language model: score targets together with their sources; the command "
                  "`score` reads them with --source and --target");
  }
}

double LineScore::log_probability() const {
  const auto add = [](double sum, const TokenScore& token) { return sum + token.log_probability; };
  return std::accumulate(tokens.begin(), tokens.end(), 0.0, add);
}

// Sequences of similar lengths share a batch; each model reads it in its own layout. No bit of a
// score depends on the other sequences. With `heads`, each sequence has its own pass, in which the
// first model records the heads' mean weights.
std::vector<std::vector<TokenScore>> Predictor::scores_of(std::span<const ModelAndSource> models,
                                                          const AlignmentHeads* heads,
                                                          std::vector<Tensor>& attentions) const {
  const Source& first = *models.front().source;
  const auto batches =
      decoding_batches(first, heads == nullptr ? batch_tokens_ : 1, 1, workers_.threads());
  attentions.resize(static_cast<std::size_t>(first.size()));
  std::vector<std::vector<TokenScore>> scores(static_cast<std::size_t>(first.size()));
  workers_.run(std::ssize(batches), [&](Index b) {
    const std::vector<Index>& numbers = batches[static_cast<std::size_t>(b)];
    std::vector<std::vector<double>> by_model;
    for (std::size_t k = 0; k < models.size(); ++k) {
      Tensor& attention = attentions[static_cast<std::size_t>(numbers.front())];
      by_model.push_back(
          log_probabilities(models[k].model, pack(*models[k].source, numbers),
                            heads != nullptr && k == 0 ? heads->mean_into(attention) : Recorder(),
                            batch_tokens_ > 1));
    }
    std::vector<double> logs(models.size());
    std::size_t row = 0;
    for (const Index number : numbers) {
      for (const TokenId label : first.at(number).labels.list()) {
        std::ranges::transform(by_model, logs.begin(), [row](const auto& of) { return of[row]; });
        scores[static_cast<std::size_t>(number)].push_back(
            {.token = label, .log_probability = log_mean_exp(logs)});
        ++row;
      }
    }
  });
  return scores;
}

Alignment Predictor::alignment_of(const LineRead& pair, const Tensor& attention) const {
  const Alignment tokens =
      aligned_tokens(attention, std::ssize(pair.target_tokens), std::ssize(pair.tokens));
  const auto source = words_of_tokens(*tokenizers().source, pair.tokens);
  const auto target = words_of_tokens(*tokenizers().target, pair.target_tokens);
  return source && target ? aligned_words(tokens, *source, *target) : tokens;
}

std::vector<LineScore> Predictor::score(std::span<const LineRead> lines,
                                        const AlignmentHeads* heads) const {
  std::vector<LineScore> scores(lines.size());
  if (lines.empty()) {
    return scores;
  }
  if (heads != nullptr && !reader_->has_targets()) {
    throw ConfigError("heads align targets with sources, and a language model has neither");
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    expect_scores(lines[i].line.target.has_value());
    if (lines[i].line.target) {
      expect_positions(lines[i], fmt::format("pair {}", i + 1));
    }
  }
  std::vector<Index> parts;  // number of sequences of each line, the same for all models
  const auto models = mapped(runs_.members(), [&](const EnsembleMember& member) {
    const auto sources = mapped(lines, [&](const LineRead& read) {
      return reader_->to_score(read, layout_of(member.transformer.options()), runs_.context());
    });
    parts = mapped(sources, [](const LineSource& source) { return source->size(); });
    return ModelAndSource{.model = member, .source = one_after_another(sources)};
  });
  std::vector<Tensor> attentions;
  const auto by_part = scores_of(models, heads, attentions);
  auto part = by_part.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (Index count = parts[i]; count > 0; --count, ++part) {
      scores[i].tokens.insert(scores[i].tokens.end(), part->begin(), part->end());
    }
    if (heads != nullptr) {
      scores[i].alignment = alignment_of(lines[i], attentions[i]);
    }
  }
  return scores;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
