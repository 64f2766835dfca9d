#include "train/interchange/architecture.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

const std::array<const Architecture*, 4>& architectures() {
  static const std::array<const Architecture*, 4> all{&gpt2_architecture, &llama_architecture,
                                                      &bert_architecture, &albert_architecture};
  return all;
}

}  // namespace

const Architecture& architecture_of(const TheirConfig& config) {
  const std::string type = config.text("model_type", "");
  const auto& all = architectures();
  const auto found = std::ranges::find(all, type, &Architecture::model_type);
  if (found == all.end()) {
    std::vector<std::string> names;
    std::ranges::transform(all, std::back_inserter(names),
                           [](const Architecture* one) { return std::string(one->model_type); });
    config.refuse("model_type", fmt::format("\"{}\" is none of {}", type, join(names, ", ")));
  }
  return **found;
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
  // gelu_new and gelu_pytorch_tanh are the approximation by tanh (Hendrycks and Gimpel 2016).
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> names{
      {{"gelu", "gelu_exact"},
       {"gelu_new", "gelu"},
       {"gelu_pytorch_tanh", "gelu"},
       {"relu", "relu"},
       {"silu", "silu"},
       {"swish", "silu"},
       {"gelu_python", "gelu_exact"}}};
  const std::string theirs = config.text(setting, otherwise);
  const auto* const found =
      std::ranges::find(names, theirs, &std::pair<std::string_view, std::string_view>::first);
  if (found == names.end()) {
    config.refuse(setting, fmt::format("there is no activation \"{}\" here", theirs));
  }
  return std::string(found->second);
}

}  // namespace tapehead
