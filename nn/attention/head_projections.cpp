#include "nn/attention/head_projections.hpp"

#include "core/ops/heads/head_linear.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

// Whether one product can use two weights as one matrix: equal inputs and widths, frozen alike.
bool stack(const Scope& scope, const AttentionSpec& spec, const ProjectionSpec& a,
           const ProjectionSpec& b) {
  const bool same_inputs =
      spec.is_self() || (a.query == b.query && (a.key || a.value) == (b.key || b.value));
  const auto frozen_alike = [&](const char* part) {
    return scope.freezes(a.name + part) == scope.freezes(b.name + part);
  };
  return same_inputs && frozen_alike(".weight") && frozen_alike(".bias") &&
         spec.shared_as.empty() && spec.input == HeadInput::wide && a.heads == b.heads &&
         a.width == b.width;
}

}  // namespace

void HeadCopy::keep(const Parameter& from, const Heads& heads) {
  if (from.declared()) {
    kept_.emplace(from.block, heads);
  }
}

void HeadCopy::run() const {
  const Heads whole{.which = {0}, .of = 1};
  for (const NamedParameter& parameter : to_.parameters()) {
    const NamedParameter* const same = from_.find(parameter.name);
    if (same == nullptr || (same->shape != parameter.shape && !kept_.contains(same->block))) {
      throw std::logic_error(fmt::format("no rule says which part of {} to keep", parameter.name));
    }
    const auto kept = kept_.find(same->block);
    const Heads& heads = kept == kept_.end() ? whole : kept->second;
    const Index size = same->shape.size() / (heads.rows * heads.of);  // of a head in a row
    const Tensor source = from_.value(*same);
    Scalar* next = to_.value(parameter).data();
    for (Index row = 0; row < heads.rows; ++row) {
      for (const Index head : heads.which) {
        next = std::copy_n(source.data() + (row * heads.of + head) * size, size, next);
      }
    }
  }
}

// Queries, keys and values are initialised as if one matrix made all three, whatever the matrices
// are. With the xavier types the numbers are smaller by sqrt(2) than in separate matrices, which
// keeps the first attention weights even and post-norm models trainable
// (torch.nn.MultiheadAttention does the same).
HeadProjections::HeadProjections(const Scope& scope, const ModelOptions& options,
                                 const AttentionSpec& of)
    : spec(of) {
  const std::vector<ProjectionSpec> all = projections_of(spec);
  for (auto first = all.begin(); first != all.end();) {
    const auto end = std::find_if_not(first + 1, all.end(), [&](const ProjectionSpec& next) {
      return stack(scope, spec, *first, next);
    });
    add_block(scope, options, {first, end});
    first = end;
  }
}

void HeadProjections::add_block(const Scope& scope, const ModelOptions& options,
                                const std::vector<ProjectionSpec>& projections) {
  const ProjectionSpec& first = projections.front();
  const Index rows = first.heads * first.width;
  std::vector<std::string> weights;
  std::vector<std::string> biases;
  for (const ProjectionSpec& projection : projections) {
    const Place place{.block = blocks.size(), .first = std::ssize(weights) * rows, .columns = rows};
    const std::array made{projection.query, projection.key, projection.value};  // by HeadRole
    for (std::size_t role = 0; role < made.size(); ++role) {
      if (made[role]) {
        places[role] = place;
      }
    }
    weights.push_back(projection.name + ".weight");
    biases.push_back(projection.name + ".bias");
  }
  const Initializer initializer = spec.first_numbers(
      weight_initializer(options, first.in, 3 * spec.heads * first.width), first.width);
  // Heads that read different columns have one linear map each; their weights are stacked.
  const bool one_map = spec.input == HeadInput::wide || first.heads == 1;
  const ParameterKind kind = one_map ? ParameterKind::matrix : ParameterKind::other;
  blocks.push_back(
      {.weight = scope.create_stacked(weights, kind, {rows, first.in}, initializer, first.heads),
       .bias = spec.biases ? scope.create_stacked(biases, ParameterKind::bias, {rows},
                                                  Initializer::constant(0), first.heads)
                           : Parameter(),
       .heads = spec.tied() ? spec.d_model / first.in : first.heads});
}

// The rows of a block's weight for these roles. They are contiguous.
WeightRows HeadProjections::used_rows(std::size_t block, HeadRoles roles) const {
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
  return {.first = first, .count = end - first};
}

HeadColumns HeadProjections::Of::columns(HeadRole role) {
  const AttentionSpec& spec = projections.spec;
  const bool is_input = projections.is_input(role);
  const bool alike = is_input ? spec.input == HeadInput::wide : spec.heads_alike();
  const std::optional<Index> step = alike ? std::optional<Index>(0) : std::nullopt;
  if (is_input) {
    return {.matrix = input, .step = step};
  }
  const Place& place = projections.place(role);
  const Block& block = projections.blocks[place.block];
  const WeightRows used = projections.used_rows(place.block, roles);
  std::optional<Var>& product = products[place.block];
  if (!product && spec.input == HeadInput::narrow) {
    const Var weight = pass.parameter(block.weight);
    product = head_linear(
        {input}, weight, block.heads, projections.width(role),
        block.bias.declared() ? std::optional(pass.parameter(block.bias)) : std::nullopt,
        pass.precision);
  } else if (!product) {
    product = pass.linear(input, block.weight, block.bias, used);
  }
  return {.matrix = *product, .first = place.first - used.first, .step = step};
}

void HeadProjections::keep_heads(const KeptHeads& kept, HeadCopy& copy) const {
  if (spec.tied()) {
    return;  // all heads have the same weight, which stays as it is
  }
  for (const Block& block : blocks) {
    const HeadCopy::Heads heads{.which = block.heads == spec.heads ? kept : spec.key_heads(kept),
                                .of = block.heads};
    copy.keep(block.weight, heads);
    copy.keep(block.bias, heads);
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
  const Index own = role == HeadRole::query ? head : spec.key_head(head);
  const Index row = place(role).first + (spec.tied() ? 0 : own * rows);
  return HeadWeight{.weight = store.value(block.weight).part(row * in, {rows, in}),
                    .bias = block.bias.declared()
                                ? std::optional(store.value(block.bias).part(row, {rows}))
                                : std::nullopt,
                    .first_input = spec.input == HeadInput::narrow ? own * in : 0};
}

L0Gates::L0Gates(const Scope& scope, const AttentionSpec& of)
    : spec(of), path((scope / "gates").path()) {
  // A settled gate is 1 above log 11, so before training the model behaves as without gates.
  constexpr double first_log_alpha = 2.5;
  if (spec.heads > 0 && spec.gates == HeadGating::l0) {
    log_alpha = scope.create("gates", ParameterKind::gate, {spec.heads},
                             Initializer::constant(first_log_alpha));
  }
}

Var L0Gates::operator()(Pass& pass, const Var& heads_side_by_side) const {
  if (!log_alpha.declared()) {
    return heads_side_by_side;
  }
  const Var openness = pass.parameter(log_alpha);
  const std::optional<Draws> draws = pass.step_draws(path);
  return scale_heads({heads_side_by_side},
                     draws ? draw_gates(openness, *draws) : settled_gates(openness), spec.heads,
                     spec.d_v);
}

HeadCombination::HeadCombination(const Scope& scope, const ModelOptions& options,
                                 const AttentionSpec& of)
    : spec(of) {
  if (spec.heads > 0 && spec.combine == Combine::output) {
    Initializer initializer =
        last_map_initializer(options, spec.output_columns(), spec.d_model, stack_of(spec.kind));
    if (spec.start == HeadStart::identical) {
      initializer.column_period = spec.d_v;
    }
    output_weight = scope.create("output.weight", ParameterKind::matrix,
                                 {spec.d_model, spec.output_columns()}, initializer);
  }
  if (spec.heads > 0 && spec.combine == Combine::weighted) {
    head_weights = scope.create("head_weights", ParameterKind::gain, {spec.heads},
                                Initializer::constant(1 / static_cast<double>(spec.heads)));
  }
  if (spec.biases) {
    output_bias =
        scope.create("output.bias", ParameterKind::bias, {spec.d_model}, Initializer::constant(0));
  }
}

BlockOutput HeadCombination::operator()(Pass& pass, const Var& heads_side_by_side) const {
  const Var bias = pass.bias(output_bias, spec.d_model);
  if (spec.combine == Combine::concatenate) {
    return {heads_side_by_side, bias};
  }
  if (spec.combine == Combine::output) {
    return {pass.linear(heads_side_by_side, output_weight), bias};
  }
  const Scalar even = 1 / static_cast<Scalar>(spec.heads);
  const Var shares = spec.combine == Combine::mean
                         ? pass.tape().constant(Tensor::full({spec.heads}, even))
                         : pass.parameter(head_weights);
  return {sum_heads({heads_side_by_side}, shares, spec.heads, spec.d_v), bias};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
