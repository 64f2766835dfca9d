// The optimisers and the state that each keeps between steps. To add one, add a row here and its
// update to optimizer_updates.cpp. Options that only some optimisers use name these optimisers in
// training_options.hpp.
#pragma once

#include "core/fields.hpp"
#include "core/tape/parameter_declaration.hpp"

namespace tapehead {

// A part of an optimiser's state: one number for each number of a parameter.
struct OptimizerMoment {
  std::string_view name;
  bool of_squares = false;  // of squared gradients: never negative, may overflow first
};

struct OptimizerTraits {
  std::string_view name;
  std::span<const OptimizerMoment> moments;
  // The moments of hidden matrices, if the optimiser updates them separately. Then `moments` belong
  // to the other parameters.
  std::span<const OptimizerMoment> matrix_moments;

  constexpr bool updates_whole(ParameterKind kind) const {
    return kind == ParameterKind::matrix && !matrix_moments.empty();
  }
  constexpr std::span<const OptimizerMoment> moments_of(ParameterKind kind) const {
    return updates_whole(kind) ? matrix_moments : moments;
  }
};

inline constexpr std::array momentum_alone{OptimizerMoment{"momentum"}};
inline constexpr std::array adam_moments{OptimizerMoment{"first_moment"},
                                         OptimizerMoment{"second_moment", true}};

enum class OptimizerKind { sgd, adam, adamw, muon };
inline constexpr std::array optimizer_kinds{OptimizerTraits{"sgd", momentum_alone, {}},
                                            OptimizerTraits{"adam", adam_moments, {}},
                                            OptimizerTraits{"adamw", adam_moments, {}},
                                            OptimizerTraits{"muon", adam_moments, momentum_alone}};

constexpr const OptimizerTraits& traits_of(OptimizerKind kind) {
  return optimizer_kinds[static_cast<std::size_t>(kind)];
}

constexpr ValueNames<optimizer_kinds.size()> value_names(OptimizerKind) {
  ValueNames<optimizer_kinds.size()> names;
  std::ranges::transform(optimizer_kinds, names.begin(), &OptimizerTraits::name);
  return names;
}

}  // namespace tapehead
