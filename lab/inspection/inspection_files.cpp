// The forms in which an inspection is given out: JSON, and a file of tensors.

#include "lab/inspection/inspection.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr int version = 1;
constexpr Index shown_predictions = 5;

// Rows of numbers; -inf becomes null, as JSON has no such number.
Json rows_json(const Tensor& matrix) {
  Json rows = Json::array();
  for (Index i = 0; i < matrix.dim(0); ++i) {
    rows.push_back(std::vector<Scalar>(matrix.row(i), matrix.row(i) + matrix.dim(1)));
  }
  return rows;
}

Json tensors_json(const RecordedAttention& seen) {
  return {{"weights", rows_json(seen.weights)},
          {"scores", rows_json(seen.scores)},
          {"outputs", rows_json(seen.output)}};
}

Json attentions_json(const InspectedSequence& sequence, WithTensors with) {
  if (with == WithTensors::yes) {
    return attentions_json(sequence, tensors_json);
  }
  Json attentions = attentions_json(sequence, [](const RecordedAttention&) { return Json(); });
  for (Json& attention : attentions) {
    attention["heads"] = attention["heads"].size();
  }
  return attentions;
}

// The likeliest tokens at each labelled row, after what the row reads.
Json predictions_json(const SavedRun& run, const InspectedSequence& sequence) {
  const auto& read = sequence.input_tokens();
  Json list = Json::array();
  for (std::size_t i = 0; i < sequence.rows.size(); ++i) {
    const Index row = sequence.rows[i];
    Json best = Json::array();
    for (const Prediction& one : predictions(sequence.logits, static_cast<Index>(i),
                                             *run.tokenizers.target, shown_predictions)) {
      best.push_back({{"token", one.token}, {"probability", one.probability}});
    }
    list.push_back({{"row", row},
                    {"read", read[static_cast<std::size_t>(row)]},
                    {"label", sequence.labels[i]},
                    {"best", std::move(best)}});
  }
  return list;
}

}  // namespace

Json inspection_json(const SavedRun& run, const Inspection& inspection, WithTensors with) {
  const auto& [text, sequence, without] = inspection;
  Json json = {{"format", "tapehead attention"},
               {"version", version},
               {"run", run.directory.string()},
               {"checkpoint", run.checkpoint.string()},
               {"source", text.read.line.text},
               {"target", text.target},
               {"generated", text.generated},
               {"source_tokens", sequence.source_tokens},
               {"target_tokens", sequence.target_tokens},
               {"said_tokens", sequence.said_tokens},
               {"predictions", predictions_json(run, sequence)}};
  if (without) {
    json["without"] = {{"heads", without->heads}};
    if (without->pattern) {
      json["without"]["pattern"] = *without->pattern;
    }
    if (text.generated) {
      json["without"]["target"] = without->target;
    }
    json["without"]["predictions"] = predictions_json(run, without->sequence);
  }
  json["attentions"] = attentions_json(sequence, with);
  return json;
}

void write_inspection(const std::filesystem::path& path, const SavedRun& run,
                      const Inspection& inspection) {
  std::vector<TensorEntry> entries;
  for (const RecordedAttention& seen : inspection.sequence.heads) {
    const std::string head = fmt::format("{}.{}.", seen.site.text(), seen.head);
    entries.push_back(tensor_entry(head + "weights", seen.weights));
    entries.push_back(tensor_entry(head + "scores", seen.scores));
    entries.push_back(tensor_entry(head + "outputs", seen.output));
  }
  entries.push_back(tensor_entry("logits", inspection.sequence.logits));
  if (inspection.without) {
    entries.push_back(tensor_entry("without.logits", inspection.without->sequence.logits));
  }
  const Json json = inspection_json(run, inspection, WithTensors::no);
  write_tensor_file(path, entries, {{"tapehead", json_text(json)}});
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
