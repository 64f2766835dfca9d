#include "lab/inspection/inspection.hpp"

#include "core/ops/concatenate.hpp"
#include "lab/removal/head_importance.hpp"
#include "predict/predictor.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::vector<std::string> entries(const PoolVector<TokenId>& tokens, const Tokenizer& tokenizer) {
  return mapped(tokens, [&](TokenId token) { return entry_or_mask(tokenizer, token); });
}

void expect_known(const std::vector<TokenId>& tokens, const std::string& text, const char* what) {
  const auto unknown = [](TokenId token) { return token == unknown_id; };
  if (!tokens.empty() && std::ranges::all_of(tokens, unknown)) {
    throw DataError("the run's tokenizer knows no token of the {} {}", what, shown(text));
  }
}

// Reads text and target. Throws DataError if the text is empty, or if either has no known token.
LineRead read_line(const Reader& reader, const AskedLine& line) {
  LineRead read = reader.read(line);
  if (read.tokens.empty()) {
    throw DataError("the text has no token");
  }
  expect_known(read.tokens, line.text, "text");
  const std::vector<EncodedText> texts = reader.encoded(read);
  if (texts.size() > 1) {
    expect_known(texts[1].tokens, texts[1].text, "target");
  }
  return read;
}

// The text as a source, with `target`. Without a target, the output of `model` takes its place: the
// generated tokens, as far as the model has positions, a label for each token, or a class. Running
// text has no target: a causal model reads it as a document, a masked model with a mask for each
// `mask_in_text`. `model` is the run's model or a changed copy.
TextBatch read_text(const SavedRun& run, const EnsembleMember& model, const std::string& text,
                    const std::optional<std::string>& target, Workers& workers) {
  const Predictor predictor(run, workers);
  const Reader& reader = predictor.reader();
  if (target && !reader.has_targets()) {
    throw ConfigError("run {} is a language model, which reads one text: leave --target out",
                      run.directory.string());
  }
  LineRead read = read_line(reader, {.text = text, .target = target});
  const auto as_read = [&] { return reader.source({&read, 1}, layout_of(run.config.model)); };
  predictor.expect_positions(read, "the text");
  const bool generated = reader.has_targets() && !target;
  bool unfinished = false;
  if (generated) {
    const ModelAndSource asked{.model = model, .source = as_read()};
    const Hypothesis output = decode_examples({&asked, 1}, decoding_batch_tokens,
                                              decoding_options(run.config.evaluation), workers)
                                  .front()
                                  .front();
    read.target_tokens = output.tokens;
    unfinished = !output.ended;
    // If an output fills all positions, no position reads its last token.
    const Index too_many = as_read()->lengths(0).input - run.config.model.max_positions;
    if (too_many > 0) {
      read.target_tokens.resize(read.target_tokens.size() - static_cast<std::size_t>(too_many));
    }
  }
  predictor.expect_positions(read, "the text with its target");
  return {.batch = pack(*as_read(), {0}),
          .target = reader.target_text(read),
          .read = std::move(read),
          .generated = generated,
          .unfinished = unfinished};
}

HeadName head_of(const Transformer& transformer, std::string_view name) {
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const auto head = whole_number(name.substr(std::min(dot + 1, name.size())));
  if (!head) {
    throw ConfigError("{} is no head: a head's name ends in its number, such as {}", shown(name),
                      heads_of(transformer).empty() ? "decoder.layers.0.self.0"
                                                    : heads_of(transformer).back().text());
  }
  return head_named(transformer, name.substr(0, dot), *head);
}

EnsembleMember as_it_is(const Model& model) { return {model.transformer, model.store}; }

// Makes these heads look by distance alone, with their mean weights in the text `other`.
HeadSubstitute look_by_distance(const SavedRun& run, const std::string& other,
                                const HeadNames& heads, Workers& workers) {
  std::map<HeadName, std::pair<DistanceWeights, Pattern>> looks;
  const TextBatch read = read_text(run, as_it_is(run.model), other, {}, workers);
  for (const RecordedAttention& seen : inspect(run.model, run.tokenizers, read.batch).heads) {
    const HeadName name{seen.site, seen.head};
    if (std::ranges::count(heads, name) > 0) {
      const Pattern& pattern = attention_of(run.model.transformer, name).pattern_of(name.head);
      const bool of_input =
          name.site.is_self() && name.site.stack() == run.model.transformer.main().name;
      const Index prefix = of_input ? read.batch.input.segments[seen.segment].prefix : 0;
      looks.emplace(name, std::pair(mean_by_distance(seen.weights, pattern, prefix), pattern));
    }
  }
  return [looks = std::move(looks)](const AttentionSite& site, Index head, const Segment& queries,
                                    const Segment& keys) -> std::optional<HeadAttention> {
    const auto found = looks.find({site, head});
    if (found == looks.end()) {
      return {};
    }
    const auto& [mean, pattern] = found->second;
    const Tensor weights = weights_at(mean, pattern, queries, keys);
    Tensor scores = Tensor::empty(weights.shape());  // softmax(scores) = weights
    std::ranges::transform(weights.values(), scores.values().begin(),
                           [](Scalar weight) { return std::log(weight); });
    return HeadAttention{.weights = weights, .scores = scores};
  };
}

// Inspects the sequence in a changed copy of the model, with this model's own output for the text.
WithoutHeads inspect_without(const SavedRun& run, const InspectionRequest& request,
                             const TextBatch& read, Workers& workers) {
  WithoutHeads without{.heads = request.without, .pattern = request.pattern};
  const HeadNames heads = mapped(request.without, [&](const std::string& name) {
    return head_of(run.model.transformer, name);
  });
  const auto model = with_weights_apart(run.model, run.config);
  EnsembleMember changed = as_it_is(*model);
  const HeadGates gates = request.pattern ? HeadGates() : gates_on(*model, heads);
  for (const auto& gate : gates) {
    gate->set(0);
  }
  if (request.pattern) {
    changed.substitute = look_by_distance(run, *request.pattern, heads, workers);
  }
  without.sequence = inspect(*model, run.tokenizers, read.batch, changed.substitute);
  if (read.generated) {
    without.target = read_text(run, changed, request.text, {}, workers).target;
  }
  return without;
}

}  // namespace

InspectedSequence inspect(const Model& model, const Tokenizers& tokenizers, const Batch& batch,
                          const HeadSubstitute& substitute) {
  const bool encoder = model.transformer.main().name == StackName::encoder;
  const bool two_stacks = batch.context.rows() > 0;
  const Tokenizer& of_input = two_stacks ? *tokenizers.target : *tokenizers.source;
  InspectedSequence seen;
  (encoder ? seen.source_tokens : seen.target_tokens) = entries(batch.input.ids, of_input);
  if (two_stacks) {
    seen.source_tokens = entries(batch.context.ids, *tokenizers.source);
  }
  seen.rows = batch.labels.rows;
  if (batch.labels.every_row) {
    seen.rows.resize(static_cast<std::size_t>(batch.input.rows()));
    std::iota(seen.rows.begin(), seen.rows.end(), Index{0});
  }
  seen.labels = entries(batch.labels.ids, *tokenizers.target);
  seen.said_tokens.resize(seen.target_tokens.size());
  for (std::size_t i = 0; i < seen.rows.size() && !encoder; ++i) {
    seen.said_tokens[static_cast<std::size_t>(seen.rows[i])] = seen.labels[i];
  }
  Tape tape(false);
  Pass pass(tape, model.store);
  pass.substitute = substitute;
  pass.recorder = [&seen](const RecordedAttention& one) { seen.heads.push_back(one); };
  pass.watcher = [&seen](const ShownValue& one) {
    if (one.name == "query" || one.name == "key" || one.name == "value") {
      seen.projections.emplace(fmt::format("{}.{}", one.path, one.name),
                               one.columns.of(one.heads, one.width));
    }
  };
  const Var hidden = model.transformer.hidden(pass, batch);
  seen.logits = model.transformer.logits(pass, select_rows(hidden, seen.rows)).value();
  return seen;
}

HeadWalk walk(const Model& model, const Batch& batch, const InspectedSequence& seen,
              const HeadName& head) {
  return {.head = head,
          .queries = seen.tokens(query_side(head.site)),
          .keys = seen.tokens(key_side(head.site)),
          .steps = walk_head(model.transformer, model.store, batch, head)};
}

std::vector<Prediction> predictions(const Tensor& logits, Index row, const Tokenizer& tokenizer,
                                    Index count) {
  const Tensor of_row = logits.part(row * logits.dim(1), {1, logits.dim(1)});
  const double log_sum = log_sum_exp(of_row.values());
  const BestTokens best = best_of(of_row, count, -1, LogSums::left_out);
  return mapped(best.of(0), [&](const TokenLogit& one) {
    return Prediction{entry_or_mask(tokenizer, one.token),
                      std::exp(static_cast<double>(one.logit) - log_sum)};
  });
}

std::string_view query_side(const AttentionSite& site) {
  return site.stack() == StackName::decoder ? "target" : "source";
}

std::string_view key_side(const AttentionSite& site) {
  return site.kind == AttentionKind::decoder_self ? "target" : "source";
}

Json attentions_json(const InspectedSequence& sequence,
                     const std::function<Json(const RecordedAttention&)>& head_json) {
  auto attentions = Json::array();
  for (const RecordedAttention& seen : sequence.heads) {
    if (seen.head == 0) {
      attentions.push_back({{"attention", seen.site.text()},
                            {"queries", query_side(seen.site)},
                            {"keys", key_side(seen.site)},
                            {"heads", Json::array()}});
    }
    attentions.back()["heads"].push_back(head_json(seen));
  }
  return attentions;
}

DistanceWeights mean_by_distance(const Tensor& weights, const Pattern& pattern, Index prefix) {
  const Index queries = weights.dim(0);
  const Index keys = weights.dim(1);
  DistanceWeights mean{.first = 1 - queries,
                       .weights = PoolVector<Scalar>(static_cast<std::size_t>(queries + keys))};
  std::vector<Index> counts(mean.weights.size());
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) {
      if (pattern.allowed(i, j, prefix)) {
        const auto distance = static_cast<std::size_t>(j - i - mean.first);
        mean.weights[distance] += weights.row(i)[j];
        ++counts[distance];
      }
    }
  }
  for (std::size_t d = 0; d < counts.size(); ++d) {
    mean.weights[d] /= static_cast<Scalar>(std::max<Index>(counts[d], 1));
  }
  return mean;
}

Tensor weights_at(const DistanceWeights& by_distance, const Pattern& pattern,
                  const Segment& queries, const Segment& keys) {
  Tensor weights = Tensor::zeros({queries.rows, keys.rows});
  for (Index i = 0; i < queries.rows; ++i) {
    const Index query = queries.position + i;
    Scalar* row = weights.row(i);
    Scalar sum = 0;
    for (Index j = 0; j < keys.rows; ++j) {
      const Index key = keys.position + j;
      row[j] = pattern.allowed(query, key, queries.prefix) ? by_distance.at(key - query) : 0;
      sum += row[j];
    }
    for (Index j = 0; j < keys.rows && sum > 0; ++j) {
      row[j] /= sum;
    }
  }
  return weights;
}

Inspection inspect_text(const SavedRun& run, const InspectionRequest& request, Workers& workers) {
  Inspection inspection{
      .text = read_text(run, as_it_is(run.model), request.text, request.target, workers)};
  inspection.sequence = inspect(run.model, run.tokenizers, inspection.text.batch);
  if (!request.without.empty()) {
    inspection.without = inspect_without(run, request, inspection.text, workers);
  }
  if (request.walk) {
    inspection.walk = walk(run.model, inspection.text.batch, inspection.sequence,
                           head_of(run.model.transformer, *request.walk));
  }
  return inspection;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
