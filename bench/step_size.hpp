// The sizes at which training steps are measured, and how fast they are where nothing is broken.
#pragma once

#include <array>
#include <string_view>

#include "core/types.hpp"

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
  // Model FLOP utilisation, by 1 and by 2 threads, below which `step --check` fails.
  std::array<double, 2> least_mfu;

  Index tokens() const { return sequences * length; }  // of the targets; the sources have as many
};

inline constexpr std::array<StepSize, 4> step_sizes{{
    {"A", 32, 64, 4, 256, 2, 64, 16, {0.50, 0.45}},
    {"B", 1000, 128, 4, 512, 2, 64, 32, {0.65, 0.60}},
    {"C", 8000, 256, 8, 1024, 3, 32, 64, {0.72, 0.70}},
    {"D", 8000, 512, 8, 2048, 6, 16, 64, {0.78, 0.75}},
}};

}  // namespace tapehead
