// Architectures of other programs: which options of ours make the same model, and which tensor of
// theirs is which parameter of ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/interchange/their_config.hpp"

namespace tapehead {

// A parameter of ours, and where its numbers are.
struct TensorRow {
  enum class Form { same, transposed };  // transposed: theirs is (in, out)

  std::string ours;
  std::string theirs;
  Form form = Form::same;
  Index part = 0;  // of `parts` equal parts, which lie one below the other once it is (out, in)
  Index parts = 1;
  bool entries = false;  // it has a row, or number, for each entry of the vocabulary
};

struct Architecture {
  std::string_view model_type;                 // as their config.json says
  std::vector<std::string> optional_prefixes;  // that their names may begin with
  // Overrides, such as "model.d_model=768". Throws ConfigError that names a setting which cannot be
  // done here.
  std::vector<std::string> (*options)(const TheirConfig& config);
  std::vector<TensorRow> (*rows)(const TheirConfig& config);
  // Whether a tensor is no parameter of the model as it is used here: a buffer, or another head.
  bool (*left_out)(std::string_view name);
  // Tensors that are the table of tokens once more, where a model is tied.
  std::vector<std::string> (*tied)(const TheirConfig& config);
};

extern const Architecture gpt2_architecture;
extern const Architecture llama_architecture;
extern const Architecture bert_architecture;
extern const Architecture albert_architecture;

// The architecture of a config.json. Throws ConfigError that lists those that there are.
const Architecture& architecture_of(const TheirConfig& config);

// Rows for `weight` and `bias` of a map or a norm; our norms call their weight `gain`.
void append_map(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                bool bias = true, TensorRow::Form form = TensorRow::Form::same, Index part = 0,
                Index parts = 1);
void append_norm(std::vector<TensorRow>& rows, const std::string& ours, const std::string& theirs,
                 bool bias = true);

// Our name of an activation. Throws ConfigError for one that there is not.
std::string activation_of(const TheirConfig& config, const char* setting, const char* otherwise);

}  // namespace tapehead
