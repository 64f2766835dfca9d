#include "lab/heads/head_figures.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

std::size_t offset_number(Index query, Index key) {
  return static_cast<std::size_t>(std::clamp<Index>(key - query, -reach, reach) + reach);
}

void add_query(HeadSums& sums, const AttendedQuery& at, const HeadFigureRows& rows) {
  sums.queries += 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto figure = rows[i].of_query ? rows[i].of_query(at) : std::nullopt) {
      sums.means[i] += {.queries = 1, .value = figure->value, .even = figure->even};
    }
  }
  std::array<bool, static_cast<std::size_t>(offsets)> there{};
  for (const Index key : at.keys) {
    sums.offset_weight[offset_number(at.query, key)] += at.weight(key);
    there[offset_number(at.query, key)] = true;
  }
  for (std::size_t i = 0; i < there.size(); ++i) {
    sums.offset_queries[i] += there[i] ? 1 : 0;
  }
  const auto largest = std::ranges::max_element(at.weights);
  sums.offset_chosen[offset_number(at.query, largest - at.weights.begin())] += 1;
}

// Adds item by item. A shorter list grows first.
template <class Sums>
void add_all(Sums& to, const Sums& from) {
  if constexpr (requires { to.resize(from.size()); }) {
    to.resize(std::max(to.size(), from.size()));
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] += from[i];
  }
}

// Adds the distance of each pair of heads, in both orders.
template <class Of, class Distance>
void add_distances(std::vector<double>& sums, const std::vector<Of>& heads,
                   const Distance& distance) {
  const std::size_t count = heads.size();
  sums.resize(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double between = distance(heads[i], heads[j]);
      sums[i * count + j] += between;
      sums[j * count + i] += between;
    }
  }
}

std::optional<double> ratio(double sum, double count) {
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Role role_of(const HeadFigures& head) {
  constexpr RoleThresholds least{};
  if (head.offset_share >= least.positional) {
    return head.offset == -1 ? Role::previous : head.offset == 1 ? Role::next : Role::positional;
  }
  for (const auto& [role, place, share, lift] :
       {std::tuple(Role::induction, "weight_on.induction", least.induction, least.induction_lift),
        std::tuple(Role::duplicate, "weight_on.duplicate", least.duplicate, least.duplicate_lift),
        std::tuple(Role::rare, "weight_on.rarest", least.rare, least.rare_lift),
        std::tuple(Role::first, "weight_on.first", least.first, least.first_lift)}) {
    const MeanFigure at = head.at(place);
    if (at.value >= share && at.value >= lift * *at.even) {
      return role;
    }
  }
  const auto weight_on = [&](std::string_view end) { return head.at(end).value.value_or(0); };
  if (weight_on("weight_on.first") + weight_on("weight_on.last") >= least.idle) {
    return Role::idle;
  }
  const MeanFigure entropy = head.at("entropy");
  return entropy.even > 0 && entropy.value <= least.content * *entropy.even ? Role::content
                                                                            : Role::none;
}

}  // namespace

double dot_product(const Scalar* a, const Scalar* b, Index count) {
  double sum = 0;
  for (Index c = 0; c < count; ++c) {
    sum += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  }
  return sum;
}

// The Jensen-Shannon divergence: Σ_queries H((p + q) / 2) - (H(p) + H(q)) / 2.
double divergence_between(std::span<const Scalar> p, std::span<const Scalar> q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto a = static_cast<double>(p[i]);
    const auto b = static_cast<double>(q[i]);
    sum += (entropy_term(a) + entropy_term(b)) / 2 - entropy_term((a + b) / 2);
  }
  return std::max(0.0, sum);
}

Tensor unit_rows(const Tensor& x) {
  Tensor unit = Tensor::empty(x.shape());
  const Index columns = x.dim(1);
  for (Index i = 0; i < x.dim(0); ++i) {
    const double length = std::sqrt(dot_product(x.row(i), x.row(i), columns));
    for (Index c = 0; c < columns; ++c) {
      const double value = static_cast<double>(x.row(i)[c]);
      unit.row(i)[c] = static_cast<Scalar>(length > 0 ? value / length : 0);
    }
  }
  return unit;
}

double output_distance_between(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (Index i = 0; i < a.dim(0); ++i) {
    sum += std::max(0.0, 1 - dot_product(a.row(i), b.row(i), a.dim(1)));
  }
  return sum;
}

MeanSum& MeanSum::operator+=(const MeanSum& other) {
  queries += other.queries;
  value += other.value;
  even += other.even;
  return *this;
}

void HeadSums::add(const AttendedSequence& sequence, std::size_t head,
                   std::span<const Scalar> weights, const HeadFigureRows& rows) {
  means.resize(rows.size());
  const std::size_t columns = sequence.keys.size();
  for (std::size_t i = 0; i < sequence.queries.size(); ++i) {
    const auto query = static_cast<Index>(i);
    const std::vector<Index> keys = sequence.keys_for(head, query);
    if (!keys.empty()) {
      add_query(*this, {sequence, query, keys, weights.subspan(i * columns, columns)}, rows);
    }
  }
}

HeadSums& HeadSums::operator+=(const HeadSums& other) {
  queries += other.queries;
  add_all(means, other.means);
  add_all(offset_queries, other.offset_queries);
  add_all(offset_weight, other.offset_weight);
  add_all(offset_chosen, other.offset_chosen);
  return *this;
}

void AttentionSums::add(const AttendedSequence& sequence, const WeightsByHead& weights,
                        const HeadFigureRows& rows) {
  heads.resize(weights.size());
  queries += static_cast<double>(sequence.queries.size());
  add_relations(relations, sequence, weights);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    heads[i].add(sequence, i, weights[i], rows);
  }
  add_distances(divergence, weights, divergence_between);
}

void AttentionSums::add_written(const std::vector<Tensor>& written) {
  add_distances(output_distance, written, output_distance_between);
}

void AttentionSums::add_earlier(AttentionSite earlier_site, const WeightsByHead& weights,
                                const WeightsByHead& earlier_weights) {
  std::vector<double>& sums = earlier[earlier_site];
  sums.resize(weights.size() * earlier_weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < earlier_weights.size(); ++j) {
      sums[i * earlier_weights.size() + j] += divergence_between(weights[i], earlier_weights[j]);
    }
  }
}

AttentionSums& AttentionSums::operator+=(const AttentionSums& other) {
  queries += other.queries;
  add_all(heads, other.heads);
  add_all(divergence, other.divergence);
  add_all(output_distance, other.output_distance);
  for (const auto& [earlier_site, sums] : other.earlier) {
    add_all(earlier[earlier_site], sums);
  }
  add_relations(relations, other.relations);
  return *this;
}

HeadFigures figures_of(const HeadSums& sums, const HeadFigureRows& rows) {
  HeadFigures head;
  for (std::size_t i = 0; i < sums.means.size(); ++i) {
    const MeanSum& mean = sums.means[i];
    const bool nowhere = rows[i].format == as_percent && rows[i].even && mean.even == 0;
    if (mean.queries > 0 && !nowhere) {
      head.means[rows[i].key] = {.value = ratio(mean.value, mean.queries),
                                 .even = ratio(mean.even, mean.queries)};
    }
  }
  for (std::size_t i = 0; i < head.distance_profile.size(); ++i) {
    if (sums.offset_queries[i] > 0) {
      head.distance_profile[i] = ratio(sums.offset_weight[i], sums.queries);
    }
  }
  // Only offsets that half of the queries have. Not the outermost: they stand for many offsets.
  for (Index offset = 1 - reach; offset < reach; ++offset) {
    const auto i = static_cast<std::size_t>(offset + reach);
    const auto share = ratio(sums.offset_chosen[i], sums.offset_queries[i]);
    if (2 * sums.offset_queries[i] >= sums.queries && share > head.offset_share) {
      head.offset = share > 0 ? std::optional(offset) : std::nullopt;
      head.offset_share = share;
    }
  }
  head.role = role_of(head);
  return head;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
