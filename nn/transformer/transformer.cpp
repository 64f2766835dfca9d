#include "nn/transformer/transformer.hpp"

#include "core/ops/activation.hpp"
#include "core/ops/concatenate.hpp"
#include "core/ops/embedding.hpp"
#include "nn/attention/model_rules.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

namespace {

void expect_tables_fit(const ModelOptions& options, const Vocabularies& entries) {
  const Tying tying = options.tie_embeddings;
  expect_none(first_violation(
      {tied_source_exists(options), tied_output_fits(options),
       violation_if(ties_source(tying) && entries.context < entries.input, {"model.tie_embeddings"},
                    "{} needs one vocabulary for source and target, but they have {} and {} "
                    "entries (task.joint_vocabulary: true makes one)",
                    name_of(tying), entries.context, entries.input),
       violation_if(ties_output(tying) && entries.input < entries.labels, {"model.tie_embeddings"},
                    "{} needs labels that are entries of the input vocabulary, but there are {} "
                    "labels and {} entries",
                    name_of(tying), entries.labels, entries.input)}));
}

Stack stack_of(const Scope& scope, const ModelOptions& options, const TokenEmbedding& embedding,
               AttentionMaker& attention, StackName name) {
  Stack stack{
      .name = name, .path = scope.path(), .embedding = embedding, .layers = {}, .closing_norm = {}};
  const Index layers = options.layers_of(name);
  for (Index i = 0; i < layers; ++i) {
    const Scope place = scope / "layers" / std::to_string(i);
    const Index first = options.first_of_group(i, layers);
    if (first == i) {
      stack.layers.emplace_back(place, options, attention, name, i);
    } else {
      const Layer& shared = stack.layers[static_cast<std::size_t>(first)];
      stack.layers.push_back(shared.repeated(place, options, i));
    }
  }
  return stack;
}

}  // namespace

RowTransform::RowTransform(const Scope& scope, const ModelOptions& options)
    : activation(options.head_transform == HeadTransform::pooler ? Activation::tanh
                                                                 : options.activation),
      weight(scope.create("weight", ParameterKind::matrix,
                          {options.output_width(), options.d_model},
                          weight_initializer(options, options.d_model, options.output_width()))),
      bias(scope.create("bias", ParameterKind::bias, {options.output_width()},
                        Initializer::constant(0))),
      module{.paths = {scope.path()}} {
  if (options.head_transform == HeadTransform::masked) {
    norm.emplace(scope / "norm", options, options.output_width());
  }
}

Var RowTransform::operator()(Pass& pass, const Var& rows) const {
  const InModule here(pass.tape(), module);
  const Var y = bias_activation(pass.linear(rows, weight), pass.parameter(bias), activation);
  return norm ? (*norm)(pass, y) : y;
}

OutputHead::OutputHead(const Scope& scope, const ModelOptions& options, Index labels,
                       const Parameter& table)
    : weight(ties_output(options.tie_embeddings)
                 ? table.first_rows(labels)
                 : scope.create("weight", ParameterKind::output, {labels, options.output_width()},
                                weight_initializer(options, options.output_width(), labels))),
      module{.paths = {scope.path()}} {
  if (options.bias_output) {
    bias = scope.create("bias", ParameterKind::bias, {labels}, Initializer::constant(0));
  }
  if (options.head_transform != HeadTransform::none) {
    transform.emplace(scope / "transform", options);
  }
}

Var OutputHead::logits(Pass& pass, const Var& hidden) const {
  const Var rows = transformed(pass, hidden);
  const InModule here(pass.tape(), module);
  return pass.linear(rows, weight, bias);
}

BestTokens OutputHead::best(Pass& pass, const Var& hidden, Index count, TokenId excluded,
                            LogSums log_sums) const {
  const Tensor table = pass.parameter(weight).value().part(0, weight.shape);
  const Tensor added = bias.declared() ? pass.parameter(bias).value() : Tensor();
  return best_tokens(transformed(pass, hidden).value(), table, added, count, excluded, log_sums,
                     pass.precision);
}

// The store has the order of these declarations: tables, then the parts of both stacks in turn.
Transformer::Transformer(const Scope& scope, const ModelOptions& options,
                         const Vocabularies& entries)
    : options_(options), vocabularies_(entries) {
  expect_tables_fit(options, entries);
  const Index E = options.embedding_width();
  const bool both = family().context;
  const StackName main = family().main;
  const Scope context_scope = scope / "source";
  const Scope input_scope = scope / (main == StackName::encoder ? "source" : "target");
  const Tensor sines = options.positions == PositionKind::sinusoidal
                           ? sinusoidal_positions(options.max_positions, E)
                           : Tensor();
  const auto table = [&](const Scope& in, Index rows) {
    return in.create("embedding", ParameterKind::embedding, {rows, E},
                     embedding_initializer(options, rows));
  };
  const bool two = options.two_embeddings();
  const Parameter input_table = table(input_scope, both && !two ? entries.context : entries.input);
  const Parameter context_table = two ? table(context_scope, entries.context) : input_table;
  output_.emplace(scope / "output", options, entries.labels, input_table);
  std::optional<TokenEmbedding> context_embedding;
  if (both) {
    context_embedding.emplace(context_scope, options, context_table, sines);
  }
  const TokenEmbedding input_embedding(input_scope, options, input_table, sines);
  AttentionMaker attention(scope, options);
  const Scope encoder_scope = scope / name_of(StackName::encoder);
  const Scope main_scope = scope / name_of(main);
  if (both) {
    encoder_ = stack_of(encoder_scope, options, *context_embedding, attention, StackName::encoder);
  }
  main_ = stack_of(main_scope, options, input_embedding, attention, main);
  if (options.norm_position == NormPosition::pre) {
    if (both) {
      encoder_->closing_norm.emplace(encoder_scope / "norm", options);
    }
    main_->closing_norm.emplace(main_scope / "norm", options);
  }
}

Var Transformer::hidden(Pass& pass, const Batch& batch) const {
  if (!encoder_) {
    if (batch.context.rows() > 0) {
      throw ShapeError(
          "transformer: the batch has a context, but the model has no encoder that reads it");
    }
    return main()(pass, batch.input);
  }
  const SequenceRows context{encode(pass, batch.context), batch.context.segments};
  return main()(pass, batch.input, &context);
}

std::vector<const Stack*> Transformer::stacks() const {
  return encoder_ ? std::vector{&*encoder_, &*main_} : std::vector{&*main_};
}

std::vector<const MultiHeadAttention*> Transformer::attentions() const {
  std::vector<const MultiHeadAttention*> all;
  for (const Stack* stack : stacks()) {
    for (const Layer& layer : stack->layers) {
      all.push_back(&layer.self);
      if (layer.cross) {
        all.push_back(&layer.cross->attention);
      }
    }
  }
  return all;
}

bool Transformer::shares_weights(const MultiHeadAttention& attention) const {
  return std::ranges::any_of(attentions(), [&](const MultiHeadAttention* other) {
    return other->site != attention.site && other->weights.path == attention.weights.path;
  });
}

std::vector<VocabularyTable> Transformer::vocabulary_tables() const {
  const Parameter& input = main().embedding.table;
  std::vector<VocabularyTable> tables;
  if (encoder_) {
    tables.push_back({.table = encoder_->embedding.table, .side = Side::source});
  }
  if (tables.empty() || tables.front().table.block != input.block) {
    tables.push_back({.table = input, .side = encoder_ ? Side::target : Side::source});
  }
  if (output_->weight.block != input.block) {
    tables.push_back({.table = output_->weight, .side = Side::target});
  }
  if (output_->bias.declared()) {
    tables.push_back({.table = output_->bias, .side = Side::target});
  }
  return tables;
}

CrossEntropy batch_loss(const Transformer& model, Pass& pass, const Batch& batch,
                        const LossOptions& options) {
  static const Module module{.paths = {"loss"}};
  const Labels& labels = batch.labels;
  Var rows = model.hidden(pass, batch);
  if (!labels.every_row) {
    const InModule here(pass.tape(), module);
    rows = select_rows(rows, labels.rows);
  }
  Var logits = model.logits(pass, rows);
  const InModule here(pass.tape(), module);
  return cross_entropy(std::move(logits), labels.ids, static_cast<Scalar>(options.label_smoothing));
}

BestTokens best_labels(const Transformer& model, const ParameterStore& store, const Batch& batch,
                       Index count, LogSums log_sums, const HeadSubstitute& substitute) {
  constexpr TokenId none = -1;
  Tape tape(false);
  Pass pass(tape, store);
  pass.substitute = substitute;
  pass.keep_weights_packed();  // so that a row's bits do not depend on the number of rows
  Var rows = model.hidden(pass, batch);
  if (!batch.labels.every_row) {
    rows = select_rows(rows, batch.labels.rows);
  }
  return model.output().best(pass, rows, count, none, log_sums);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
