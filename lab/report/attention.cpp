#include "lab/report/attention.hpp"

#include "train/evaluation/evaluation.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void expect_sentences(const Split& split, const std::vector<Index>& numbers) {
  for (const Index i : numbers) {
    if (i < 0 || i >= split.size()) {
      throw ConfigError(fmt::format("there is no sentence {} in {}; it has 1 to {}", i + 1,
                                    split.name, split.size()));
    }
  }
}

Split chosen(const Task& task, const Split& split, const std::vector<Index>& numbers) {
  const auto references = first_references(task, split, static_cast<std::size_t>(split.outputs()));
  Split few{.name = split.name, .source = part_of(split.source, numbers), .kind = split.kind};
  for (const Index i : numbers) {
    const auto at = static_cast<std::size_t>(i);
    few.source_texts.push_back(
        at < split.source_texts.size()
            ? split.source_texts[at]
            : task.source_tokenizer->decode(split.source->at(i).source.list()));
    if (at < references.size()) {
      few.references.push_back(references[at]);
    }
  }
  return few;
}

Json first_of(const std::vector<std::string>& tokens, Index shown) {
  return std::vector<std::string>(tokens.begin(),
                                  tokens.begin() + std::min(shown, std::ssize(tokens)));
}

// In thousandths: finer than colours can show, and short in the file.
Json weights_json(const Tensor& weights, Index shown) {
  Json rows = Json::array();
  for (Index i = 0; i < std::min(shown, weights.dim(0)); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < std::min(shown, weights.dim(1)); ++j) {
      row.push_back(std::lround(1000 * static_cast<double>(weights.row(i)[j])));
    }
    rows.push_back(std::move(row));
  }
  return rows;
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

Json sentence_json(const InspectedSequence& sequence, const std::string& source,
                   std::optional<Index> number, Index shown) {
  Json sentence = number ? Json{{"number", *number}} : Json::object();
  sentence.update({{"source", source},
                   {"source_tokens", first_of(sequence.source_tokens, shown)},
                   {"target_tokens", first_of(sequence.target_tokens, shown)},
                   {"said_tokens", first_of(sequence.said_tokens, shown)},
                   {"source_length", sequence.source_tokens.size()},
                   {"target_length", sequence.target_tokens.size()},
                   {"attentions", attentions_json(sequence, [shown](const RecordedAttention& seen) {
                      return weights_json(seen.weights, shown);
                    })}});
  return sentence;
}

Json report_texts(const SavedRun& run, const std::vector<std::string>& texts, Workers& workers) {
  Json list = Json::array();
  for (const std::string& text : texts) {
    const Inspection inspection = inspect_text(run, {.text = text}, workers);
    list.push_back(sentence_json(inspection.sequence, text, {}, shown_text_tokens));
  }
  return list;
}

Json report_sentences(const Model& model, const EvaluationOptions& options, const Task& task,
                      const Split& split, const std::vector<Index>& examples, Workers& workers) {
  expect_sentences(split, examples);
  const Split few = chosen(task, split, examples);
  const auto outputs = texts_of(task, decode_tokens(model, few, few.outputs(), options, workers));
  const std::vector<bool> right = right_sequences(task, few, outputs);
  Json sentences = Json::array();
  Index weights = 0;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const InspectedSequence seen = inspect(model, {task.source_tokenizer, task.target_tokenizer},
                                           pack(*few.source, {static_cast<Index>(i)}));
    Json sentence = sentence_json(seen, few.source_texts[i], examples[i] + 1, shown_tokens);
    weights += weights_in(sentence["attentions"]);
    if (i > 0 && weights > shown_weights) {
      break;
    }
    if (i < outputs.size()) {
      sentence.update({{"output", outputs[i]},
                       {"right", static_cast<bool>(right[i])},
                       {"reference", few.references[i]}});
    }
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
