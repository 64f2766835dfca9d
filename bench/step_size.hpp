// The sizes at which training steps are measured, and the arithmetic in one step.
#pragma once

#include <array>
#include <string_view>

#include "core/types.hpp"
#include "nn/model_options.hpp"

namespace tapehead {

struct StepSize {
  std::string_view name;
  Index vocabulary;
  Index d_model;
  Index heads;
  Index d_ff;
  Index layers;
  Index sequences;
  Index length;  // of each source and each target

  Index tokens() const { return sequences * length; }  // of the targets; the sources have as many

  ModelOptions model() const {
    ModelOptions options;
    options.d_model = d_model;
    options.heads = heads;
    options.d_ff = d_ff;
    options.layers = layers;
    return options;
  }

  // Multiplications and additions in matrix products: 6 for each use of a weight (forward, and
  // twice backward), and the attention products over full squares, forward and twice backward.
  // Nothing elementwise counts.
  double flops() const {
    const auto D = static_cast<double>(d_model);
    const double attention_weights = 4 * D * D;
    const double feed_forward_weights = 2 * D * static_cast<double>(d_ff);
    const double weights =
        static_cast<double>(layers) * (3 * attention_weights + 2 * feed_forward_weights) +
        static_cast<double>(vocabulary) * D;
    const double squares = static_cast<double>(3 * layers * sequences * length * length);
    return 6 * weights * static_cast<double>(tokens()) + 3 * 4 * squares * D;
  }
};

inline constexpr std::array<StepSize, 4> step_sizes{{
    {"A", 32, 64, 4, 256, 2, 64, 16},
    {"B", 1000, 128, 4, 512, 2, 64, 32},
    {"C", 8000, 256, 8, 1024, 3, 32, 64},
    {"D", 8000, 512, 8, 2048, 6, 16, 64},
}};

}  // namespace tapehead
