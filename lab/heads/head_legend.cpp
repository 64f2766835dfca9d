#include "lab/heads/head_report.hpp"

#include "lab/heads/attention_report.hpp"
#include "lab/removal/head_importance.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

struct HeadTerm {
  std::string column;  // in the terminal's tables; empty: not in them
  std::string key;     // in a head's JSON, such as "weight_on.previous"; empty: not in pages
  std::string meaning;
  std::string page_name{};  // the column's name in pages; empty: as `column`
  std::string json{};       // the names of the figure in JSON
  std::string sweep{};      // the name of the figure in sweeps
  bool share = false;       // a number from 0 to 1
};

// The columns of one table.
struct LegendPart {
  std::string title;
  std::vector<HeadTerm> terms{};
};

LegendPart part_of(std::string title, HeadTable table, const std::vector<HeadFigureRow>& rows) {
  LegendPart part{.title = std::move(title)};
  if (table == HeadTable::weights) {
    part.terms = {{"attention", "", "the attention that the heads belong to"},
                  {"head", "", "the head's number in its attention, from 0"}};
  }
  for (const HeadFigureRow& row : rows) {
    if (row.table == table && !row.help.empty()) {
      part.terms.push_back({row.printed ? row.column : "", row.column.empty() ? "" : row.key,
                            row.help, row.column,
                            row.even ? fmt::format("{0}`, `even_{0}", row.key) : row.key, row.sweep,
                            row.format == as_percent});
    }
  }
  return part;
}

template <class Of>
LegendPart with_terms(LegendPart part, const std::vector<FigureRow<Of>>& rows) {
  for (const FigureRow<Of>& row : rows) {
    if (!row.help.empty()) {
      part.terms.push_back({row.column, "", row.help, "", row.key});
    }
  }
  return part;
}

LegendPart importance_part() {
  LegendPart part =
      with_terms({.title = "which heads matter (--importance, --prune, gates)",
                  .terms = {{"", "loss_without",
                             "how much the mean loss of a target token grows with the head gone",
                             "loss without"}}},
                 importance_rows());
  part.terms.back().key = "importance";
  return with_terms(with_terms(std::move(part), pruning_rows()), gate_rows());
}

// A row of a Markdown table; names are in backticks.
std::string markdown_row(const std::vector<std::string>& names, const std::string& text) {
  std::string row;
  for (const std::string& name : names) {
    row += name.empty() ? "| " : fmt::format("| `{}` ", name);
  }
  row += "| ";
  for (const char c : text) {
    row += c == '|' ? "\\|" : std::string(1, c);
  }
  return row + " |\n";
}

std::vector<LegendPart> head_legend(const std::vector<HeadFigureRow>& rows) {
  return {part_of("weights: means over the queries, the positions from which a head looks",
                  HeadTable::weights, rows),
          part_of("weight matrices", HeadTable::matrices, rows),
          part_of("pairs of heads", HeadTable::pairs, rows),
          with_terms({.title = "relations that the task knows"}, relation_rows()),
          importance_part()};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> role_legend() {
  constexpr RoleThresholds least{};
  const std::string offset =
      fmt::format("for {} of the queries that have a key there", format_share(least.positional));
  const auto lifted = [](double share, const char* where, double lift) {
    return fmt::format("{} of the weight {}, and {:.0f} times as much as an even spread has there",
                       format_share(share), where, lift);
  };
  return {
      {"previous token", "the largest weight is on the position before " + offset},
      {"next token", "the largest weight is on the position after " + offset},
      {"positional", "the largest weight is at another offset " + offset},
      {"induction", lifted(least.induction, "on keys behind earlier occurrences of the same token",
                           least.induction_lift)},
      {"duplicate token",
       lifted(least.duplicate, "on earlier occurrences of the same token", least.duplicate_lift)},
      {"rare token", lifted(least.rare, "on the rarest key", least.rare_lift)},
      {"first token", lifted(least.first, "on the first key", least.first_lift)},
      {"idle", format_share(least.idle) + " of the weight on the first and the last key together"},
      {"content",
       fmt::format("entropy at most {} of that of an even spread", format_share(least.content))},
  };
}

std::string legend_text(const std::vector<HeadFigureRow>& rows) {
  std::string text;
  for (const LegendPart& part : head_legend(rows)) {
    Table table({Align::left, Align::left});
    for (const HeadTerm& term : part.terms) {
      if (!term.column.empty()) {
        table.row({term.column, term.meaning});
      }
    }
    text += fmt::format("{}\n{}\n\n", part.title, table.text());
  }
  Table roles({Align::left, Align::left});
  for (const auto& [role, threshold] : role_legend()) {
    roles.row({role, threshold});
  }
  return text + fmt::format("roles: the first whose threshold is reached\n{}", roles.text());
}

std::string legend_reference() {
  std::string text =
      "# The figures of heads\n\n"
      "This page is generated by `tapehead heads --reference`; a test fails when it is stale.\n"
      "[heads.md](heads.md) says how the figures are measured and read.\n\n"
      "The columns are those of `tapehead heads`, with `--all`, `--importance` or `--prune`, and "
      "of\n"
      "the page of a run. In `--json` a name is a path in the object of a head, or of a step of\n"
      "`pruning`. In [sweeps](sweeps.md#the-results) a name stands behind the kind of attention,\n"
      "`cross.entropy`, and is a mean over the heads of all layers that have the figure, or over\n"
      "the pairs of heads of one attention. Shares are percent in tables, and from 0 to 1 in JSON\n"
      "and in sweeps. A head that has no such figure is blank in tables and null in JSON.\n";
  for (const LegendPart& part : head_legend(head_figure_rows())) {
    text += fmt::format("\n## {}\n\n| column | JSON | in sweeps | meaning |\n|---|---|---|---|\n",
                        part.title);
    for (const HeadTerm& term : part.terms) {
      const std::string& column = term.column.empty() ? term.page_name : term.column;
      text += markdown_row({column, term.json, term.sweep}, term.meaning);
    }
  }
  text += "\n## roles: the first whose threshold is reached\n\n| role | threshold |\n|---|---|\n";
  for (const auto& [role, threshold] : role_legend()) {
    text += fmt::format("| {} | {} |\n", role, threshold);
  }
  return text;
}

Json legend_json(const std::vector<HeadFigureRow>& rows) {
  Json columns = Json::array();
  for (const LegendPart& part : head_legend(rows)) {
    for (const HeadTerm& term : part.terms) {
      if (!term.key.empty()) {
        columns.push_back({{"key", term.key},
                           {"name", term.page_name.empty() ? term.column : term.page_name},
                           {"meaning", term.meaning},
                           {"share", term.share}});
      }
    }
  }
  Json roles = Json::array();
  for (const auto& [role, threshold] : role_legend()) {
    roles.push_back({{"role", role}, {"meaning", threshold}});
  }
  return {{"columns", columns}, {"roles", roles}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
