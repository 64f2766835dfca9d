#include "interchange/pytorch_module.hpp"

#include <cctype>

#include "nn/attention/spec.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

namespace {

// The supported options and their choices. An option without choices may have any number or text.
constexpr std::string_view known_of_model = R"(
family encoder_decoder decoder encoder, prefix causal full, d_model, encoder_layers,
decoder_layers, layer_groups, feed_forward plain gated none, d_ff,
activation relu gelu silu tanh gelu_exact, norm layer_norm rms_norm none, norm_epsilon,
norm_position pre post, bias_attention true false, bias_feed_forward true false,
bias_norm true false, bias_output true false, head_transform none pooler masked, d_embedding,
token_types, embedding_norm true false, embedding_scale sqrt_d_model none,
positions sinusoidal learned none, position_scale none inverse_sqrt_d_model,
tie_embeddings none source_target target_output all)";
constexpr std::string_view known_of_attention = R"(
heads, kv_heads, d_qk, d_v,
sharing none query_key key_value query_value all identity identity_query, head_weights own tied,
shared_as, input wide narrow, combine output concatenate mean weighted,
score dot bilinear cosine additive, scale inverse_sqrt_d_qk inverse_sqrt_d_model none learned,
positions none rotary relative relative_keys transformer_xl t5 alibi, rotary_base,
rotary_pairs halves interleaved, clip, buckets, farthest,
pattern full causal window blocks strided fixed top_k, gates none l0)";

// The words of a value, such as [[window 2], [full]], without numbers.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_') {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::erase_if(words, [](const std::string& word) {
    return word.find_first_not_of("0123456789") == std::string::npos;
  });
  return words;
}

bool is_known(std::string_view option, std::string_view value) {
  const auto& all = option.starts_with("model.") ? known_of_model : known_of_attention;
  for (const auto part : std::views::split(all, ',')) {
    const std::vector<std::string> known = words_of({part.begin(), part.end()});
    if (known.front() == option.substr(option.find('.') + 1)) {
      const auto is_choice = [&](const std::string& word) {
        return std::find(known.begin() + 1, known.end(), word) != known.end();
      };
      return known.size() == 1 || std::ranges::all_of(words_of(value), is_choice);
    }
  }
  return false;
}

// A copy of the config in which every attention has the default AttentionSpec.
Config defaults_of(const Config& config) {
  Config defaults = config_for(config.task.kind());
  for (const AttentionKind kind : attention_kinds) {
    std::vector<AttentionSpec> layers;
    for (const AttentionSpec& own : attention_specs(config.model, kind)) {
      layers.emplace_back().kv_heads = own.heads;
    }
    defaults.model.settings(kind) = settings_of(layers);
  }
  return defaults;
}

}  // namespace

// Neither map contains the options of attentions that the model lacks.
OptionValues changed_options(const Config& config) {
  const std::map<std::string, std::string> usual = meaning_of(defaults_of(config));
  OptionValues changed = option_values(config);
  std::erase_if(changed, [&](const auto& one) {
    const auto& [option, value] = one;
    const auto found = usual.find(option);
    return found == usual.end() || found->second == value;
  });
  return changed;
}

void expect_known(const OptionValues& options) {
  for (const auto& [option, value] : options) {
    if (!is_known(option, value)) {
      throw ConfigError("{}: {}: export --as pytorch does not support this value", option, value);
    }
  }
}

}  // namespace tapehead
