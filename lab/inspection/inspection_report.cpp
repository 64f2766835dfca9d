// Writes an inspection as JSON, as a file of tensors, or as tables for a terminal.
#include "core/text.hpp"
#include "lab/inspection/inspection.hpp"
#include "train/output/text_table.hpp"
#include "train/run/checkpoint.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr int version = 1;
constexpr Index shown_predictions = 5;

// The first rows and columns of numbers. -inf becomes null, because JSON cannot express it.
Json first_rows_json(const Tensor& matrix, Index most) {
  return mapped(numbers_below(std::min(most, matrix.dim(0))), [&](Index i) {
    return std::vector<Scalar>(matrix.row(i), matrix.row(i) + std::min(most, matrix.dim(1)));
  });
}

Json rows_json(const Tensor& matrix) { return first_rows_json(matrix, matrix.size()); }

// The queries, keys or values of a head, as `projection` says. Heads may share keys and values.
Tensor projected(const InspectedSequence& sequence, const RecordedAttention& seen,
                 std::string_view projection) {
  const auto all = [&](std::string_view of) -> const HeadMatrix& {
    return sequence.projections.at(fmt::format("{}.{}", seen.site.text(), of));
  };
  const HeadMatrix& from = all(projection);
  const Index head = seen.head * from.heads / all("query").heads;
  Tensor rows = Tensor::empty({from.rows(), from.width});
  for (Index i = 0; i < from.rows(); ++i) {
    std::copy_n(from.at(i, head), from.width, rows.row(i));
  }
  return rows;
}

// What files have of a head, by name.
std::vector<std::pair<std::string, Tensor>> tensors_of(const InspectedSequence& sequence,
                                                       const RecordedAttention& seen) {
  return {{"queries", projected(sequence, seen, "query")},
          {"keys", projected(sequence, seen, "key")},
          {"values", projected(sequence, seen, "value")},
          {"weights", seen.weights},
          {"scores", seen.scores},
          {"outputs", seen.output}};
}

Json attentions_json(const InspectedSequence& sequence, WithTensors with) {
  if (with == WithTensors::yes) {
    return attentions_json(sequence, [&](const RecordedAttention& seen) {
      Json head;
      for (const auto& [name, tensor] : tensors_of(sequence, seen)) {
        head[name] = rows_json(tensor);
      }
      return head;
    });
  }
  Json attentions = attentions_json(sequence, [](const RecordedAttention&) { return Json(); });
  for (Json& attention : attentions) {
    attention["heads"] = attention["heads"].size();
  }
  return attentions;
}

// The first `shown` rows and columns: whole numbers of 16 bits, little-endian, row by row, in
// base64. They are finer than colours can show, and short in the file.
std::string weights_text(const Tensor& weights, Index shown) {
  std::string bytes;
  for (Index i = 0; i < std::min(shown, weights.dim(0)); ++i) {
    for (Index j = 0; j < std::min(shown, weights.dim(1)); ++j) {
      const auto share = std::clamp(static_cast<double>(weights.row(i)[j]), 0.0, 1.0);
      const auto bits = static_cast<std::uint16_t>(std::lround(65535 * share));
      bytes += {static_cast<char>(bits & 255), static_cast<char>(bits >> 8)};
    }
  }
  return base64_of(bytes);
}

// For each labelled row: the token that it reads, its label, and the most likely tokens.
Json predictions_json(const SavedRun& run, const InspectedSequence& sequence) {
  const auto& read = sequence.input_tokens();
  const auto json = [](const Prediction& one) -> Json {
    return {{"token", one.token}, {"probability", one.probability}};
  };
  return mapped(numbers_below(sequence.rows.size()), [&](std::size_t i) -> Json {
    const auto best = predictions(sequence.logits, static_cast<Index>(i), *run.tokenizers.target,
                                  shown_predictions);
    return {{"row", sequence.rows[i]},
            {"read", read[static_cast<std::size_t>(sequence.rows[i])]},
            {"label", sequence.labels[i]},
            {"best", mapped(best, json)}};
  });
}

std::string in_cell(const std::string& token) {
  return token == "\n" ? std::string("\\n") : printable(token);
}

// The strongest key and its weight in percent, "king 87"; empty if the query attends to no key.
std::string strongest(const Tensor& weights, Index query, const std::vector<std::string>& keys) {
  const Scalar* row = weights.row(query);
  const Scalar* largest = std::max_element(row, row + weights.dim(1));
  if (weights.dim(1) == 0 || *largest <= 0) {
    return "";
  }
  return fmt::format("{} {:.0f}", in_cell(keys[static_cast<std::size_t>(largest - row)]),
                     100 * static_cast<double>(*largest));
}

// The table of one attention, whose `heads` heads begin at `first` in the sequence.
std::string attention_table(const InspectedSequence& seen, std::size_t first, std::size_t heads) {
  const AttentionSite& site = seen.heads[first].site;
  const auto& queries = seen.tokens(query_side(site));
  const auto& keys = seen.tokens(key_side(site));
  std::vector<std::string> header{"query"};
  for (std::size_t head = 0; head < heads; ++head) {
    header.push_back(fmt::format("head {}", head));
  }
  Table table(std::vector<Align>(header.size(), Align::left), header);
  for (std::size_t query = 0; query < queries.size(); ++query) {
    std::vector<std::string> cells{in_cell(queries[query])};
    for (std::size_t head = 0; head < heads; ++head) {
      cells.push_back(strongest(seen.heads[first + head].weights, static_cast<Index>(query), keys));
    }
    table.row(cells);
  }
  return fmt::format("{}\n{}\n", site.text(), table.text());
}

std::string likeliest(const SavedRun& run, const InspectedSequence& sequence, std::size_t row) {
  const Prediction best =
      predictions(sequence.logits, static_cast<Index>(row), *run.tokenizers.target, 1).front();
  return fmt::format("{} {:.1f}", in_cell(best.token), 100 * best.probability);
}

}  // namespace

Json sentence_json(const InspectedSequence& sequence, const std::string& source,
                   std::optional<Index> number, Index most) {
  const auto heads = static_cast<double>(std::max<std::size_t>(1, sequence.heads.size()));
  const Index shown = std::min(most, static_cast<Index>(std::sqrt(shown_weights / heads)));
  const auto first_of = [shown](const std::vector<std::string>& tokens) {
    return std::vector<std::string>(tokens.begin(),
                                    tokens.begin() + std::min(shown, std::ssize(tokens)));
  };
  Json sentence = number ? Json{{"number", *number}} : Json::object();
  sentence.update({{"source", source},
                   {"source_tokens", first_of(sequence.source_tokens)},
                   {"target_tokens", first_of(sequence.target_tokens)},
                   {"said_tokens", first_of(sequence.said_tokens)},
                   {"source_length", sequence.source_tokens.size()},
                   {"target_length", sequence.target_tokens.size()},
                   {"attentions", attentions_json(sequence, [shown](const RecordedAttention& seen) {
                      return weights_text(seen.weights, shown);
                    })}});
  return sentence;
}

Json inspection_json(const SavedRun& run, const Inspection& inspection, WithTensors with) {
  const auto& [text, sequence, without, walk] = inspection;
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
  if (walk) {
    json["walk"] = with == WithTensors::yes ? walk_json(*walk, rows_json) : walk_json(*walk);
  }
  return json;
}

void write_inspection(const fs::path& path, const SavedRun& run, const Inspection& inspection) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const RecordedAttention& seen : inspection.sequence.heads) {
    for (const auto& [name, tensor] : tensors_of(inspection.sequence, seen)) {
      tensors.emplace_back(fmt::format("{}.{}.{}", seen.site.text(), seen.head, name), tensor);
    }
  }
  tensors.emplace_back("logits", inspection.sequence.logits);
  if (inspection.without) {
    tensors.emplace_back("without.logits", inspection.without->sequence.logits);
  }
  if (inspection.walk) {
    for (const WalkStep& step : inspection.walk->steps) {
      tensors.emplace_back(fmt::format("walk.{}", step.row.key), step.matrix);
    }
  }
  const auto entries =
      mapped(tensors, [](const auto& named) { return tensor_entry(named.first, named.second); });
  const Json json = inspection_json(run, inspection, WithTensors::no);
  write_tensor_file(path, entries, {{"tapehead", json_text(json)}});
}

std::string attention_tables(const Inspection& inspection) {
  const InspectedSequence& sequence = inspection.sequence;
  std::vector<std::string> tables;
  for (std::size_t first = 0; first < sequence.heads.size();) {
    const auto heads =
        std::ranges::count(sequence.heads, sequence.heads[first].site, &RecordedAttention::site);
    tables.push_back(attention_table(sequence, first, static_cast<std::size_t>(heads)));
    first += static_cast<std::size_t>(heads);
  }
  return join(tables, "\n");
}

Json walk_on_page(const HeadWalk& walk) {
  return walk_json(walk,
                   [](const Tensor& matrix) { return first_rows_json(matrix, most_shown_tokens); });
}

Json first_walk(const Model& model, const Batch& batch, const InspectedSequence& seen) {
  const HeadNames heads = heads_of(model.transformer);
  return heads.empty() ? Json() : walk_on_page(walk(model, batch, seen, heads.front()));
}

std::string walk_tables(const HeadWalk& walk) {
  constexpr Index most_rows = 12;
  constexpr Index most_columns = 8;
  const auto label = [&](std::string_view side, Index i) {
    const auto& tokens = side == "query" ? walk.queries : walk.keys;
    return side.empty() ? std::to_string(i) : in_cell(tokens[static_cast<std::size_t>(i)]);
  };
  std::string text;
  for (const auto& [row, formula, matrix] : walk.steps) {
    const Index rows = std::min(most_rows, matrix.dim(0));
    const Index columns = std::min(most_columns, matrix.dim(1));
    std::vector<std::string> header{""};
    for (Index j = 0; j < columns; ++j) {
      header.push_back(label(row.columns, j));
    }
    std::vector<Align> aligned(header.size(), Align::right);
    aligned.front() = Align::left;
    Table table(aligned, header);
    for (Index i = 0; i < rows; ++i) {
      std::vector<std::string> cells{label(row.rows, i)};
      for (Index j = 0; j < columns; ++j) {
        const Scalar number = matrix.row(i)[j];
        cells.push_back(number == minus_infinity ? "-∞" : fmt::format("{:.3f}", number));
      }
      table.row(cells);
    }
    const bool cut = rows * columns < matrix.size();
    text += fmt::format("{}{}{}   {} x {}{}   {}\n{}\n", row.name, formula.empty() ? "" : " = ",
                        formula, matrix.dim(0), matrix.dim(1),
                        cut ? fmt::format(", here {} x {}", rows, columns) : "", row.help,
                        table.text());
  }
  return text;
}

std::string predictions_table(const SavedRun& run, const Inspection& inspection) {
  const InspectedSequence& sequence = inspection.sequence;
  const auto& read = sequence.input_tokens();
  const auto& without = inspection.without;
  const std::string changed = !without ? "" : without->pattern ? "by distance, %" : "without, %";
  Table table({Align::right, Align::left, Align::left, Align::left},
              {"row", "reads", "predicts, %", changed});
  for (std::size_t i = 0; i < sequence.rows.size(); ++i) {
    const Index row = sequence.rows[i];
    std::vector<std::string> cells{std::to_string(row),
                                   in_cell(read[static_cast<std::size_t>(row)]),
                                   likeliest(run, sequence, i)};
    if (without) {
      cells.push_back(likeliest(run, without->sequence, i));
    }
    table.row(cells);
  }
  return table.text() + "\n";
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
