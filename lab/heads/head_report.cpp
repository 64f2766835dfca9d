#include "lab/heads/head_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/heads/pair_report.hpp"
#include "lab/heads/relation_report.hpp"
#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Blank in tables and null in JSON: a figure that cannot be.
std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}", 100 * *share) : "";
}

template <class Number>
nlohmann::ordered_json or_null(const std::optional<Number>& figure) {
  return figure ? nlohmann::ordered_json(*figure) : nlohmann::ordered_json();
}

std::string entropy_text(const HeadFigures& head) {
  return head.entropy ? fmt::format("{:.2f} of {:.2f}", *head.entropy, *head.even_entropy) : "";
}

std::string rank_text(const MapFigures& map) {
  return map.rank ? fmt::format("{:.1f} of {}", *map.rank, map.width) : "";
}

std::string offset_text(const HeadFigures& head) {
  return head.offset ? fmt::format("{:+d}: {} %", *head.offset, percent(head.offset_share)) : "";
}

// The head of the same attention that does most nearly the same.
std::string nearest_text(const HeadReport& head, std::size_t number) {
  std::size_t nearest = number;
  for (std::size_t i = 0; i < head.divergence.size(); ++i) {
    if (i != number && (nearest == number || head.divergence[i] < head.divergence[nearest])) {
      nearest = i;
    }
  }
  return nearest == number ? "" : fmt::format("{:.2f} ({})", head.divergence[nearest], nearest);
}

nlohmann::ordered_json map_json(const MapFigures& map) {
  return {{"norm", map.norm}, {"effective_rank", or_null(map.rank)}, {"width", map.width}};
}

nlohmann::ordered_json head_json(const HeadReport& head, std::size_t number) {
  const HeadFigures& figures = head.figures;
  nlohmann::ordered_json json = {{"head", number},
                                 {"role", name_of(figures.role)},
                                 {"entropy", or_null(figures.entropy)},
                                 {"even_entropy", or_null(figures.even_entropy)},
                                 {"confidence", or_null(figures.confidence)}};
  for (std::size_t i = 0; i < place_names.size(); ++i) {
    json["weight_on"][place_names[i]] = or_null(figures.places[i].share);
    json["even_weight_on"][place_names[i]] = or_null(figures.places[i].even);
  }
  for (Index offset = -reach; offset <= reach; ++offset) {
    json["distance_profile"][fmt::format("{:+d}", offset)] =
        or_null(figures.distance_profile[static_cast<std::size_t>(offset + reach)]);
  }
  json["offset"] = or_null(figures.offset);
  json["offset_share"] = or_null(figures.offset_share);
  json["divergence"] = head.divergence;
  json["output_distance"] = head.output_distance;
  json["divergence_across"] = nlohmann::ordered_json::object();
  for (const auto& [site, divergence] : head.divergence_across) {
    json["divergence_across"][site.text()] = divergence;
  }
  json["nearest"] = nullptr;
  if (head.nearest) {
    json["nearest"] = {{"attention", head.nearest->site.text()},
                       {"head", head.nearest->head},
                       {"divergence", head.nearest->distance}};
  }
  json["query_key"] = nullptr;
  json["value_output"] = nullptr;
  if (head.maps) {
    json["query_key"] = map_json(head.maps->query_key);
    json["query_key"]["asymmetry"] = or_null(head.maps->asymmetry);
    json["value_output"] = map_json(head.maps->value_output);
  }
  return json;
}

nlohmann::ordered_json relations_json(const AttentionReport& attention) {
  auto list = nlohmann::ordered_json::array();
  for (const RelationFigures& relation : attention.relations) {
    auto agreement = nlohmann::ordered_json::array();
    for (const std::optional<double>& of_head : relation.agreement) {
      agreement.push_back(or_null(of_head));
    }
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

std::vector<AttentionReport> report_heads(const std::vector<AttentionSums>& attentions,
                                          const Model& model) {
  const std::vector<const MultiHeadAttention*> modules = model.transformer.attentions();
  std::vector<AttentionReport> reports;
  for (const AttentionSums& attention : attentions) {
    const std::size_t count = attention.heads.size();
    const auto module = std::ranges::find(modules, attention.site, &MultiHeadAttention::site);
    const auto maps = head_maps(model.store, **module);
    AttentionReport report{
        .site = attention.site, .queries = attention.queries, .heads = {}, .relations = {}};
    for (const RelationSums& relation : attention.relations) {
      report.relations.push_back(figures_of(relation));
    }
    for (std::size_t i = 0; i < count; ++i) {
      HeadReport head{.figures = figures_of(attention.heads[i]), .maps = maps[i]};
      for (std::size_t j = 0; j < count; ++j) {
        const double queries = std::max(1.0, attention.queries);
        head.divergence.push_back(attention.divergence[i * count + j] / queries);
        head.output_distance.push_back(attention.output_distance[i * count + j] / queries);
      }
      report.heads.push_back(std::move(head));
    }
    reports.push_back(std::move(report));
  }
  for (const AttentionSums& attention : attentions) {
    compare_with_earlier(reports, attention);
  }
  find_nearest(reports);
  return reports;
}

std::string heads_table(const std::vector<AttentionReport>& attentions) {
  std::vector<Align> columns(17, Align::right);
  columns[0] = columns[2] = columns[16] = Align::left;
  Table table(columns);
  table.row({"attention", "head", "role", "entropy", "confidence", "same position", "previous",
             "next", "first", "last", "punctuation", "rarest", "induction", "duplicate", "offset",
             "nearest", "relation"});
  table.rule();
  for (const AttentionReport& attention : attentions) {
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      const HeadFigures& head = attention.heads[i].figures;
      std::vector<std::string> cells = {i == 0 ? attention.site.text() : "", std::to_string(i),
                                        std::string(name_of(head.role)), entropy_text(head),
                                        percent(head.confidence)};
      for (const PlaceFigures& place : head.places) {
        cells.push_back(percent(place.share));
      }
      cells.push_back(offset_text(head));
      cells.push_back(nearest_text(attention.heads[i], i));
      cells.push_back(relation_text(attention, i));
      table.row(std::move(cells));
    }
  }
  return table.text();
}

std::string maps_table(const std::vector<AttentionReport>& attentions) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right,
               Align::right});
  table.row({"attention", "head", "QK norm", "QK effective rank", "asymmetry", "VO norm",
             "VO effective rank"});
  table.rule();
  for (const AttentionReport& attention : attentions) {
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      const std::optional<HeadMaps>& maps = attention.heads[i].maps;
      const std::string path = i == 0 ? attention.site.text() : "";
      if (!maps) {
        table.row({path, std::to_string(i), "", "", "", "", ""});
        continue;
      }
      table.row({path, std::to_string(i), fmt::format("{:.2f}", maps->query_key.norm),
                 rank_text(maps->query_key),
                 maps->asymmetry ? fmt::format("{:.2f}", *maps->asymmetry) : "",
                 fmt::format("{:.2f}", maps->value_output.norm), rank_text(maps->value_output)});
    }
  }
  return table.text();
}

nlohmann::ordered_json heads_json(const std::vector<AttentionReport>& attentions) {
  auto list = nlohmann::ordered_json::array();
  for (const AttentionReport& attention : attentions) {
    nlohmann::ordered_json json = {{"attention", attention.site.text()},
                                   {"queries", attention.queries}};
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      json["heads"].push_back(head_json(attention.heads[i], i));
    }
    json["relations"] = relations_json(attention);
    list.push_back(std::move(json));
  }
  return list;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
