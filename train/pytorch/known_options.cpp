#include "train/pytorch/known_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/errors.hpp"

namespace tapehead {

namespace {

struct KnownOption {
  std::string_view name;
  std::vector<std::string_view> choices{};  // empty: any number or text
};

const std::vector<KnownOption>& known_of_model() {
  static const std::vector<KnownOption> known{
      {"family", {"encoder_decoder", "decoder", "encoder"}},
      {"prefix", {"causal", "full"}},
      {"d_model"},
      {"encoder_layers"},
      {"decoder_layers"},
      {"layer_groups"},
      {"feed_forward", {"plain", "gated", "none"}},
      {"d_ff"},
      {"activation", {"relu", "gelu", "silu", "tanh", "gelu_exact"}},
      {"norm", {"layer_norm", "rms_norm", "none"}},
      {"norm_epsilon"},
      {"norm_position", {"pre", "post"}},
      {"bias_attention", {"true", "false"}},
      {"bias_feed_forward", {"true", "false"}},
      {"bias_norm", {"true", "false"}},
      {"bias_output", {"true", "false"}},
      {"head_transform", {"none", "pooler", "masked"}},
      {"d_embedding"},
      {"token_types"},
      {"embedding_norm", {"true", "false"}},
      {"embedding_scale", {"sqrt_d_model", "none"}},
      {"positions", {"sinusoidal", "learned", "none"}},
      {"position_scale", {"none", "inverse_sqrt_d_model"}},
      {"tie_embeddings", {"none", "source_target", "target_output", "all"}},
  };
  return known;
}

const std::vector<KnownOption>& known_of_attention() {
  static const std::vector<KnownOption> known{
      {"heads"},
      {"kv_heads"},
      {"d_qk"},
      {"d_v"},
      {"sharing",
       {"none", "query_key", "key_value", "query_value", "all", "identity", "identity_query"}},
      {"head_weights", {"own", "tied"}},
      {"shared_as"},
      {"input", {"wide", "narrow"}},
      {"combine", {"output", "concatenate", "mean", "weighted"}},
      {"score", {"dot", "bilinear", "cosine", "additive"}},
      {"scale", {"inverse_sqrt_d_qk", "inverse_sqrt_d_model", "none", "learned"}},
      {"positions",
       {"none", "rotary", "relative", "relative_keys", "transformer_xl", "t5", "alibi"}},
      {"rotary_base"},
      {"rotary_pairs", {"halves", "interleaved"}},
      {"clip"},
      {"buckets"},
      {"farthest"},
      {"pattern", {"full", "causal", "window", "blocks", "strided", "fixed", "top_k"}},
      {"gates", {"none", "l0"}},
  };
  return known;
}

// The words of a value, such as [[window 2], [full]], that are no numbers.
std::vector<std::string> words_of_value(std::string_view value) {
  std::vector<std::string> words(1);
  for (const char letter : value) {
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

bool is_known(const ChangedOption& option) {
  const std::vector<KnownOption>& known =
      option.section == "model" ? known_of_model() : known_of_attention();
  const auto found = std::ranges::find(known, option.name, &KnownOption::name);
  if (found == known.end()) {
    return false;
  }
  return found->choices.empty() ||
         std::ranges::all_of(words_of_value(option.value), [&](const std::string& word) {
           return std::ranges::find(found->choices, word) != found->choices.end();
         });
}

}  // namespace

void expect_known(const std::vector<ChangedOption>& options) {
  for (const ChangedOption& option : options) {
    if (!is_known(option)) {
      throw ConfigError(fmt::format("{}.{}: {}: there is no PyTorch for it yet", option.section,
                                    option.name, option.value));
    }
  }
}

}  // namespace tapehead
