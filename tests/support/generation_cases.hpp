// Decoders for generation tests: every position scheme and every kind of pattern.
#pragma once

#include <ostream>

#include "nn/attention/spec.hpp"
#include "tests/support/tiny_model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct GenerationScheme {
  AttentionPositions positions = AttentionPositions::none;
  std::string pattern = "full";

  friend std::ostream& operator<<(std::ostream& out, const GenerationScheme& scheme) {
    return out << EnumNames<AttentionPositions>::names[static_cast<std::size_t>(scheme.positions)]
               << ", " << scheme.pattern;
  }
};

inline std::vector<GenerationScheme> generation_schemes() {
  std::vector<GenerationScheme> all;
  for (std::size_t i = 0; i < EnumNames<AttentionPositions>::names.size(); ++i) {
    all.push_back({.positions = static_cast<AttentionPositions>(i)});
  }
  for (const char* pattern :
       {"window 3 0", "blocks 4", "strided 3", "fixed 4 1", "top_k 2", "sink_window 2 3"}) {
    all.push_back({.pattern = pattern});
    all.push_back({.positions = AttentionPositions::rotary, .pattern = pattern});
  }
  return all;
}

// A decoder's options. The initial weights are large, so that probabilities differ by position.
inline ModelOptions decoder_options(const GenerationScheme& scheme) {
  ModelOptions options = tiny_options();
  options.family = Family::decoder;
  options.layers = 2;
  options.d_head = 6;  // rotary needs an even width
  options.initializer_gain = 3;
  options.bias_output = true;
  options.head_transform = HeadTransform::masked;
  options.d_embedding = 5;
  options.token_types = 2;
  options.max_positions = 24;
  options.attention.positions.values = {scheme.positions};
  options.attention.pattern.values = {{{AttentionPattern(scheme.pattern)}}};
  resolve_attention(options);
  return options;
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
