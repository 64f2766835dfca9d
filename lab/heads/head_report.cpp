#include "lab/heads/head_report.hpp"
#include "core/files/json_text.hpp"

#include "lab/figure_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

AttentionReport& report_of(std::vector<AttentionReport>& reports, AttentionSite site) {
  return *std::ranges::find(reports, site, &AttentionReport::site);
}

// The report of an attention without comparisons to other attentions.
AttentionReport report_on(const AttentionSums& attention, const Model& model,
                          const std::vector<HeadFigureRow>& rows) {
  const std::vector<const MultiHeadAttention*> modules = model.transformer.attentions();
  const auto module = std::ranges::find(modules, attention.site, &MultiHeadAttention::site);
  const auto maps = head_maps(model.store, **module);
  AttentionReport report{.site = attention.site, .queries = attention.queries};
  for (const RelationSums& relation : attention.relations) {
    report.relations.push_back(figures_of(relation));
  }
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

Json head_json(const ReportedHead& head, const std::vector<HeadFigureRow>& rows) {
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

Json relations_json(const AttentionReport& attention) {
  auto list = Json::array();
  for (const RelationFigures& relation : attention.relations) {
    auto agreement = Json::array();
    std::ranges::transform(relation.agreement, std::back_inserter(agreement), or_null<double>);
    list.push_back({{"name", relation.name},
                    {"queries", relation.queries},
                    {"random", relation.random},
                    {"offset", relation.offset},
                    {"offset_share", relation.offset_share},
                    {"agreement", agreement}});
  }
  return list;
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

void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention) {
  AttentionReport& here = report_of(reports, attention.site);
  for (const EarlierSums& earlier : attention.earlier) {
    AttentionReport& there = report_of(reports, earlier.site);
    for (std::size_t i = 0; i < here.heads.size(); ++i) {
      for (std::size_t j = 0; j < there.heads.size(); ++j) {
        const double mean =
            earlier.divergence[i * there.heads.size() + j] / std::max(1.0, attention.queries);
        here.heads[i].divergence_across[earlier.site].push_back(mean);
        there.heads[j].divergence_across[attention.site].push_back(mean);
      }
    }
  }
}

void find_nearest(std::vector<AttentionReport>& reports) {
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

std::vector<AttentionReport> study_heads(const Model& model, const Config& config, const Task& task,
                                         const Source& source, Workers& workers,
                                         const std::vector<HeadFigureRow>& rows,
                                         const std::function<void(Index, Index)>& progress) {
  expect_figure_rows(rows);
  const std::vector<AttentionSums> attentions =
      watch_heads(model.transformer, model.store, source, token_facts(task),
                  config.evaluation.batch_tokens, workers, progress, rows);
  std::vector<AttentionReport> reports;
  for (const AttentionSums& attention : attentions) {
    reports.push_back(report_on(attention, model, rows));
  }
  for (const AttentionSums& attention : attentions) {
    compare_with_earlier(reports, attention);
  }
  find_nearest(reports);
  return reports;
}

std::string heads_table(const std::vector<AttentionReport>& attentions, HeadTable which,
                        const std::vector<HeadFigureRow>& rows) {
  using Head = ReportedHead;
  const auto site = [](const Head& head) {
    return head.number == 0 ? head.attention.site.text() : "";
  };
  std::vector<HeadFigureRow> columns{
      {.key = "", .column = "attention", .of = site, .format = as_words},
      {.key = "",
       .column = "head",
       .of = [](const Head& head) { return head.number; },
       .format = "{}"}};
  std::ranges::copy_if(rows, std::back_inserter(columns), [&](const HeadFigureRow& row) {
    return row.table == which && row.printed && !row.column.empty();
  });
  return table_of(columns, heads_of(attentions));
}

Json heads_json(const std::vector<AttentionReport>& attentions,
                const std::vector<HeadFigureRow>& rows) {
  auto list = Json::array();
  for (const AttentionReport& attention : attentions) {
    Json json = {{"attention", attention.site.text()}, {"queries", attention.queries}};
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      json["heads"].push_back(head_json({attention, i}, rows));
    }
    json["relations"] = relations_json(attention);
    list.push_back(std::move(json));
  }
  return list;
}

std::string heads_csv(const std::vector<AttentionReport>& attentions) {
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
    std::vector<std::string> line;
    for (const std::string& name : names) {
      line.push_back(head[name]);
    }
    text += csv_line(line);
  }
  return text;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
