#include "lab/heads/attention_sums.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "lab/heads/head_pairs.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void add_all(std::vector<double>& to, const std::vector<double>& from) {
  to.resize(std::max(to.size(), from.size()));
  std::ranges::transform(from, to, to.begin(), std::plus<>());
}

std::vector<double>& divergence_from(std::vector<EarlierSums>& all, AttentionSite site) {
  const auto found = std::ranges::find(all, site, &EarlierSums::site);
  if (found != all.end()) {
    return found->divergence;
  }
  all.push_back({.site = site, .divergence = {}});
  return all.back().divergence;
}

}  // namespace

std::string_view words_of(AttentionKind kind) {
  constexpr std::array<std::string_view, 3> words{"encoder self", "decoder self", "decoder cross"};
  return words[static_cast<std::size_t>(kind)];
}

void AttentionSums::add(const AttendedSequence& sequence,
                        const std::vector<std::vector<Scalar>>& weights) {
  const std::size_t count = weights.size();
  heads.resize(count);
  divergence.resize(count * count);
  queries += static_cast<double>(sequence.queries.size());
  add_relations(relations, sequence, weights);
  for (std::size_t i = 0; i < count; ++i) {
    heads[i].add(sequence, i, weights[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const double sum = divergence_between(weights[i], weights[j]);
      divergence[i * count + j] += sum;
      divergence[j * count + i] += sum;
    }
  }
}

void AttentionSums::add_written(const std::vector<Tensor>& written) {
  const std::size_t count = written.size();
  output_distance.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double sum = output_distance_between(written[i], written[j]);
      output_distance[i * count + j] += sum;
      output_distance[j * count + i] += sum;
    }
  }
}

void AttentionSums::add_earlier(AttentionSite earlier_site,
                                const std::vector<std::vector<Scalar>>& weights,
                                const std::vector<std::vector<Scalar>>& earlier_weights) {
  std::vector<double>& sums = divergence_from(earlier, earlier_site);
  sums.resize(weights.size() * earlier_weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < earlier_weights.size(); ++j) {
      sums[i * earlier_weights.size() + j] += divergence_between(weights[i], earlier_weights[j]);
    }
  }
}

AttentionSums& AttentionSums::operator+=(const AttentionSums& other) {
  heads.resize(std::max(heads.size(), other.heads.size()));
  queries += other.queries;
  for (std::size_t i = 0; i < other.heads.size(); ++i) {
    heads[i] += other.heads[i];
  }
  add_all(divergence, other.divergence);
  add_all(output_distance, other.output_distance);
  for (const EarlierSums& one : other.earlier) {
    add_all(divergence_from(earlier, one.site), one.divergence);
  }
  add_relations(relations, other.relations);
  return *this;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
