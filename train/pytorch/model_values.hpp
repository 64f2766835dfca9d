// What the options of a model decide in every part of its Python.
#pragma once

#include <string>

#include "nn/options/model_options.hpp"
#include "train/pytorch/part.hpp"

namespace tapehead {

// What a model reads and predicts.
struct ModelTables {
  Index source = 0;  // entries of the encoder's table or, in a model of one stack, of its table
  Index target = 0;  // of the decoder's, next to an encoder
  Index labels = 0;
};

PartValues model_values(const ModelOptions& options, const ModelTables& tables);

// ", bias=False" where a map has none.
std::string bias_argument(bool bias);

}  // namespace tapehead
