// BERT (Devlin et al. 2019) and ALBERT (Lan et al. 2020) as masked language models, as
// transformers' BertForMaskedLM and AlbertForMaskedLM keep them.
#include <fmt/format.h>

#include <algorithm>

#include "train/interchange/architecture.hpp"

namespace tapehead {

namespace {

// What both have.
std::vector<std::string> options_of_both(const TheirConfig& config) {
  config.expect("position_embedding_type", "absolute");
  config.expect("is_decoder", false);
  config.expect("tie_word_embeddings", true);
  return {"model.family=encoder",
          "model.preset=bert",
          fmt::format("model.d_model={}", config.count("hidden_size")),
          fmt::format("model.layers={}", config.count("num_hidden_layers")),
          fmt::format("model.heads={}", config.count("num_attention_heads")),
          fmt::format("model.d_ff={}", config.count("intermediate_size")),
          fmt::format("model.max_positions={}", config.count("max_position_embeddings")),
          fmt::format("model.token_types={}", config.count("type_vocab_size")),
          fmt::format("model.norm_epsilon={}", config.number("layer_norm_eps", 1e-12)),
          fmt::format("model.dropout={}", config.number("hidden_dropout_prob", 0.1)),
          fmt::format("model.dropout_attention={}",
                      config.number("attention_probs_dropout_prob", 0.1))};
}

std::vector<TensorRow> embedding_rows() {
  std::vector<TensorRow> rows{
      {.ours = "source.embedding", .theirs = "embeddings.word_embeddings.weight", .entries = true},
      {.ours = "source.positions", .theirs = "embeddings.position_embeddings.weight"},
      {.ours = "source.types", .theirs = "embeddings.token_type_embeddings.weight"}};
  append_norm(rows, "source.norm", "embeddings.LayerNorm");
  return rows;
}

// `attention`: where query, key and value are; `added`: the map of their sum; and so on.
struct LayerNames {
  std::string attention, added, attention_norm, inner, outer, norm;
};

void append_layer(std::vector<TensorRow>& rows, Index layer, const LayerNames& theirs) {
  const std::string ours = fmt::format("encoder.layers.{}.", layer);
  for (const std::string role : {"query", "key", "value"}) {
    append_map(rows, ours + "self." + role, theirs.attention + role);
  }
  append_map(rows, ours + "self.output", theirs.added);
  append_norm(rows, ours + "self.norm", theirs.attention_norm);
  append_map(rows, ours + "feed_forward.inner", theirs.inner);
  append_map(rows, ours + "feed_forward.outer", theirs.outer);
  append_norm(rows, ours + "feed_forward.norm", theirs.norm);
}

void append_head(std::vector<TensorRow>& rows, const std::string& dense, const std::string& norm,
                 const std::string& bias) {
  append_map(rows, "output.transform", dense);
  append_norm(rows, "output.transform.norm", norm);
  rows.push_back({.ours = "output.bias", .theirs = bias, .entries = true});
}

std::vector<std::string> bert_options(const TheirConfig& config) {
  std::vector<std::string> options = options_of_both(config);
  options.push_back("model.activation=" + activation_of(config, "hidden_act", "gelu"));
  return options;
}

std::vector<TensorRow> bert_rows(const TheirConfig& config) {
  std::vector<TensorRow> rows = embedding_rows();
  for (Index layer = 0; layer < config.count("num_hidden_layers"); ++layer) {
    const std::string theirs = fmt::format("encoder.layer.{}.", layer);
    append_layer(rows, layer,
                 {.attention = theirs + "attention.self.",
                  .added = theirs + "attention.output.dense",
                  .attention_norm = theirs + "attention.output.LayerNorm",
                  .inner = theirs + "intermediate.dense",
                  .outer = theirs + "output.dense",
                  .norm = theirs + "output.LayerNorm"});
  }
  append_head(rows, "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
              "cls.predictions.bias");
  return rows;
}

bool is_left_out(std::string_view name) {
  return name == "embeddings.position_ids" || name == "embeddings.token_type_ids" ||
         name.starts_with("pooler.") || name.starts_with("cls.seq_relationship.") ||
         name.starts_with("sop_classifier.") || name.ends_with("predictions.decoder.bias");
}

std::vector<std::string> bert_tied(const TheirConfig& /*config*/) {
  return {"cls.predictions.decoder.weight"};
}

std::vector<std::string> albert_options(const TheirConfig& config) {
  config.expect("inner_group_num", 1);
  const Index narrow = config.count("embedding_size", 128);
  if (narrow == config.count("hidden_size")) {
    config.refuse("embedding_size", "a map between equal widths cannot be done here");
  }
  std::vector<std::string> options = options_of_both(config);
  options.push_back("model.activation=" + activation_of(config, "hidden_act", "gelu_new"));
  options.push_back(fmt::format("model.d_embedding={}", narrow));
  options.push_back(fmt::format("model.layer_groups={}", config.count("num_hidden_groups", 1)));
  return options;
}

std::vector<TensorRow> albert_rows(const TheirConfig& config) {
  std::vector<TensorRow> rows = embedding_rows();
  append_map(rows, "source.map", "encoder.embedding_hidden_mapping_in");
  const Index layers = config.count("num_hidden_layers");
  const Index groups = config.count("num_hidden_groups", 1);
  for (Index group = 0; group < groups; ++group) {
    const std::string theirs =
        fmt::format("encoder.albert_layer_groups.{}.albert_layers.0.", group);
    append_layer(rows, (group * layers + groups - 1) / groups,  // the group's first layer
                 {.attention = theirs + "attention.",
                  .added = theirs + "attention.dense",
                  .attention_norm = theirs + "attention.LayerNorm",
                  .inner = theirs + "ffn",
                  .outer = theirs + "ffn_output",
                  .norm = theirs + "full_layer_layer_norm"});
  }
  append_head(rows, "predictions.dense", "predictions.LayerNorm", "predictions.bias");
  return rows;
}

std::vector<std::string> albert_tied(const TheirConfig& /*config*/) {
  return {"predictions.decoder.weight"};
}

}  // namespace

const Architecture bert_architecture{.model_type = "bert",
                                     .optional_prefixes = {"bert."},
                                     .options = bert_options,
                                     .rows = bert_rows,
                                     .left_out = is_left_out,
                                     .tied = bert_tied};

const Architecture albert_architecture{.model_type = "albert",
                                       .optional_prefixes = {"albert."},
                                       .options = albert_options,
                                       .rows = albert_rows,
                                       .left_out = is_left_out,
                                       .tied = albert_tied};

}  // namespace tapehead
