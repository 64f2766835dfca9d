// The Python class of a whole model, whose constructor makes all layers.
#pragma once

#include <string>
#include <vector>

#include "train/pytorch/attention_classes.hpp"
#include "train/pytorch/part.hpp"

namespace tapehead {

// `model`: model_values() of the model.
std::string transformer_source(const ModelOptions& options,
                               const std::vector<AttentionClass>& classes, const PartValues& model);

// The classes of its layers.
std::string layers_source(const ModelOptions& options, const PartValues& model);

}  // namespace tapehead
