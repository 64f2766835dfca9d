#include "lab/heads/pair_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "train/output/text_table.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

AttentionReport* report_of(std::vector<AttentionReport>& reports, AttentionSite site) {
  const auto found = std::ranges::find(reports, site, &AttentionReport::site);
  return found == reports.end() ? nullptr : &*found;
}

// Head `number` itself is left out if it is among these.
std::optional<NearestHead> nearest_of(AttentionSite site, const std::vector<double>& distances,
                                      std::optional<std::size_t> number = {}) {
  std::optional<NearestHead> nearest;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (i != number && (!nearest || distances[i] < nearest->distance)) {
      nearest = NearestHead{.site = site, .head = i, .distance = distances[i]};
    }
  }
  return nearest;
}

void take_nearer(std::optional<NearestHead>& nearest, const std::optional<NearestHead>& other) {
  if (other && (!nearest || other->distance < nearest->distance)) {
    nearest = other;
  }
}

// Of one head to all others of its attention.
std::string mean_text(const std::vector<double>& distances) {
  if (distances.size() < 2) {
    return "";
  }
  const double sum = std::accumulate(distances.begin(), distances.end(), 0.0);
  return fmt::format("{:.2f}", sum / static_cast<double>(distances.size() - 1));
}

std::vector<std::string> cells_of(const AttentionReport& attention, std::size_t number) {
  const HeadReport& head = attention.heads[number];
  const auto output = nearest_of(attention.site, head.output_distance, number);
  return {number == 0 ? attention.site.text() : "",
          std::to_string(number),
          mean_text(head.divergence),
          head.nearest ? fmt::format("{:.2f}", head.nearest->distance) : "",
          head.nearest ? fmt::format("{} {}", head.nearest->site.text(), head.nearest->head) : "",
          mean_text(head.output_distance),
          output ? fmt::format("{:.2f} ({})", output->distance, output->head) : ""};
}

}  // namespace

void compare_with_earlier(std::vector<AttentionReport>& reports, const AttentionSums& attention) {
  AttentionReport* here = report_of(reports, attention.site);
  for (const EarlierSums& earlier : attention.earlier) {
    AttentionReport* there = report_of(reports, earlier.site);
    for (std::size_t i = 0; i < here->heads.size(); ++i) {
      for (std::size_t j = 0; j < there->heads.size(); ++j) {
        const double mean =
            earlier.divergence[i * there->heads.size() + j] / std::max(1.0, attention.queries);
        here->heads[i].divergence_across[earlier.site].push_back(mean);
        there->heads[j].divergence_across[attention.site].push_back(mean);
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
        take_nearer(head.nearest, nearest_of(site, distances));
      }
    }
  }
}

std::string pairs_table(const std::vector<AttentionReport>& attentions) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::left, Align::right,
               Align::right});
  table.row({"attention", "head", "weights", "nearest", "of all layers", "outputs", "nearest"});
  table.rule();
  for (const AttentionReport& attention : attentions) {
    for (std::size_t i = 0; i < attention.heads.size(); ++i) {
      table.row(cells_of(attention, i));
    }
  }
  return table.text();
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
