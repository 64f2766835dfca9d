#include "lab/heads/head_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

AttentionReport& report_of(AttentionReports& reports, AttentionSite site) {
  return *std::ranges::find(reports, site, &AttentionReport::site);
}

// The report of an attention without comparisons to other attentions.
AttentionReport report_on(const AttentionSums& attention, const Model& model,
                          const HeadFigureRows& rows) {
  const auto maps = head_maps(model.store, attention_of(model.transformer, {attention.site, 0}));
  const auto figures = [](const RelationSums& relation) { return figures_of(relation); };
  AttentionReport report{.site = attention.site,
                         .queries = attention.queries,
                         .relations = mapped(attention.relations, figures)};
  const double queries = std::max(1.0, attention.queries);
  const std::size_t count = attention.heads.size();
  for (std::size_t i = 0; i < count; ++i) {
    HeadReport& head = report.heads.emplace_back(
        HeadReport{.figures = figures_of(attention.heads[i], rows), .maps = maps[i]});
    for (std::size_t j = 0; j < count; ++j) {
      head.divergence.push_back(attention.divergence[i * count + j] / queries);
      head.output_distance.push_back(attention.output_distance[i * count + j] / queries);
    }
  }
  return report;
}

Json head_json(const ReportedHead& head, const HeadFigureRows& rows) {
  Json json = {{"head", head.number}};
  for (const HeadFigureRow& row : rows) {
    put(json, row.key, value_of(row, head));
    if (row.even) {
      put(json, "even_" + row.key, or_null(head->figures.at(row.key).even));
    }
  }
  return json;
}

using Leaves = std::map<std::string, std::string>;

// Adds the values in a JSON object, except lists, under dotted names; `names` keeps their order.
void add_leaves(Leaves& leaves, std::vector<std::string>& names, const std::string& group,
                const Json& object) {
  for (const auto& [name, value] : object.items()) {
    const std::string path = group + name;
    if (value.is_object()) {
      add_leaves(leaves, names, path + ".", value);
    } else if (!value.is_array()) {
      leaves[path] = value.is_string() ? value.get<std::string>()
                     : value.is_null() ? ""
                                       : value.dump();
      if (std::ranges::find(names, path) == names.end()) {
        names.push_back(path);
      }
    }
  }
}

}  // namespace

std::optional<NearestHead> nearest_of(AttentionSite site, const std::vector<double>& distances,
                                      std::optional<std::size_t> number) {
  std::optional<NearestHead> nearest;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (i != number && (!nearest || distances[i] < nearest->distance)) {
      nearest = NearestHead{.site = site, .head = i, .distance = distances[i]};
    }
  }
  return nearest;
}

void compare_attentions(AttentionReports& reports, const std::vector<AttentionSums>& attentions) {
  for (const AttentionSums& attention : attentions) {
    AttentionReport& here = report_of(reports, attention.site);
    for (const auto& [earlier, sums] : attention.earlier) {
      AttentionReport& there = report_of(reports, earlier);
      for (std::size_t i = 0; i < here.heads.size(); ++i) {
        for (std::size_t j = 0; j < there.heads.size(); ++j) {
          const double mean = sums[i * there.heads.size() + j] / std::max(1.0, attention.queries);
          here.heads[i].divergence_across[earlier].push_back(mean);
          there.heads[j].divergence_across[attention.site].push_back(mean);
        }
      }
    }
  }
  for (AttentionReport& attention : reports) {
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      HeadReport& head = attention.heads[i];
      head.nearest = nearest_of(attention.site, head.divergence, i);
      for (const auto& [site, distances] : head.divergence_across) {
        const auto other = nearest_of(site, distances);
        if (other && (!head.nearest || other->distance < head.nearest->distance)) {
          head.nearest = other;
        }
      }
    }
  }
}

AttentionReports study_heads(const Model& model, const Config& config, const Task& task,
                             const Source& source, Workers& workers, const HeadFigureRows& rows,
                             const OnProgress& progress) {
  expect_figure_rows(rows);
  const std::vector<AttentionSums> attentions =
      watch_heads(model.transformer, model.store, source, token_facts(task),
                  config.evaluation.batch_tokens, workers, progress, rows);
  AttentionReports reports = mapped(attentions, [&](const AttentionSums& attention) {
    return report_on(attention, model, rows);
  });
  compare_attentions(reports, attentions);
  return reports;
}

std::string heads_table(const AttentionReports& attentions, HeadTable which,
                        const HeadFigureRows& rows) {
  using Head = ReportedHead;
  const auto site = [](const Head& head) {
    return head.number == 0 ? head.attention.site.text() : "";
  };
  HeadFigureRows columns{
      {.column = "attention", .of = site, .format = as_words},
      {.column = "head", .of = [](const Head& head) { return head.number; }, .format = "{}"}};
  std::ranges::copy_if(rows, std::back_inserter(columns), [&](const HeadFigureRow& row) {
    return row.table == which && row.printed && !row.column.empty();
  });
  return table_of(columns, heads_of(attentions));
}

Json heads_json(const AttentionReports& reports, const HeadFigureRows& rows) {
  return mapped(reports, [&](const AttentionReport& attention) {
    Json json = {{"attention", attention.site.text()}, {"queries", attention.queries}};
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      json["heads"].push_back(head_json({attention, i}, rows));
    }
    json["relations"] = mapped(attention.relations, [](const RelationFigures& relation) -> Json {
      return {{"name", relation.name},
              {"queries", relation.queries},
              {"random", relation.random},
              {"offset", relation.offset},
              {"offset_share", relation.offset_share},
              {"agreement", mapped(relation.agreement, or_null<double>)}};
    });
    return json;
  });
}

std::string heads_csv(const AttentionReports& attentions) {
  std::vector<std::string> names{"attention", "stack", "layer", "kind"};
  std::vector<Leaves> heads;
  for (const ReportedHead& head : heads_of(attentions)) {
    const AttentionSite site = head.attention.site;
    heads.push_back({{"attention", site.text()},
                     {"stack", std::string(name_of(site.stack()))},
                     {"layer", std::to_string(site.layer)},
                     {"kind", site.is_self() ? "self" : "cross"}});
    add_leaves(heads.back(), names, "", head_json(head, head_figure_rows()));
  }
  // A name can be a value for one head and a group for another; such a name gets no column.
  const std::vector<std::string> all = names;
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(
        all, [&](const std::string& other) { return other.starts_with(name + "."); });
  });
  std::string text = csv_line(names);
  for (Leaves& head : heads) {
    text += csv_line(mapped(names, [&](const std::string& name) { return head[name]; }));
  }
  return text;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
