#include "lab/inspection/head_walk.hpp"

#include "core/ops/arithmetic.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/linear.hpp"
#include "lab/heads/attention_report.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

constexpr std::array walk_rows{
    WalkRow{"rows", "Z", "query", "",
            "the stream: a row for each token, of its word and place; each layer adds to it"},
    WalkRow{"norm_gain", "g", "", "", "learned: a factor for each column"},
    WalkRow{"norm_bias", "b", "", "", "learned: a number for each column"},
    WalkRow{"input", "X", "query", "", "what the attention reads: a row for each token"},
    WalkRow{"key_input", "X_K", "key", "", "the rows that keys and values are made of"},
    WalkRow{"query_weight", "W_Q", "", "", "learned: makes queries of rows"},
    WalkRow{"query_bias", "b_Q", "", "", "learned: added to each row"},
    WalkRow{"key_weight", "W_K", "", "", "learned: makes keys of rows"},
    WalkRow{"key_bias", "b_K", "", "", "learned: added to each row"},
    WalkRow{"value_weight", "W_V", "", "", "learned: makes values of rows"},
    WalkRow{"value_bias", "b_V", "", "", "learned: added to each row"},
    WalkRow{"query", "Q", "query", "", "what each token looks for"},
    WalkRow{"key", "K", "key", "", "what each token can be found by"},
    WalkRow{"value", "V", "key", "", "what each token gives to those that look at it"},
    WalkRow{"score_matrix", "M", "", "", "learned: how the numbers of a query meet those of a key"},
    WalkRow{"query_by_score", "Q_M", "query", "", "the queries as they meet the keys"},
    WalkRow{"key_by_score", "K_M", "key", "", "the keys as they meet the queries"},
    WalkRow{"query_rotated", "Q_R", "query", "", "the queries, turned by their positions"},
    WalkRow{"key_rotated", "K_R", "key", "", "the keys, turned by their positions"},
    WalkRow{"score_scale", "s", "", "", "learned: the factor of this head"},
    WalkRow{"query_scaled", "Q_S", "query", "", "the queries times the factor"},
    WalkRow{"content_bias", "u", "", "", "learned: added to each query"},
    WalkRow{"query_content", "Q_C", "query", "", "the queries that meet the keys"},
    WalkRow{"score_vector", "v", "", "", "learned: how much each column counts"},
    WalkRow{"products", "P", "query", "key", "how well each query fits each key"},
    WalkRow{"scaled", "S", "query", "key",
            "the same map, smaller numbers: a sum of d_k products grows like √d_k"},
    WalkRow{"distance_keys", "r", "", "", "learned: a row for each distance, which queries meet"},
    WalkRow{"distance_query", "w", "", "", "learned: added to each query that meets a distance"},
    WalkRow{"distance_numbers", "o", "", "", "learned: a number for each distance"},
    WalkRow{"distance_bias", "B", "query", "key", "what the distance adds to the score"},
    WalkRow{"biased", "S_B", "query", "key", "the scores with their distances"},
    WalkRow{"query_of_sinks", "Q_F", "query", "", "the queries for first keys outside the window"},
    WalkRow{"visible", "S_V", "query", "key", "a score of -∞ becomes a weight of 0"},
    WalkRow{"largest", "S_L", "query", "key", "the scores that count"},
    WalkRow{"weights", "A", "query", "key", "where each token looks: a row sums to 1"},
    WalkRow{"distance_values", "r_V", "", "", "learned: a row for each distance, added to values"},
    WalkRow{"output", "O", "query", "", "the values of the tokens looked at, mixed"},
    WalkRow{"gate", "z", "", "", "learned: how far the head is open"},
    WalkRow{"gated", "O_Z", "query", "", "the output behind the gate"},
    WalkRow{"heads", "H", "query", "", "the outputs of all heads, side by side"},
    WalkRow{"output_weight", "W_O", "", "", "learned: mixes the heads"},
    WalkRow{"head_weights", "a", "", "", "learned: a factor for each head"},
    WalkRow{"output_bias", "b_O", "", "", "learned: added to each row"},
    WalkRow{"part", "U_h", "query", "", "what this head alone adds to the stream"},
    WalkRow{"attention", "U", "query", "",
            "what the attention adds to the stream: the parts of all heads"},
    WalkRow{"sum", "Y", "query", "", "the stream behind the attention"},
    WalkRow{"normed", "N", "query", "", "what the next block reads"}};

const Residual& residual_of(const Transformer& transformer, const MultiHeadAttention& attention) {
  const Residual* found = nullptr;
  for (const Stack* stack : transformer.stacks()) {
    for (const Layer& layer : stack->layers) {
      found = &layer.self == &attention ? &layer.self_residual : found;
      found = layer.cross && &layer.cross->attention == &attention ? &layer.cross->residual : found;
    }
  }
  return *found;
}

constexpr std::array roles{HeadRole::query, HeadRole::key, HeadRole::value};
std::string role_name(HeadRole role) {
  return std::array{"query", "key", "value"}[static_cast<std::size_t>(role)];
}

class Walker {
 public:
  Walker(const Transformer& transformer, const ParameterStore& store, const Batch& batch,
         const HeadName& name)
      : head_(name.head),
        attention_(attention_of(transformer, name)),
        weights_(attention_.weights),
        spec_(attention_.spec),
        pattern_(attention_.pattern_of(name.head)),
        residual_(residual_of(transformer, attention_)),
        store_(store),
        pass_(tape_, store) {
    pass_.watcher = [this](const ShownValue& one) { keep(one); };
    pass_.call_watcher = [&](const AttentionSite& site, const AttentionCall& call) {
      if (site == name.site) {
        keep_scores(call);
      }
    };
    transformer.hidden(pass_, batch);
  }

  std::vector<WalkStep> steps() {
    take_input();
    project();
    meet();
    weigh();
    leave();
    return std::move(steps_);
  }

 private:
  void keep(const ShownValue& one);
  void keep_scores(const AttentionCall& call);

  Var add(std::string_view key, const Var& matrix, const std::string& formula = "") {
    const Tensor& value = matrix.value();
    steps_.push_back({*std::ranges::find(walk_rows, key, &WalkRow::key), formula,
                      value.shape().rank() == 2 ? value : value.part(0, {1, value.size()})});
    return matrix;
  }
  void add(std::string_view key, const Parameter& parameter) {
    if (parameter.declared()) {
      add(key, constant(store_.value(parameter)));
    }
  }
  void add(std::string_view key, const std::string& formula = "") { add(key, shown(key), formula); }
  std::string name() const { return std::string(steps_.back().row.name); }  // of the last step

  Var constant(const Tensor& tensor) { return tape_.constant(tensor); }
  // Numbers of a parameter of the attention, from `first` on.
  Var part_of(std::string_view parameter, Index first, const Shape& shape) {
    const auto* const found = store_.find(fmt::format("{}.{}", weights_.path, parameter));
    return constant(store_.value(*found).part(first, shape));
  }
  // What the pass showed: the head's columns, or all of rows that have no heads.
  Var shown(std::string_view key) const {
    const ShownValue& one = shown_.at(key);
    const Index head = one.heads == spec_.kv_heads ? spec_.key_head(head_) : head_;
    const Index first = one.columns.begin(one.heads == 1 ? 0 : head, one.width);
    if (one.columns.matrix.shape()[1] == one.width) {
      return one.columns.matrix;
    }
    return slice(one.columns.matrix, 1, first, first + one.width);
  }
  std::string divisor() const {
    return spec_.scale == ScoreScale::inverse_sqrt_d_qk      ? fmt::format(" / √{}", spec_.d_qk)
           : spec_.scale == ScoreScale::inverse_sqrt_d_model ? fmt::format(" / √{}", spec_.d_model)
                                                             : "";
  }
  bool reads_other_rows() const { return shown_.contains("key_input"); }

  bool norms(NormPosition position) const {
    return residual_.position == position && residual_.norm.kind != NormKind::none;
  }
  Var normed(std::string_view key, const Var& rows) {
    const Norm& norm = residual_.norm;
    const std::string of = name();
    add("norm_gain", norm.gain);
    add("norm_bias", norm.bias);
    return add(
        key, norm(pass_, rows),
        fmt::format(
            fmt::runtime(norm.kind == NormKind::layer_norm
                             ? "g (z - mean(z)) / √(variance(z) + {1}){2} for each row z of {0}"
                             : "g z / √(mean(z²) + {1}) for each row z of {0}"),
            of, norm.epsilon, norm.bias.declared() ? " + b" : ""));
  }

  void take_input();
  void project();
  std::string formula_of(HeadRole role) const;
  std::string owner(HeadRole role) const;
  void meet();
  void weigh();
  void add_distance_bias();
  void leave();

  Index head_;
  const MultiHeadAttention& attention_;
  const AttentionWeights& weights_;
  const AttentionSpec& spec_;
  const Pattern& pattern_;
  const Residual& residual_;
  const ParameterStore& store_;
  Tape tape_{false};
  Pass pass_;
  bool inside_ = false;  // the attention, also where it uses weights of a shared path
  std::map<std::string_view, ShownValue> shown_;
  AttentionBias bias_;
  std::string plain_query_;  // the name of the queries without a content bias
  std::vector<WalkStep> steps_;
};

// The queries for the sinks come last: what is shown first has the name.
void Walker::keep(const ShownValue& one) {
  const bool own = one.path == attention_.module.path();
  inside_ = inside_ || (own && one.name == "input");
  if (inside_ || one.path == residual_.path) {
    shown_.emplace(one.name, one);
  }
  inside_ = inside_ && !(own && one.name == "heads");
}

// The scores after each of their steps, by the code of the op.
void Walker::keep_scores(const AttentionCall& of) {
  const auto keep_matrix = [&](std::string_view key, const Tensor& matrix) {
    shown_.emplace(key, ShownValue{{}, key, {.matrix = constant(matrix)}, 1, matrix.dim(1)});
  };
  const auto scores = [&](const AttentionCall& call) {
    return head_attention(call, 0, head_).scores;
  };
  bias_ = of.bias;
  AttentionCall call = of;
  call.options.patterns = {Pattern::full()};
  call.sink_query.reset();
  call.bias = {};
  call.options.scale = 1;
  keep_matrix("products", scores(call));
  call.options.scale = of.options.scale;
  keep_matrix("scaled", scores(call));
  call.bias = of.bias;
  keep_matrix("biased", scores(call));
  call.query = {.matrix = constant(Tensor::zeros({of.queries[0].rows, spec_.heads * spec_.d_qk}))};
  call.options.scores.clear();
  call.score_weights.reset();
  keep_matrix("distance_bias", scores(call));

  AttentionCall of_visible = of;
  for (Pattern& pattern : of_visible.options.patterns) {
    pattern = pattern.top_count() > 0 ? pattern.top(of.keys[0].rows) : pattern;
  }
  keep_matrix("visible", scores(of_visible));
  const HeadAttention own = head_attention(of, 0, head_);
  keep_matrix("largest", own.scores);
  keep_matrix("weights", own.weights);
  if (of.sink_query) {
    shown_.emplace("query_of_sinks", ShownValue{{}, {}, *of.sink_query, spec_.heads, spec_.d_qk});
  }
}

void Walker::take_input() {
  if (norms(NormPosition::pre)) {
    add("rows");
    normed("input", shown("rows"));
  } else {
    add("input");
  }
  if (reads_other_rows()) {
    add("key_input");
  }
}

// The name of the first role that has the same weight.
std::string Walker::owner(HeadRole role) const {
  const HeadProjections& projections = weights_.projections;
  return role_name(*std::ranges::find_if(roles, [&](HeadRole other) {
    return !projections.is_input(other) &&
           projections.place(other).block == projections.place(role).block &&
           projections.place(other).first == projections.place(role).first;
  }));
}

std::string Walker::formula_of(HeadRole role) const {
  const auto found = weights_.projections.head_weight(store_, role, head_);
  const Index number = role == HeadRole::query ? head_ : spec_.key_head(head_);
  std::string from = role == HeadRole::query || !reads_other_rows() ? "X" : "X_K";
  if (spec_.input == HeadInput::narrow) {
    const Index width = found ? found->weight.dim(1) : weights_.projections.width(role);
    from += fmt::format("[:, {}:{}]", number * width, (number + 1) * width);
  }
  if (!found) {
    return from;
  }
  const char letter = static_cast<char>(std::toupper(owner(role).front()));
  return fmt::format("{} W_{}{}", from, letter, found->bias ? fmt::format(" + b_{}", letter) : "");
}

void Walker::project() {
  for (const HeadRole role : roles) {
    const auto found = weights_.projections.head_weight(store_, role, head_);
    if (found && owner(role) == role_name(role)) {
      add(role_name(role) + "_weight", transpose(constant(found->weight)));
      if (found->bias) {
        add(role_name(role) + "_bias", constant(*found->bias));
      }
    }
  }
  for (const HeadRole role : roles) {
    add(role_name(role), formula_of(role));
  }
}

// What happens to queries and keys before they meet, and their products.
void Walker::meet() {
  const Index d = spec_.d_qk;
  std::string query = "Q";
  std::string key = "K";
  const auto turn = [&](std::string& from, std::string_view to, const std::string& formula) {
    add(to, formula);
    from = name();
  };
  const Score score = spec_.score.at(head_);
  if (score == Score::bilinear) {
    const Index number = spec_.heads_with(Score::bilinear, head_);
    add("score_matrix", transpose(part_of("score.weight", number * d * d, {d, d})));
    turn(query, "query_by_score", query + " M");
  } else if (score == Score::cosine) {
    turn(query, "query_by_score", fmt::format("√{} q / |q| for each row q of {}", d, query));
    turn(key, "key_by_score", fmt::format("√{} k / |k| for each row k of {}", d, key));
  }
  if (spec_.has(AttentionPositions::rotary)) {
    const bool halves = spec_.rotary_pairs == RotaryPairs::halves;
    const std::string by =
        fmt::format(" with columns {} turned by p / {}^(2 c / {}) at position p",
                    halves ? "(c, c + d_k / 2)" : "(2 c, 2 c + 1)", spec_.rotary_base, d);
    turn(query, "query_rotated", query + by);
    turn(key, "key_rotated", key + by);
  }
  if (spec_.scale == ScoreScale::learned) {
    add("score_scale", part_of("score.scale", head_, {1}));
    turn(query, "query_scaled", "s " + query);
  }
  plain_query_ = query;
  if (spec_.has(AttentionPositions::transformer_xl)) {
    add("content_bias", part_of("distance.content", head_ * d, {d}));
    turn(query, "query_content", query + " + u");
  }
  if (score == Score::additive) {
    add("score_vector", part_of("score.vector", spec_.heads_with(Score::additive, head_) * d, {d}));
    add("products",
        fmt::format("Σ_c v_c tanh(q_c + k_c) for each row q of {} and k of {}", query, key));
  } else {
    add("products", fmt::format("{} {}ᵀ", query, key));
  }
}

// From the products to the weights.
void Walker::weigh() {
  if (!divisor().empty()) {
    add("scaled", name() + divisor());
  }
  if (!bias_.slopes.empty() || bias_.by_head || bias_.by_query) {
    const std::string of = name();
    add_distance_bias();
    add("biased", of + " + B");
  }
  if (std::ranges::count(shown("visible").value().values(), minus_infinity) > 0) {
    std::string formula =
        fmt::format("{}, but -∞ for keys outside the pattern: {}{}", name(),
                    spec_.pattern.at(head_).text(), spec_.looks_back() ? ", no later keys" : "");
    if (shown_.contains("query_of_sinks") && pattern_.sinks() > 0) {
      add("query_of_sinks",
          fmt::format("as Q_R, with p at most {}", pattern_.last_cached_position()));
      formula += "; first keys outside the window meet Q_F";
    }
    add("visible", formula);
  }
  if (pattern_.top_count() > 0) {
    add("largest", fmt::format("the {} largest numbers of each row of {}, else -∞",
                               pattern_.top_count(), name()));
  }
  add("weights",
      fmt::format("softmax: exp of each number of {0}, divided by the sum of its row", name()));
}

// What is added to the score of a pair for its distance, behind the learned numbers.
void Walker::add_distance_bias() {
  const Index B = spec_.distance_buckets();
  const Index d = spec_.d_qk;
  std::string formula;
  if (!bias_.slopes.empty()) {
    formula = fmt::format("-{:g} |j - i|", bias_.slopes[static_cast<std::size_t>(head_)]);
  } else if (bias_.by_head) {
    add("distance_numbers", part_of("distance.score", head_ * B, {B}));
    formula = "o[bucket of j - i]";
  } else {
    std::string query = plain_query_;
    if (spec_.has(AttentionPositions::transformer_xl)) {
      add("distance_query", part_of("distance.place", head_ * d, {d}));
      query = fmt::format("({} + w)", query);
      add("distance_keys",
          slice(weights_.distances.sine_maps(pass_), 0, head_ * B, (head_ + 1) * B));
    } else {
      add("distance_keys", part_of("distance.key", 0, {B, d}));
    }
    formula = fmt::format("{} · r[bucket of j - i]{}", query, divisor());
  }
  add("distance_bias", formula);
}

// The output of the head and, with the other heads, of the attention.
void Walker::leave() {
  const HeadCombination& combination = weights_.combination;
  const Index d = spec_.d_v;
  const auto of_head = [&](const Var& heads) {
    return slice(heads, 1, head_ * d, (head_ + 1) * d);
  };
  if (bias_.values) {
    add("distance_values", *bias_.values);
  }
  Var output = add("output", of_head(shown("output")),
                   bias_.values ? "A V + Σ_j A_ij r_V[bucket of j - i]" : "A V");
  if (spec_.gates == HeadGating::l0) {
    const Var ones = constant(Tensor::full({1, spec_.output_columns()}, 1));
    add("gate", slice(of_head(weights_.gates(pass_, ones)), 1, 0, 1));
    output = add("gated", of_head(shown("heads")), "z O");
  }
  const std::string part_of_heads = name();
  add("heads", fmt::format("{} of each head, side by side", part_of_heads));
  if (combination.output_weight.declared()) {
    add("output_weight", transpose(constant(store_.value(combination.output_weight))));
  }
  add("head_weights", combination.head_weights);
  add("output_bias", combination.output_bias);
  const char* const combined = spec_.combine == Combine::output     ? "H W_O"
                               : spec_.combine == Combine::mean     ? "the mean of the heads in H"
                               : spec_.combine == Combine::weighted ? "Σ_h a_h H_h"
                                                                    : "H";
  const Tensor write = head_writes(store_, attention_)[static_cast<std::size_t>(head_)];
  add("part", matmul(output, constant(write)),
      spec_.combine == Combine::output
          ? fmt::format("{} W_O[{}:{}, :]", part_of_heads, head_ * d, (head_ + 1) * d)
          : fmt::format("this head's part of {}", combined));
  add("attention",
      tapehead::add(shown("block"), pass_.bias(combination.output_bias, spec_.d_model)),
      combination.output_bias.declared() ? fmt::format("{} + b_O", combined) : combined);
  const bool pre = norms(NormPosition::pre);
  add("sum", pre ? "Z + U" : "X + U");
  if (norms(NormPosition::post)) {
    normed("normed", shown("sum"));
  }
}

}  // namespace

std::vector<WalkStep> walk_head(const Transformer& transformer, const ParameterStore& store,
                                const Batch& batch, const HeadName& name) {
  return Walker(transformer, store, batch, name).steps();
}

Json walk_json(const HeadWalk& walk, const std::function<Json(const Tensor&)>& values) {
  const auto json_of = [&](const WalkStep& step) {
    Json json = {{"step", step.row.key},
                 {"name", step.row.name},
                 {"formula", step.formula},
                 {"help", step.row.help},
                 {"rows", step.row.rows},
                 {"columns", step.row.columns},
                 {"shape", {step.matrix.dim(0), step.matrix.dim(1)}}};
    if (values) {
      json["values"] = values(step.matrix);
    }
    return json;
  };
  return {{"head", walk.head.text()},
          {"queries", walk.queries},
          {"keys", walk.keys},
          {"steps", mapped(walk.steps, json_of)}};
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
