#include "lab/heads/head_history.hpp"

#include "train/run/checkpoints.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// The first step from which on `holds` is true at every moment until the end.
template <class Holds>
Index since(const HeadHistory& history, const Holds& holds) {
  Index step = history.back().step;
  for (const HeadMoment& moment : history | std::views::reverse) {
    if (!holds(moment)) {
      break;
    }
    step = moment.step;
  }
  return step;
}

}  // namespace

HeadHistory head_history(const fs::path& run, const Task& task, const Split& split,
                         Workers& workers, const OnProgress& progress, const HeadFigureRows& rows) {
  const Checkpoints checkpoints(RunFiles{run}.checkpoints(), "step");
  std::vector<Index> steps = checkpoints.steps();
  std::ranges::reverse(steps);
  if (steps.size() < 2) {
    throw IoError(
        "run {} keeps {} checkpoint{} of its steps, but a history needs two: train with "
        "training.checkpoint_keep, and with training.checkpoint_every for the number of steps "
        "between checkpoints",
        run.string(), steps.size(), steps.size() == 1 ? "" : "s");
  }
  HeadHistory history;
  for (const Index step : steps) {
    if (progress) {
      progress(std::ssize(history), std::ssize(steps));
    }
    const SavedRun saved(run, checkpoints.file(step).string());
    history.push_back({.step = step, .attentions = saved.use([&] {
                         return study_heads(saved.model, saved.config, task, *split.source, workers,
                                            rows);
                       })});
  }
  return history;
}

std::vector<RoleSince> roles_since(const HeadHistory& history) {
  std::vector<RoleSince> list;
  const std::vector<ReportedHead> last = heads_of(history.back().attentions);
  for (std::size_t i = 0; i < last.size(); ++i) {
    const Role role = last[i]->figures.role;
    const auto has_it = [&](const HeadMoment& moment) {
      return heads_of(moment.attentions)[i]->figures.role == role;
    };
    if (role != Role::none) {
      list.push_back({.head = head_at(last[i].attention.site, last[i].number),
                      .role = role,
                      .step = since(history, has_it)});
    }
  }
  return list;
}

std::vector<RelationSince> relations_since(const HeadHistory& history) {
  std::vector<RelationSince> list;
  for (const BestHead& best : best_heads(history.back().attentions)) {
    if (!(best.agreement() >= follows)) {
      continue;
    }
    const auto follows_it = [&](const HeadMoment& moment) {
      const auto& relations =
          std::ranges::find(moment.attentions, best.site, &AttentionReport::site)->relations;
      const auto now = std::ranges::find(relations, best.relation.name, &RelationFigures::name);
      return now != relations.end() && now->agreement[best.head] >= follows;
    };
    list.push_back({.relation = best.relation.name,
                    .head = head_at(best.site, best.head),
                    .agreement = *best.agreement(),
                    .step = since(history, follows_it)});
  }
  return list;
}

std::string history_text(const HeadHistory& history) {
  std::string text;
  for (const RoleSince& one : roles_since(history)) {
    text += fmt::format("{}: {} from step {} on\n", one.head.text(), name_of(one.role), one.step);
  }
  for (const RelationSince& one : relations_since(history)) {
    text += fmt::format("\"{}\": {} follows it from step {} on ({} of the queries at the end)\n",
                        one.relation, one.head.text(), one.step, format_share(one.agreement));
  }
  return text.empty() ? "no head has a role at the end\n" : text;
}

std::string history_table(const HeadHistory& history) {
  const std::vector<BestHead> last = best_heads(history.back().attentions);
  if (last.empty()) {
    return "";
  }
  std::vector<std::string> header{"step"};
  for (const BestHead& best : last) {
    header.push_back(best.relation.name);
  }
  Table table(std::vector<Align>(header.size(), Align::right), header);
  for (const HeadMoment& moment : history) {
    std::vector<std::string> cells{std::to_string(moment.step)};
    for (const BestHead& best : best_heads(moment.attentions)) {
      cells.push_back(best.agreement() ? format_share(*best.agreement()) : "");
    }
    table.row(cells);
  }
  return table.text() + "\n";
}

Json history_json(const HeadHistory& history) {
  const auto role = [](const RoleSince& one) -> Json {
    return {{"head", one.head.text()}, {"role", name_of(one.role)}, {"step", one.step}};
  };
  const auto relation = [](const RelationSince& one) -> Json {
    return {{"relation", one.relation},
            {"head", one.head.text()},
            {"agreement", one.agreement},
            {"step", one.step}};
  };
  const auto step = [](const HeadMoment& moment) -> Json {
    return {{"step", moment.step}, {"attentions", heads_json(moment.attentions)}};
  };
  return {{"roles", mapped(roles_since(history), role)},
          {"relations", mapped(relations_since(history), relation)},
          {"steps", mapped(history, step)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
