// What the docstring of model.py says: which run it is, what it reads, and the options that it is
// made of.
#pragma once

#include <string>

#include "train/options/options.hpp"

namespace tapehead {

// What the model reads, and which rows have logits that mean something. `one_document`: all that a
// language model was trained on.
std::string what_it_reads(const Config& config, bool one_document);

// The options that are not as by default, a section a line, such as "model: {d_model: 64}". Options
// that only training uses are left out.
std::string model_options_text(const Config& config);

}  // namespace tapehead
