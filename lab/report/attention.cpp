#include "lab/report/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/errors.hpp"
#include "datasets/loader.hpp"
#include "lab/heads/recorded_attentions.hpp"
#include "train/evaluation/evaluation.hpp"
#include "train/options/layout.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

namespace {

using Json = nlohmann::ordered_json;

// Of a text, the source is what its window holds.
std::string text_of(const Task& task, const Split& split, std::size_t i) {
  if (!split.is_text()) {
    return i < split.source_texts.size() ? split.source_texts[i]
                                         : task.source_tokenizer->decode(split.examples[i].source);
  }
  PoolVector<TokenId> ids;
  const Window window = split.windows.list[static_cast<Index>(i)];
  split.windows.text->append_to(ids, window.first, window.rows);
  return task.source_tokenizer->decode({ids.begin(), ids.end()});
}

Split chosen(const Task& task, const Split& split, const std::vector<Index>& examples) {
  for (const Index i : examples) {
    if (i < 0 || i >= split.size()) {
      throw ConfigError(fmt::format("there is no sentence {} in {}; it has 1 to {}", i + 1,
                                    split.name, split.size()));
    }
  }
  const std::vector<std::string> references = first_references(task, split, split.examples.size());
  Split few = part_of(split, examples);
  for (const Index i : examples) {
    const auto at = static_cast<std::size_t>(i);
    few.source_texts.push_back(text_of(task, split, at));
    if (!split.is_text()) {
      few.references.push_back(references[at]);
    }
  }
  return few;
}

Json pieces(const PoolVector<TokenId>& tokens, const Tokenizer& tokenizer) {
  Json list = Json::array();
  for (std::size_t i = 0; i < tokens.size() && i < static_cast<std::size_t>(shown_tokens); ++i) {
    list.push_back(entry_or_mask(tokenizer, tokens[i]));
  }
  return list;
}

// What each row of the input is to be followed by: its label, or nothing.
Json said_after(const Batch& batch, const Tokenizer& tokenizer) {
  Json list = Json::array();
  Index label = 0;
  for (Index row = 0; row < std::min(batch.input.rows(), shown_tokens); ++row) {
    const bool labelled =
        batch.labels.every_row ||
        (label < batch.labels.count() && batch.labels.rows[static_cast<std::size_t>(label)] == row);
    list.push_back(labelled ? tokenizer.entry(batch.labels.ids[static_cast<std::size_t>(label++)])
                            : std::string());
  }
  return list;
}

// In thousandths: finer than colours can show, and short in the file.
Json weights_json(const Tensor& weights) {
  Json rows = Json::array();
  for (Index i = 0; i < std::min(shown_tokens, weights.dim(0)); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < std::min(shown_tokens, weights.dim(1)); ++j) {
      row.push_back(std::lround(1000 * static_cast<double>(weights.row(i)[j])));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json attentions_json(const Model& model, const Batch& batch) {
  Json attentions = Json::array();
  for (const RecordedAttention& seen : recorded_attentions(model, batch)) {
    if (seen.head == 0) {
      const bool decoder = seen.site.stack() == StackName::decoder;
      const bool self = seen.site.is_self();
      attentions.push_back({{"attention", seen.site.text()},
                            {"queries", decoder ? "target" : "source"},
                            {"keys", decoder && self ? "target" : "source"},
                            {"heads", Json::array()}});
    }
    attentions.back()["heads"].push_back(weights_json(seen.weights));
  }
  return attentions;
}

Index weights_in(const Json& attentions) {
  std::size_t count = 0;
  for (const Json& attention : attentions) {
    for (const Json& head : attention["heads"]) {
      count += head.empty() ? 0 : head.size() * head[0].size();
    }
  }
  return static_cast<Index>(count);
}

}  // namespace

Json report_sentences(const Model& model, const EvaluationOptions& options, const Task& task,
                      const Split& split, const std::vector<Index>& examples, Workers& workers) {
  const Split few = chosen(task, split, examples);
  const Layout layout = layout_of(model.transformer.options());
  const Tokenizer& input_tokenizer =
      layout.in_one_sequence() ? *task.source_tokenizer : *task.target_tokenizer;
  const auto outputs = decode_split(model.transformer, model.store, task, few,
                                    std::ssize(few.examples), options, workers);
  const std::vector<bool> right = right_sequences(task, few, outputs);
  Json sentences = Json::array();
  Index weights = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Batch batch = make_batch(few, {static_cast<Index>(i)}, layout);
    const bool encoder = layout.input == InputRows::source;
    const Tokens& source = encoder ? batch.input : batch.context;
    const Tokens& target = encoder ? batch.context : batch.input;
    Json attentions = attentions_json(model, batch);
    weights += weights_in(attentions);
    if (i > 0 && weights > shown_weights) {
      break;
    }
    sentences.push_back(
        {{"number", examples[i] + 1},
         {"source", few.source_texts[i]},
         {"source_tokens", pieces(source.ids, *task.source_tokenizer)},
         {"target_tokens", pieces(target.ids, input_tokenizer)},
         {"said_tokens", encoder ? Json::array() : said_after(batch, *task.target_tokenizer)},
         {"source_length", source.ids.size()},
         {"target_length", target.ids.size()},
         {"attentions", std::move(attentions)}});
    if (i < outputs.size()) {
      sentences.back().update({{"output", outputs[i]},
                               {"right", static_cast<bool>(right[i])},
                               {"reference", few.references[i]}});
    }
  }
  return sentences;
}

}  // namespace tapehead::inline TAPEHEAD_PRECISION
