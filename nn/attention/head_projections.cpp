#include "nn/attention/head_projections.hpp"

#include "core/ops/heads/head_linear.hpp"
#include "nn/init.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

bool makes(const ProjectionSpec& projection, HeadRole role) {
  return role == HeadRole::query ? projection.query
         : role == HeadRole::key ? projection.key
                                 : projection.value;
}

// Whether a training freezes the same of two projections.
bool freeze_alike(const Scope& scope, const ProjectionSpec& a, const ProjectionSpec& b) {
  return std::ranges::all_of(std::array{".weight", ".bias"}, [&](const char* part) {
    return scope.freezes(a.name + part) == scope.freezes(b.name + part);
  });
}

// Whether two weights can be adjacent in memory and be used in one product: of the same inputs.
bool stack(const Scope& scope, const AttentionSpec& spec, const ProjectionSpec& a,
           const ProjectionSpec& b) {
  const bool same_inputs =
      spec.is_self() || (a.query == b.query && (a.key || a.value) == (b.key || b.value));
  return same_inputs && freeze_alike(scope, a, b) && spec.shared_as.empty() &&
         spec.input == HeadInput::wide && a.heads == b.heads && a.width == b.width;
}

}  // namespace

// Queries, keys and values are initialised as if one matrix made all three, whatever matrices they
// are in. With the xavier types this makes them smaller by sqrt(2) than separate matrices, which
// keeps the first attention weights even and post-norm models trainable
// (torch.nn.MultiheadAttention does the same).
HeadProjections::HeadProjections(const Scope& scope, const ModelOptions& options,
                                 const AttentionSpec& of)
    : spec(of) {
  std::vector<ProjectionSpec> together;
  for (const ProjectionSpec& projection : projections_of(spec)) {
    if (!together.empty() && !stack(scope, spec, together.front(), projection)) {
      add_block(scope, options, together);
      together.clear();
    }
    together.push_back(projection);
  }
  if (!together.empty()) {
    add_block(scope, options, together);
  }
}

void HeadProjections::add_block(const Scope& scope, const ModelOptions& options,
                                const std::vector<ProjectionSpec>& projections) {
  const ProjectionSpec& first = projections.front();
  const Index rows = first.heads * first.width;
  std::vector<std::string> weights;
  std::vector<std::string> biases;
  for (const ProjectionSpec& projection : projections) {
    const Place place{.block = blocks.size(),
                      .first = static_cast<Index>(weights.size()) * rows,
                      .columns = rows};
    for (const HeadRole role : {HeadRole::query, HeadRole::key, HeadRole::value}) {
      if (makes(projection, role)) {
        places[static_cast<std::size_t>(role)] = place;
      }
    }
    weights.push_back(projection.name + ".weight");
    biases.push_back(projection.name + ".bias");
  }
  const Initializer initializer = spec.first_numbers(
      weight_initializer(options, first.in, 3 * spec.heads * first.width), first.width);
  // Heads that each read their own columns have a linear map each, one below the other.
  const bool one_map = spec.input == HeadInput::wide || first.heads == 1;
  const ParameterKind kind = one_map ? ParameterKind::matrix : ParameterKind::other;
  blocks.push_back(
      {.weight = scope.create_stacked(weights, kind, {rows, first.in}, initializer, first.heads),
       .bias = spec.biases ? scope.create_stacked(biases, ParameterKind::bias, {rows},
                                                  Initializer::constant(0), first.heads)
                           : Parameter(),
       .heads = spec.tied() ? spec.d_model / first.in : first.heads});
}

// The columns of a block's product that have these roles: they are contiguous.
HeadProjections::Place HeadProjections::used_columns(std::size_t block, HeadRoles roles) const {
  Index first = blocks[block].weight.shape[0];
  Index end = 0;
  for (const HeadRole role : {HeadRole::query, HeadRole::key, HeadRole::value}) {
    const bool wanted =
        roles == HeadRoles::all || (role == HeadRole::query) == (roles == HeadRoles::query_only);
    if (wanted && place(role).block == block) {
      first = std::min(first, place(role).first);
      end = std::max(end, place(role).first + place(role).columns);
    }
  }
  return {.block = block, .first = first, .columns = end - first};
}

Var HeadProjections::Of::product(std::size_t number, HeadRole role) {
  const Block& block = projections_.blocks[number];
  if (projections_.spec.input == HeadInput::narrow) {
    const Var weight = pass_.parameter(block.weight);
    return head_linear(
        {input_}, weight, block.heads, projections_.width(role),
        block.bias.declared() ? std::optional(pass_.parameter(block.bias)) : std::nullopt);
  }
  const Place used = projections_.used_columns(number, roles_);
  std::optional<WeightRows> rows;
  if (used.columns < block.weight.shape[0]) {
    rows = {.first = used.first, .count = used.columns};
  }
  return pass_.linear(input_, block.weight, block.bias, rows);
}

HeadColumns HeadProjections::Of::columns(HeadRole role) {
  const AttentionSpec& spec = projections_.spec;
  const bool is_input = projections_.is_input(role);
  const bool alike = is_input ? spec.input == HeadInput::wide : spec.heads_alike();
  const std::optional<Index> step = alike ? std::optional<Index>(0) : std::nullopt;
  if (is_input) {
    return {.matrix = input_, .step = step};
  }
  const Place& place = projections_.place(role);
  std::optional<Var>& made = products_[place.block];
  if (!made) {
    made = product(place.block, role);
  }
  const Index skipped = projections_.used_columns(place.block, roles_).first;
  return {.matrix = *made, .first = place.first - skipped, .step = step};
}

void HeadProjections::keep_heads(const KeptHeads& kept, const HeadProjections& smaller,
                                 HeadCopy& copy) const {
  for (const HeadRole role : {HeadRole::query, HeadRole::key, HeadRole::value}) {
    if (is_input(role) || blocks.empty() || smaller.blocks.empty()) {
      continue;
    }
    const Block& from = blocks[place(role).block];
    const Block& to = smaller.blocks[smaller.place(role).block];
    const std::vector<Index> which = spec.tied()               ? std::vector<Index>{0}
                                     : role == HeadRole::query ? kept.heads
                                                               : kept.key_heads;
    const auto chunks = [&](Index numbers_of_row) {
      return HeadCopy::Chunks{.which = which,
                              .size = width(role) * numbers_of_row,
                              .from_first = place(role).first * numbers_of_row,
                              .to_first = smaller.place(role).first * numbers_of_row};
    };
    copy.chunks(from.weight, to.weight, chunks(from.weight.shape[1]));
    copy.chunks(from.bias, to.bias, chunks(1));
  }
}

std::optional<HeadProjections::HeadWeight> HeadProjections::head_weight(const ParameterStore& store,
                                                                        HeadRole role,
                                                                        Index head) const {
  if (is_input(role) || blocks.empty()) {
    return {};
  }
  const Block& block = blocks[place(role).block];
  const Index in = block.weight.shape[1];
  const Index rows = width(role);
  const Index own = role == HeadRole::query ? head : head / (spec.heads / spec.kv_heads);
  const Index row = place(role).first + (spec.tied() ? 0 : own * rows);
  return HeadWeight{.weight = store.value(block.weight).part(row * in, {rows, in}),
                    .first_input = spec.input == HeadInput::narrow ? own * in : 0};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
