// Exports a trained run as plain PyTorch: its weights, a Python file made for its options, and its
// vocabulary.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline constexpr std::array pytorch_files{"model.safetensors", "model.py", "vocabulary.json"};

// The weights that the model uses: attentions without heads have distances and scales that nothing
// reads. The store must outlive them.
std::vector<TensorEntry> used_weights(const Transformer& model, const ParameterStore& store);

// Writes these files into the directory, which is made if it is missing. Throws IoError.
void export_pytorch(const SavedRun& run, const std::filesystem::path& directory);

}}  // namespace tapehead::TAPEHEAD_PRECISION
