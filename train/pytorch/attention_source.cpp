#include "train/pytorch/attention_source.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "train/pytorch/attention_arguments.hpp"
#include "train/pytorch/expression.hpp"
#include "train/pytorch/model_values.hpp"
#include "train/pytorch/parts.hpp"

namespace tapehead {

namespace {

void append_score_conditions(const AttentionForm& form, PartValues& values) {
  auto& conditions = values.conditions;
  const bool mixed = form.mixed();
  conditions["mixed_scores"] = mixed;
  conditions["mixed_cosine"] = mixed && form.has(Score::cosine);
  conditions["mixed_bilinear"] = mixed && form.has(Score::bilinear);
  conditions["mixed_additive"] = mixed && form.has(Score::additive);
  conditions["all_cosine"] = !mixed && form.has(Score::cosine);
  conditions["all_bilinear"] = !mixed && form.has(Score::bilinear);
  conditions["all_additive"] = !mixed && form.has(Score::additive);
  conditions["learned_scale"] = form.scale == ScoreScale::learned;
  const bool by_d_qk = form.scale == ScoreScale::inverse_sqrt_d_qk;
  const bool by_d_model = form.scale == ScoreScale::inverse_sqrt_d_model;
  conditions["scaled"] = by_d_qk || by_d_model;
  values.places["scale"] = by_d_qk ? " / self.d_qk**0.5" : by_d_model ? " / D_MODEL**0.5" : "";
  conditions["uses_d_qk"] =
      form.scale == ScoreScale::inverse_sqrt_d_qk || form.has(Score::bilinear);
}

void append_distance_conditions(const AttentionClass& of, PartValues& values) {
  using Positions = AttentionPositions;
  auto& conditions = values.conditions;
  const AttentionSpec& spec = of.specs.front();
  const PatternNeeds needs = pattern_needs(of);
  conditions["rotary"] = spec.has(Positions::rotary);
  conditions["clipped"] = spec.has_clip();
  conditions["relative"] = spec.has(Positions::relative) || spec.has(Positions::relative_keys);
  conditions["relative_values"] = spec.has(Positions::relative);
  conditions["transformer_xl"] = spec.has(Positions::transformer_xl);
  conditions["t5"] = spec.has(Positions::t5);
  conditions["alibi"] = spec.has(Positions::alibi);
  conditions["masked"] = needs.masked;
  conditions["by_head"] = needs.by_head;
  conditions["top_k"] = needs.top_k;
  conditions["may_be_empty"] = needs.may_be_empty;
  conditions["needs_positions"] =
      needs.masked || spec.distance_buckets() > 0 || spec.has(Positions::alibi);
}

// The map of one projection: its columns are those of all its heads.
std::string map_of(const ProjectionSpec& projection, const AttentionClass& of, bool biases) {
  const bool tied = of.form.head_weights == HeadWeights::tied;
  const bool narrow = of.form.input == HeadInput::narrow;
  const char* heads = of.form.grouped && !projection.query ? "kv_heads" : "heads";
  const char* width = projection.query || projection.key ? "d_qk" : "d_v";
  if (narrow && !tied) {
    return fmt::format("HeadLinear({}, {})", heads, width);
  }
  return fmt::format("nn.Linear(D_MODEL{}, {}{}{})", narrow ? " // heads" : "",
                     tied ? "" : fmt::format("{} * ", heads), width, bias_argument(biases));
}

// The heads (heads, N, d) of one role.
std::string heads_of(const std::string& projection, const AttentionForm& form,
                     const std::string& rows, bool of_query) {
  const char* heads = form.grouped && !of_query ? "self.kv_heads" : "self.heads";
  if (form.input == HeadInput::narrow) {
    const std::string own = fmt::format("split({}, {})", rows, heads);
    return projection.empty() ? own : fmt::format("self.{}({})", projection, own);
  }
  if (projection.empty()) {
    return rows + "[None]";
  }
  const std::string all = fmt::format("self.{}({})", projection, rows);
  return form.head_weights == HeadWeights::tied ? all + "[None]"
                                                : fmt::format("split({}, {})", all, heads);
}

void append_projections(const AttentionClass& of, const std::string& rows,
                        const std::string& source, PartValues& values) {
  std::vector<std::string> maps;
  std::string query;
  std::string key;
  std::string value;
  for (const ProjectionSpec& projection : projections_of(of.specs.front())) {
    maps.push_back(fmt::format("self.{} = {}", projection.name,
                               map_of(projection, of, values.conditions.at("biases"))));
    query = projection.query ? projection.name : query;
    key = projection.key ? projection.name : key;
    value = projection.value ? projection.name : value;
  }
  values.places["projections"] = join(maps, "\n");
  values.places["query"] = heads_of(query, of.form, rows, true);
  values.places["key"] = heads_of(key, of.form, source, false);
  values.places["value"] = heads_of(value, of.form, source, false);
}

std::string parameter_dict(const std::vector<Expression>& tensors, std::string_view before) {
  return text_of({.open = "nn.ParameterDict({", .items = tensors, .close = "})"},
                 columns_in_constructor, before.size());
}

void append_parameters(const AttentionForm& form, PartValues& values) {
  const auto tensor = [](const char* name, const std::string& shape) {
    return Expression{.open = fmt::format("\"{}\": torch.empty({})", name, shape)};
  };
  std::vector<Expression> scores;
  const bool mixed = form.mixed();
  if (form.has(Score::bilinear)) {
    scores.push_back(tensor("weight", mixed ? "len(bilinear) * d_qk, d_qk" : "heads * d_qk, d_qk"));
  }
  if (form.has(Score::additive)) {
    scores.push_back(tensor("vector", mixed ? "len(additive), d_qk" : "heads, d_qk"));
  }
  if (form.scale == ScoreScale::learned) {
    scores.push_back(tensor("scale", "heads"));
  }
  std::vector<Expression> distances;
  if (values.conditions.at("relative")) {
    distances.push_back(tensor("key", "before + after + 1, d_qk"));
  }
  if (values.conditions.at("relative_values")) {
    distances.push_back(tensor("value", "before + after + 1, d_v"));
  }
  if (values.conditions.at("transformer_xl")) {
    distances = {tensor("weight", "heads * d_qk, D_MODEL"), tensor("content", "heads * d_qk"),
                 tensor("place", "heads * d_qk")};
  }
  if (values.conditions.at("t5")) {
    distances.push_back(tensor("score", "heads, len(bounds) + 1"));
  }
  values.conditions["score_parameters"] = !scores.empty();
  values.conditions["distance_parameters"] = !distances.empty();
  values.places["score_parameters"] = parameter_dict(scores, "self.score = ");
  values.places["distance_parameters"] = parameter_dict(distances, "self.distance = ");
}

std::string inputs_of(const AttentionClass& of, bool prefix) {
  if (of.of_cross()) {
    return of.of_self() ? "x, context=None" : "x, context";
  }
  return prefix ? "x, prefix" : "x";
}

std::string parameters_of(const AttentionClass& of) {
  std::vector<std::string> names;
  for (const Argument& argument : attention_arguments(of, of.specs.front())) {
    names.push_back(argument.name);
  }
  return join(names, ", ");
}

}  // namespace

std::string attention_source(const AttentionClass& of, const PartValues& model) {
  PartValues values = model;
  const AttentionForm& form = of.form;
  const bool prefix = model.conditions.at("prefix");
  values.places["name"] = of.name;
  values.places["inputs"] = inputs_of(of, prefix);
  if (form.no_heads) {
    return fill_part(pytorch_parts::no_attention, values);
  }
  const std::string rows = model.conditions.at("pre_norm") ? "h" : "x";
  const std::string source = of.of_cross() ? "context" : rows;
  values.places["source"] = source;
  values.places["rows"] = rows;
  values.places["parameters"] = parameters_of(of);
  values.places["no_bias"] = bias_argument(model.conditions.at("biases"));
  values.places["rotate"] =
      form.rotary_pairs == RotaryPairs::halves ? "rotate_halves" : "rotate_interleaved";
  auto& conditions = values.conditions;
  conditions["of_self"] = of.of_self();
  conditions["of_cross"] = of.of_cross();
  conditions["grouped"] = form.grouped;
  conditions["gates"] = form.gates == HeadGating::l0;
  conditions["output"] = form.combine == Combine::output;
  conditions["concatenated"] = form.combine == Combine::concatenate;
  conditions["mean"] = form.combine == Combine::mean;
  conditions["weighted"] = form.combine == Combine::weighted;
  conditions["heads_alike"] = of.specs.front().heads_alike();
  append_score_conditions(form, values);
  append_distance_conditions(of, values);
  append_projections(of, rows, source, values);
  append_parameters(form, values);
  return fill_part(pytorch_parts::attention, values);
}

}  // namespace tapehead
