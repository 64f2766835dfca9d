// The functions that tapehead's gradient checker and PyTorch's are both given, with the same
// inputs. Those for PyTorch are in scripts/pytorch_twins.py, under the same names.
#pragma once

#include <string_view>
#include <vector>

#include "core/gradcheck/gradcheck.hpp"
#include "core/gradcheck/model/model.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Case {
  std::string_view name;
  std::vector<Tensor> inputs;
  GradcheckFunction function;
};

// Backward passes that give wrong numbers; beside each, what is wrong with it.
std::vector<Case> wrong_numbers();

// Backward and forward passes that touch, keep or leave out what they should not.
std::vector<Case> wrong_contracts();

// Right ones, and those that are right for one of the two checkers only.
std::vector<Case> other_backwards();

// A decoder of two layers: every input and every parameter.
Case decoder();

// A case's function checked as a model, whose parameters are the case's inputs: along one direction
// in each.
ModelGradcheckReport check_along_directions(const Case& subject);

}}  // namespace tapehead::TAPEHEAD_PRECISION
