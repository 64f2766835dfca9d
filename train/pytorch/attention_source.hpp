// The Python class of some of a model's attentions.
#pragma once

#include <string>

#include "train/pytorch/attention_classes.hpp"
#include "train/pytorch/part.hpp"

namespace tapehead {

// `model`: model_values() of the model.
std::string attention_source(const AttentionClass& of, const PartValues& model);

}  // namespace tapehead
