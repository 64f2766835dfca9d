// BERT (Devlin et al. 2019) and ALBERT (Lan et al. 2020), in the format of transformers' classes
// for masked tokens, classes and token labels, such as BertForMaskedLM.

#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

constexpr std::array transforms{"masked", "pooler", "none"};  // for each Purpose

const std::vector<std::string_view> left_out_of_both{"embeddings.position_ids",
                                                     "embeddings.token_type_ids", "pooler.*",
                                                     "cls.seq_relationship.*", "sop_classifier.*"};

// The options that BERT and ALBERT have in common.
std::vector<std::string> options_of_both(const TheirConfig& config, const char* usual_activation) {
  config.expect("position_embedding_type", "absolute");
  config.expect("is_decoder", false);
  config.expect("tie_word_embeddings", true);
  const Purpose purpose = purpose_of(config);
  return {
      "model.family=encoder",
      "model.preset=bert",
      fmt::format("model.d_model={}", config.count("hidden_size")),
      fmt::format("model.layers={}", config.count("num_hidden_layers")),
      fmt::format("model.heads={}", config.count("num_attention_heads")),
      fmt::format("model.d_ff={}", config.count("intermediate_size")),
      fmt::format("model.max_positions={}", config.count("max_position_embeddings")),
      fmt::format("model.token_types={}", config.count("type_vocab_size")),
      fmt::format("model.norm_epsilon={}", config.number("layer_norm_eps", 1e-12)),
      fmt::format("model.dropout={}", config.number("hidden_dropout_prob", 0.1)),
      fmt::format("model.dropout_attention={}", config.number("attention_probs_dropout_prob", 0.1)),
      fmt::format("model.tie_embeddings={}", purpose == Purpose::tokens ? "target_output" : "none"),
      fmt::format("model.head_transform={}", transforms[static_cast<std::size_t>(purpose)]),
      "model.activation=" + activation_of(config, "hidden_act", usual_activation)};
}

Json settings_of_both(const ModelOptions& ours) {
  return {{"hidden_size", ours.d_model},
          {"num_hidden_layers", ours.encoder_layers.value_or(ours.layers)},
          {"num_attention_heads", ours.encoder_self.heads.at(0)},
          {"intermediate_size", std::max<Index>(1, ours.feed_forward_width())},
          {"max_position_embeddings", ours.max_positions},
          {"type_vocab_size", std::max<Index>(1, ours.token_types)},
          {"layer_norm_eps", ours.norm_epsilon},
          {"hidden_dropout_prob", ours.dropout},
          {"attention_probs_dropout_prob", ours.dropout_attention.value_or(ours.dropout)},
          {"hidden_act", their_activation(ours.activation)},
          {"position_embedding_type", "absolute"}};
}

// `body`: the name prefix of the tensors that all purposes share.
std::vector<TensorRow> embedding_rows(const std::string& body) {
  const std::string theirs = body + "embeddings.";
  std::vector<TensorRow> rows{
      {.ours = "source.embedding",
       .theirs = theirs + "word_embeddings.weight",
       .entries = Entries::source},
      {.ours = "source.positions", .theirs = theirs + "position_embeddings.weight"},
      {.ours = "source.types", .theirs = theirs + "token_type_embeddings.weight"}};
  append_map(rows, {"source.norm", theirs + "LayerNorm"});
  return rows;
}

// The names of a layer's maps and norms: ours and theirs.
using LayerNames = std::array<std::pair<const char*, const char*>, 8>;

void append_layer(std::vector<TensorRow>& rows, Index layer, const std::string& theirs,
                  const LayerNames& names) {
  for (const auto& [our_name, their_name] : names) {
    append_map(rows, {fmt::format("encoder.layers.{}.{}", layer, our_name), theirs + their_name});
  }
}

// Their names: the prefix of the transform for tokens, the bias of the tokens, and the pooler.
void append_head(std::vector<TensorRow>& rows, Purpose purpose, const std::string& transform,
                 const char* bias, const char* pooler) {
  switch (purpose) {
    case Purpose::tokens:
      append_map(rows, {"output.transform", transform + "dense"});
      append_map(rows, {"output.transform.norm", transform + "LayerNorm"});
      rows.push_back({.ours = "output.bias", .theirs = bias, .entries = Entries::target});
      break;
    case Purpose::classes:
      append_map(rows, {"output.transform", pooler});
      append_map(rows, {"output", "classifier"});
      break;
    case Purpose::token_labels:
      append_map(rows, {.ours = "output", .theirs = "classifier", .entries = Entries::target});
  }
}

constexpr LayerNames bert_layer{{{"self.query", "attention.self.query"},
                                 {"self.key", "attention.self.key"},
                                 {"self.value", "attention.self.value"},
                                 {"self.output", "attention.output.dense"},
                                 {"self.norm", "attention.output.LayerNorm"},
                                 {"feed_forward.inner", "intermediate.dense"},
                                 {"feed_forward.outer", "output.dense"},
                                 {"feed_forward.norm", "output.LayerNorm"}}};

std::vector<TensorRow> bert_rows(const TheirConfig& config) {
  std::vector<TensorRow> rows = embedding_rows("bert.");
  for (Index layer = 0; layer < config.count("num_hidden_layers"); ++layer) {
    append_layer(rows, layer, fmt::format("bert.encoder.layer.{}.", layer), bert_layer);
  }
  append_head(rows, purpose_of(config), "cls.predictions.transform.", "cls.predictions.bias",
              "bert.pooler.dense");
  return rows;
}

std::vector<std::string> albert_options(const TheirConfig& config) {
  config.expect("inner_group_num", 1);
  const Index narrow = config.count("embedding_size", 128);
  if (narrow == config.count("hidden_size")) {
    config.refuse("embedding_size",
                  "must differ from hidden_size: tapehead has no map between equal widths");
  }
  std::vector<std::string> options = options_of_both(config, "gelu_new");
  options.push_back(fmt::format("model.d_embedding={}", narrow));
  options.push_back(fmt::format("model.layer_groups={}", config.count("num_hidden_groups", 1)));
  return options;
}

Json albert_settings(const ModelOptions& ours) {
  Json settings = settings_of_both(ours);
  const Index layers = ours.encoder_layers.value_or(ours.layers);
  settings["embedding_size"] = ours.embedding_width();
  settings["num_hidden_groups"] = ours.layer_groups.value_or(layers);
  settings["inner_group_num"] = 1;
  settings["classifier_dropout_prob"] = ours.dropout;
  return settings;
}

constexpr LayerNames albert_layer{{{"self.query", "attention.query"},
                                   {"self.key", "attention.key"},
                                   {"self.value", "attention.value"},
                                   {"self.output", "attention.dense"},
                                   {"self.norm", "attention.LayerNorm"},
                                   {"feed_forward.inner", "ffn"},
                                   {"feed_forward.outer", "ffn_output"},
                                   {"feed_forward.norm", "full_layer_layer_norm"}}};

std::vector<TensorRow> albert_rows(const TheirConfig& config) {
  std::vector<TensorRow> rows = embedding_rows("albert.");
  append_map(rows, {"source.map", "albert.encoder.embedding_hidden_mapping_in"});
  const Index layers = config.count("num_hidden_layers");
  ModelOptions ours;
  ours.layer_groups = config.count("num_hidden_groups", 1);
  Index group = 0;
  for (Index layer = 0; layer < layers; ++layer) {
    if (ours.first_of_group(layer, layers) == layer) {
      append_layer(rows, layer,
                   fmt::format("albert.encoder.albert_layer_groups.{}.albert_layers.0.", group++),
                   albert_layer);
    }
  }
  append_head(rows, purpose_of(config), "predictions.", "predictions.bias", "albert.pooler");
  if (purpose_of(config) == Purpose::tokens) {
    // When transformers loads a model, it replaces `predictions.bias` by this copy.
    rows.push_back({.ours = "output.bias",
                    .theirs = "predictions.decoder.bias",
                    .entries = Entries::target,
                    .only_written = true});
  }
  return rows;
}

}  // namespace

const Architecture bert_architecture{
    .name = "BERT",
    .model_type = "bert",
    .optional_prefix = "bert.",
    .classes = {"BertForMaskedLM", "BertForSequenceClassification", "BertForTokenClassification"},
    .options = [](const TheirConfig& config) { return options_of_both(config, "gelu"); },
    .settings = settings_of_both,
    .rows = bert_rows,
    .left_out = left_out_of_both,
    .tied = [](const TheirConfig&) -> std::vector<TiedTensor> {
      return {{"cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"},
              {"cls.predictions.decoder.bias", "cls.predictions.bias"}};
    }};

const Architecture albert_architecture{
    .name = "ALBERT",
    .model_type = "albert",
    .optional_prefix = "albert.",
    .classes = {"AlbertForMaskedLM", "AlbertForSequenceClassification",
                "AlbertForTokenClassification"},
    .options = albert_options,
    .settings = albert_settings,
    .rows = albert_rows,
    .left_out = left_out_of_both,
    .tied = [](const TheirConfig&) -> std::vector<TiedTensor> {
      return {{"predictions.decoder.weight", "albert.embeddings.word_embeddings.weight"},
              {"predictions.decoder.bias", "predictions.bias"}};
    }};

}  // namespace tapehead
