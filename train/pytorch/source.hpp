// model.py: a model in plain PyTorch, made for its options.
#pragma once

#include <string>

#include "train/options/options.hpp"
#include "train/pytorch/model_values.hpp"

namespace tapehead {

struct PytorchModel {
  std::string name;  // of the run and its checkpoint
  Config config;     // resolved
  ModelTables tables;
  bool ends = true;  // it may write the end mark
};

// Throws ConfigError that names an option that there is no Python for.
std::string pytorch_source(const PytorchModel& model);

}  // namespace tapehead
