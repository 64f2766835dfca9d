// The options of a transformer: the `model` section of a config.
#pragma once

#include "nn/options/attention_settings.hpp"

namespace tapehead {

// An absent option is `auto`: `resolve` sets it from another option, as its help says.
struct ModelOptions {
  Preset preset = Preset::none;
  Family family = Family::encoder_decoder;
  SourceRows prefix = SourceRows::causal;
  Index d_model = 64;
  Index heads = 4;
  std::optional<Index> d_head{};
  Index layers = 2;
  std::optional<Index> encoder_layers{};
  std::optional<Index> decoder_layers{};
  std::optional<Index> layer_groups{};
  FeedForwardKind feed_forward = FeedForwardKind::plain;
  std::optional<Index> d_ff{};
  Activation activation = Activation::relu;
  NormKind norm = NormKind::layer_norm;
  double norm_epsilon = 1e-5;
  NormPosition norm_position = NormPosition::pre;
  bool bias_attention = true;
  bool bias_feed_forward = true;
  bool bias_norm = true;
  bool bias_output = false;
  HeadTransform head_transform = HeadTransform::none;
  std::optional<Index> d_embedding{};
  Index token_types = 0;
  bool embedding_norm = false;
  EmbeddingScale embedding_scale = EmbeddingScale::sqrt_d_model;
  PositionKind positions = PositionKind::sinusoidal;
  PositionScale position_scale = PositionScale::none;
  Index max_positions = 1024;
  double dropout = 0.1;
  std::optional<double> dropout_embedding{};
  std::optional<double> dropout_attention{};
  std::optional<double> dropout_feed_forward{};
  std::optional<double> dropout_residual{};
  Tying tie_embeddings = Tying::none;
  InitKind initializer = InitKind::xavier_uniform;
  double initializer_gain = 1.0;
  bool initializer_depth_scale = false;
  EmbeddingInit embedding_initializer = EmbeddingInit::standard;
  std::string init_from{};
  // Subsections.
  AttentionSettings attention{};
  AttentionSettings encoder_self{};
  AttentionSettings decoder_self{};
  AttentionSettings cross{};

  const FamilyTraits& traits() const { return families[static_cast<std::size_t>(family)]; }

  const std::optional<Index>& own_layers(StackName stack) const {
    return stack == StackName::encoder ? encoder_layers : decoder_layers;
  }
  // The number of layers of a stack; 0 if the family has no such stack.
  Index layers_of(StackName stack) const {
    return traits().has(stack) ? own_layers(stack).value_or(layers) : 0;
  }

  // Whether the context has its own embedding.
  bool two_embeddings() const { return traits().context && !ties_source(tie_embeddings); }

  AttentionSettings& settings(AttentionKind kind) { return this->*section_of(kind); }
  const AttentionSettings& settings(AttentionKind kind) const { return this->*section_of(kind); }

  // The inner width of the feed-forward block; 0: no block. A gated block has three matrices, so
  // 2/3 of the width gives as many weights (Shazeer 2020, 3), rounded up to cache lines of 16
  // floats.
  Index feed_forward_width() const {
    constexpr Index multiple = 16;
    const Index usual = feed_forward == FeedForwardKind::plain
                            ? 4 * d_model
                            : (8 * d_model + 3 * multiple - 1) / (3 * multiple) * multiple;
    return feed_forward == FeedForwardKind::none ? 0 : d_ff.value_or(usual);
  }

  // The width of the embedding tables. A factored embedding has narrower tables than the model, and
  // maps their rows to d_model (Lan et al. 2020, section 3.1).
  Index embedding_width() const { return d_embedding.value_or(d_model); }
  bool factored_embedding() const { return embedding_width() != d_model; }

  // The width of the rows that the output layer reads.
  Index output_width() const {
    return head_transform == HeadTransform::masked ? embedding_width() : d_model;
  }

  // The first layer that shares its weights with `layer`, in a stack of `stack_layers` layers. The
  // groups are consecutive and as equal as possible. In a stack with no more layers than groups,
  // each layer has its own weights. As in AlbertTransformer of transformers, layer i is in the
  // group int(i / (layers / groups)), with rounded quotients: 9 / (18 / 14) is less than 7.
  Index first_of_group(Index layer, Index stack_layers) const {
    const Index groups = std::min(layer_groups.value_or(stack_layers), stack_layers);
    const double size = static_cast<double>(stack_layers) / static_cast<double>(groups);
    const auto group_of = [&](Index one) {
      return static_cast<Index>(static_cast<double>(one) / size);
    };
    Index first = layer;
    while (first > 0 && group_of(first - 1) == group_of(layer)) {
      --first;
    }
    return first;
  }

  void fields(const auto& row) {
    const When any_norm = When::with("model.norm", {"layer_norm", "rms_norm"});
    row(preset, keeping_meaning(named("preset")),
        "values for other options that the config does not set: vaswani (Vaswani et al. 2017), "
        "gpt2 (Radford et al. 2019), llama (Touvron et al. 2023) or bert (Devlin et al. 2019); "
        "docs/presets.md lists them");
    row(family, named("family"),
        "encoder_decoder: an encoder reads the source, and a decoder attends to it and writes the "
        "target; decoder: one stack reads the source and continues with the target, as in GPT; "
        "encoder: one stack reads the source and labels it, or its tokens, as in BERT");
    row(prefix, named("prefix"),
        "decoder: what the rows of a source see: earlier rows (causal), or the whole source "
        "(full)");
    row(d_model, named("d_model", 1, 65536), "width of the model: the columns of every activation");
    row(heads, keeping_meaning(named("heads", 1, 1024)),
        "attention heads in each attention; attention.heads can differ");
    row(d_head, keeping_meaning(named("d_head", 1, 65536)),
        "width of each head; auto: d_model / heads (attention.d_qk and d_v can differ)");
    row(layers, keeping_meaning(named("layers", 1, 256)),
        "layers of the encoder and of the decoder");
    row(encoder_layers, named("encoder_layers", 0, 256),
        "layers of the encoder, 0: the decoder sees the embeddings; auto: layers; without an "
        "encoder 0");
    row(decoder_layers, named("decoder_layers", 0, 256),
        "layers of the decoder; auto: layers; without a decoder 0");
    row(layer_groups, named("layer_groups", 1, 256),
        "number of groups of successive layers in a stack; the layers of a group share all their "
        "weights (1: all layers, Lan et al. 2020); auto: each layer has its own");
    row(feed_forward, named("feed_forward"),
        "the feed-forward block of each layer: W2 f(W1 x) (plain, Vaswani et al. 2017), W2 (f(V "
        "x) * W1 x) (gated, Shazeer 2020: SwiGLU with activation silu, GEGLU with gelu), or no "
        "such block (none)");
    row(d_ff, named("d_ff", 1, 262144),
        "inner width of the feed-forward block; auto: 4 d_model; gated: 8/3 d_model, up to the "
        "next multiple of 16");
    row(activation, named("activation"),
        "activation of the feed-forward block, and of head_transform: masked");
    row(norm, named("norm"),
        "layer_norm (Ba et al. 2016), rms_norm (Zhang and Sennrich 2019), or none: the model "
        "has no norms");
    row(norm_epsilon, only_with(any_norm, above(named("norm_epsilon", 0, 1))),
        "epsilon under the square root of norms");
    row(norm_position, only_with(any_norm, named("norm_position")),
        "before each block (pre) or after its residual sum (post, as in Vaswani et al. 2017)");
    row(bias_attention, named("bias_attention"),
        "whether query, key, value and output projections have biases");
    row(bias_feed_forward, named("bias_feed_forward"),
        "whether the linear maps of the feed-forward block have biases");
    row(bias_norm, only_with(When::with("model.norm", {"layer_norm"}), named("bias_norm")),
        "whether layer_norm has a bias");
    row(bias_output, named("bias_output"),
        "whether the output layer has a bias: a number for each token's logit");
    row(head_transform, named("head_transform"),
        "transform of labelled rows before the output layer: none; tanh(W x + b), for classes "
        "(pooler); norm(activation(W x + b)), of width d_embedding, for masked tokens (masked; "
        "both Devlin et al. 2019)");
    row(d_embedding, named("d_embedding", 1, 65536),
        "width of the embedding tables; a linear map takes it to d_model (Lan et al. 2020); auto: "
        "d_model, without a map");
    row(token_types, named("token_types", 0, 65536),
        "rows of a table with a vector for each token type, added to the token's embedding (Devlin "
        "et al. 2019); tokens of a task without types have type 0; 0: no table");
    row(embedding_norm, only_with(any_norm, named("embedding_norm")),
        "whether the sum of embeddings goes through a norm, before dropout (Devlin et al. 2019)");
    row(embedding_scale, named("embedding_scale"),
        "factor on embeddings, before positions are added: the root of d_model (Vaswani et al. "
        "2017), or none (GPT-2)");
    row(positions, named("positions"), "how the embedding encodes positions");
    row(position_scale,
        only_with(When::with("model.positions", {"sinusoidal", "learned"}),
                  named("position_scale")),
        "factor on positions, before they are added to embeddings: none, or d_model^-1/2 "
        "(Csordás et al. 2021)");
    row(max_positions, keeping_meaning(named("max_positions", 1, 1048576, "tokens")),
        "longest sequence that is read or written, including its mark");
    row(dropout, dropout_field("dropout"), "common default of the four dropout options");
    row(dropout_embedding, dropout_field("dropout_embedding"),
        "dropout on embeddings with positions; auto: dropout");
    row(dropout_attention, dropout_field("dropout_attention"),
        "dropout on attention weights; auto: dropout");
    row(dropout_feed_forward, dropout_field("dropout_feed_forward"),
        "dropout after the feed-forward activation; auto: dropout");
    row(dropout_residual, dropout_field("dropout_residual"),
        "dropout on each block's output before its residual sum; auto: dropout");
    row(tie_embeddings, named("tie_embeddings"),
        "which of source embedding, target embedding and output share one weight");
    row(initializer, for_start(named("initializer")),
        "how weight matrices start (query, key and value as one matrix)");
    row(initializer_gain, for_start(above(named("initializer_gain", 0, 100))),
        "factor on the initial deviation of weight matrices (with normal: 0.02 times this factor)");
    row(initializer_depth_scale, for_start(named("initializer_depth_scale")),
        "whether the last map of each block starts divided by the root of the number of blocks "
        "that its stack sums (GPT-2)");
    row(embedding_initializer, for_start(named("embedding_initializer")),
        "how the tables of tokens, positions and token types start: normal with deviation "
        "d_model^-1/2, or 0.02 without embedding_scale (standard), normal with deviation 1 "
        "(unit_normal) or (2 / columns)^1/2 (kaiming_normal), or uniform with variance 2 / (rows + "
        "columns) (xavier_uniform)");
    row(init_from, for_start(named("init_from")),
        "run directory whose best weights (else the average, else the last) this run starts "
        "from; empty: none");
  }

 private:
  static AttentionSettings ModelOptions::* section_of(AttentionKind kind) {
    constexpr std::array sections{&ModelOptions::encoder_self, &ModelOptions::decoder_self,
                                  &ModelOptions::cross};
    return sections[static_cast<std::size_t>(kind)];
  }
};

}  // namespace tapehead
