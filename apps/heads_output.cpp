#include "apps/heads_output.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files/standard_streams.hpp"
#include "lab/heads/attention_report.hpp"
#include "lab/heads/head_report.hpp"
#include "lab/removal/removal_report.hpp"
#include "train/output/figures.hpp"
#include "train/output/program_path.hpp"

namespace tapehead {

namespace {

nlohmann::ordered_json findings_json(const HeadsRequest& request, const SavedRun& saved,
                                     const Split& split, const HeadFindings& found) {
  nlohmann::ordered_json object = {{"run", request.run.string()},
                                   {"checkpoint", saved.checkpoint.string()},
                                   {"split", split.name},
                                   {"examples", split.size()},
                                   {"attentions", heads_json(found.heads)}};
  if (!found.gates.empty()) {
    object["gates"] = json_of(gate_rows(), found.gates);
  }
  if (found.importance) {
    object["importance"] = importance_json(*found.importance);
  }
  if (found.pruning) {
    object["pruning"] = pruning_json(*found.pruning);
  }
  return object;
}

// The options of this call that say which checkpoint and which data.
std::string choices(const HeadsRequest& request) {
  std::string options;
  const auto add = [&](const char* option, const std::string& value) {
    options += value.empty() ? "" : fmt::format(" {} {}", option, shell_word(value));
  };
  add("--split", request.split == HeadsRequest().split ? "" : request.split);
  add("--checkpoint", request.checkpoint);
  add("--data", request.data.directory.string());
  return options + (request.data.other ? " --other-data" : "");
}

// The command that shows or makes what is to be looked at next, with the same checkpoint and data.
std::string command_for(const HeadsRequest& request, NextStep step) {
  const std::string run = shell_word(request.run.string());
  const std::string name = (request.run / "").parent_path().string();  // without a last slash
  const std::string smaller = run + " " + shell_word(name + "-small");
  switch (step) {
    case NextStep::importance:
      return "heads " + run + " --importance" + choices(request);
    case NextStep::pruning:
      return "heads " + run + " --prune" + choices(request);
    case NextStep::closed_heads_gone:
      return "prune " + smaller + " --closed" + choices(request);
    case NextStep::spare_heads_gone:
      return "prune " + smaller + choices(request);
  }
  return "";
}

void print_conclusions(const HeadsRequest& request, const HeadFindings& found) {
  for (const std::string& line : conclusions(found)) {
    write_output(line + "\n");
  }
  const std::string program = program_path();
  if (const auto look = next_look(found)) {
    write_output(fmt::format("look next: {} {} ({})\n", program, command_for(request, look->step),
                             look->why));
  }
  if (!request.all) {
    write_output(fmt::format("all figures: {} heads {} --all{}\n", program,
                             shell_word(request.run.string()), choices(request)));
  }
}

void print_tables(const HeadsRequest& request, const HeadFindings& found) {
  std::vector<std::string> tables;
  if (request.all) {
    tables = {heads_table(found.heads), heads_table(found.heads, HeadTable::matrices),
              heads_table(found.heads, HeadTable::pairs), relations_table(found.heads)};
    tables.push_back(found.gates.empty() ? "" : table_of(gate_rows(), found.gates));
  }
  tables.push_back(found.importance ? importance_table(*found.importance) : "");
  tables.push_back(found.pruning ? pruning_table(*found.pruning) : "");
  std::erase(tables, "");
  for (const std::string& table : tables) {
    write_output(fmt::format("\n{}\n", table));
  }
  if (!tables.empty()) {
    write_output("\n");
  }
  write_output(fmt::format("what the words and columns mean: {} heads --legend\n", program_path()));
}

}  // namespace

void write_findings(const HeadsRequest& request, const SavedRun& saved, const Split& split,
                    const HeadFindings& found) {
  const nlohmann::ordered_json object = findings_json(request, saved, split, found);
  saved.use([&] { expect_figures(object); });
  if (request.json || request.csv) {
    write_output(request.json ? object.dump() + "\n" : heads_csv(found.heads));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples)\n\n", saved.checkpoint.string(), split.name,
                           split.size()));
  print_conclusions(request, found);
  print_tables(request, found);
}

void write_history(const HeadsRequest& request, const Split& split, const HeadHistory& history) {
  if (request.json) {
    nlohmann::ordered_json object = {
        {"run", request.run.string()}, {"split", split.name}, {"examples", split.size()}};
    object.update(history_json(history));
    write_output(fmt::format("{}\n", object.dump()));
    return;
  }
  write_output(fmt::format("{} on {} ({} examples), {} checkpoints of steps {} to {}\n\n",
                           request.run.string(), split.name, split.size(), history.size(),
                           history.front().step, history.back().step));
  write_output(history_text(history));
  if (const std::string table = history_table(history); request.all && !table.empty()) {
    write_output("\nqueries in which the best head agrees with a relation:\n" + table);
  }
}

}  // namespace tapehead
