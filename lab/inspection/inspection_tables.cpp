// An inspection as tables for a terminal.

#include "core/shown.hpp"
#include "core/text.hpp"
#include "lab/inspection/inspection.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

const std::vector<std::string>& tokens_of(const InspectedSequence& sequence,
                                          std::string_view side) {
  return side == "source" ? sequence.source_tokens : sequence.target_tokens;
}

std::string in_cell(const std::string& token) {
  return token == "\n" ? std::string("\\n") : printable(token);
}

// "king 87", and nothing for a query that attends to no key.
std::string strongest(const Tensor& weights, Index query, const std::vector<std::string>& keys) {
  const Scalar* row = weights.row(query);
  const Scalar* largest = std::max_element(row, row + weights.dim(1));
  if (weights.dim(1) == 0 || *largest <= 0) {
    return "";
  }
  return fmt::format("{} {:.0f}", in_cell(keys[static_cast<std::size_t>(largest - row)]),
                     100 * static_cast<double>(*largest));
}

// The heads of one attention, which follow each other.
std::string attention_table(const InspectedSequence& sequence, std::size_t first,
                            std::size_t heads) {
  const AttentionSite& site = sequence.heads[first].site;
  const auto& queries = tokens_of(sequence, query_side(site));
  const auto& keys = tokens_of(sequence, key_side(site));
  Table table(std::vector<Align>(heads + 1, Align::left));
  std::vector<std::string> header{"query"};
  for (std::size_t head = 0; head < heads; ++head) {
    header.push_back(fmt::format("head {}", head));
  }
  table.row(header);
  table.rule();
  for (std::size_t query = 0; query < queries.size(); ++query) {
    std::vector<std::string> cells{in_cell(queries[query])};
    for (std::size_t head = 0; head < heads; ++head) {
      cells.push_back(
          strongest(sequence.heads[first + head].weights, static_cast<Index>(query), keys));
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

std::string attention_tables(const Inspection& inspection) {
  const InspectedSequence& sequence = inspection.sequence;
  std::vector<std::string> tables;
  for (std::size_t first = 0; first < sequence.heads.size();) {
    std::size_t end = first + 1;
    while (end < sequence.heads.size() && sequence.heads[end].site == sequence.heads[first].site) {
      ++end;
    }
    tables.push_back(attention_table(sequence, first, end - first));
    first = end;
  }
  return join(tables, "\n");
}

std::string predictions_table(const SavedRun& run, const Inspection& inspection) {
  const InspectedSequence& sequence = inspection.sequence;
  const auto& read = sequence.input_tokens();
  Table table({Align::right, Align::left, Align::left, Align::left});
  const auto& without = inspection.without;
  const std::string changed = !without ? "" : without->pattern ? "by distance, %" : "without, %";
  table.row({"row", "reads", "predicts, %", changed});
  table.rule();
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
