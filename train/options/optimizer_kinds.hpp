// The optimisers: what each keeps from step to step, and which options it uses. To add one, add a
// row here and its update to optimizer_updates.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/fields.hpp"

namespace tapehead {

// One number for each number of the parameters.
struct OptimizerMoment {
  std::string_view name;
  bool of_squares = false;  // of squared gradients: never negative, may overflow first
};

struct OptimizerTraits {
  std::string_view name;
  std::span<const OptimizerMoment> moments;
  // Those options of training that it uses and not all optimisers use.
  std::span<const std::string_view> options;
};

inline constexpr std::array sgd_moments{OptimizerMoment{"momentum"}};
inline constexpr std::array adam_moments{OptimizerMoment{"first_moment"},
                                         OptimizerMoment{"second_moment", true}};
inline constexpr std::array<std::string_view, 1> sgd_options{"momentum"};
inline constexpr std::array<std::string_view, 3> adam_options{"beta1", "beta2", "epsilon"};

enum class OptimizerKind { sgd, adam, adamw };
inline constexpr std::array optimizer_kinds{OptimizerTraits{"sgd", sgd_moments, sgd_options},
                                            OptimizerTraits{"adam", adam_moments, adam_options},
                                            OptimizerTraits{"adamw", adam_moments, adam_options}};

constexpr const OptimizerTraits& traits_of(OptimizerKind kind) {
  return optimizer_kinds[static_cast<std::size_t>(kind)];
}

template <>
struct EnumNames<OptimizerKind> {
  static constexpr auto names = [] {
    std::array<std::string_view, optimizer_kinds.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = optimizer_kinds[i].name;
    }
    return all;
  }();
};

}  // namespace tapehead
