#include "interchange/architecture.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr std::array architectures{&gpt2_architecture, &llama_architecture, &bert_architecture,
                                   &albert_architecture, &marian_architecture};

struct ActivationName {
  std::string_view theirs;
  Activation ours;
};

// gelu_new and gelu_pytorch_tanh are the approximation by tanh (Hendrycks and Gimpel 2016). The
// first of several names is the usual one.
constexpr std::array<ActivationName, 8> activation_names{{{"gelu", Activation::gelu_exact},
                                                          {"gelu_new", Activation::gelu},
                                                          {"gelu_pytorch_tanh", Activation::gelu},
                                                          {"relu", Activation::relu},
                                                          {"silu", Activation::silu},
                                                          {"swish", Activation::silu},
                                                          {"tanh", Activation::tanh},
                                                          {"gelu_python", Activation::gelu_exact}}};

}  // namespace

const Architecture& architecture_of(const TheirConfig& config) {
  const std::string type = config.text("model_type", "");
  const auto* const found = std::ranges::find(architectures, type, &Architecture::model_type);
  if (found == architectures.end()) {
    const auto names = architectures | std::views::transform(&Architecture::model_type);
    config.refuse("model_type", fmt::format("\"{}\" is none of {}", type, join(names, ", ")));
  }
  return **found;
}

const Architecture& nearest_architecture(const ModelOptions& ours) {
  switch (ours.family) {
    case Family::encoder_decoder:
      return marian_architecture;
    case Family::decoder:
      return ours.norm == NormKind::rms_norm ? llama_architecture : gpt2_architecture;
    default:
      return ours.factored_embedding() ? albert_architecture : bert_architecture;
  }
}

Purpose purpose_of(const TheirConfig& config) {
  const std::string name = config.first_text("architectures");
  const auto& classes = architecture_of(config).classes;
  const auto* const found = std::ranges::find(classes, name);
  return found == classes.end() || name.empty() ? Purpose::tokens
                                                : static_cast<Purpose>(found - classes.begin());
}

bool output_is_table(const TheirConfig& config, bool usual) {
  return purpose_of(config) == Purpose::tokens && config.flag("tie_word_embeddings", usual);
}

std::vector<TiedTensor> tied_output(const TheirConfig& config, bool usual, const char* table) {
  return output_is_table(config, usual) ? std::vector<TiedTensor>{{"lm_head.weight", table}}
                                        : std::vector<TiedTensor>{};
}

Index count_labels(const TheirConfig& config) {
  const auto* const names = config.object("id2label");
  return names == nullptr ? config.count("num_labels", 2) : std::ssize(*names);
}

Index rows_of_entries(const TheirConfig& config, Entries entries) {
  const bool labels = entries == Entries::target && purpose_of(config) == Purpose::token_labels;
  return labels ? count_labels(config) : config.count("vocab_size");
}

void append_map(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                bool bias, TensorRow::Form form, Index part, Index parts) {
  rows.push_back({.ours = ours + ".weight",
                  .theirs = theirs + ".weight",
                  .form = form,
                  .part = part,
                  .parts = parts});
  if (bias) {
    rows.push_back(
        {.ours = ours + ".bias", .theirs = theirs + ".bias", .part = part, .parts = parts});
  }
}

void append_norm(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                 bool bias) {
  rows.push_back({.ours = ours + ".gain", .theirs = theirs + ".weight"});
  if (bias) {
    rows.push_back({.ours = ours + ".bias", .theirs = theirs + ".bias"});
  }
}

std::string activation_of(const TheirConfig& config, const char* setting, const char* otherwise) {
  const std::string theirs = config.text(setting, otherwise);
  const auto* const found = std::ranges::find(activation_names, theirs, &ActivationName::theirs);
  if (found == activation_names.end()) {
    config.refuse(setting, fmt::format("there is no activation \"{}\" here", theirs));
  }
  return std::string(EnumNames<Activation>::names[static_cast<std::size_t>(found->ours)]);
}

std::string their_activation(Activation activation) {
  return std::string(
      std::ranges::find(activation_names, activation, &ActivationName::ours)->theirs);
}

}  // namespace tapehead
