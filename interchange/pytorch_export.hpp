// Exports a trained run as plain PyTorch: its weights with its options, the Python that makes a
// model of them, and its vocabulary.
#pragma once

#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline constexpr std::array pytorch_files{"model.safetensors", "model.py", "vocabulary.json"};

// The weights that the model uses: attentions without heads have distances and scales that nothing
// reads. The store must outlive them.
std::vector<TensorEntry> used_weights(const Transformer& model, const ParameterStore& store);

// What the Python reads beside the weights, as JSON: options, tables, and the marks that stand
// around what the model reads or are never written. `name`: of the run and its checkpoint;
// `one_document`: all that a language model was trained on. Throws ConfigError that names an option
// that there is no Python for.
std::string pytorch_settings(const std::string& name, const Config& config,
                             const Transformer& model, bool one_document);

// Writes these files into the directory, which is made if it is missing. Throws IoError.
void export_pytorch(const SavedRun& run, const std::filesystem::path& directory);

}}  // namespace tapehead::TAPEHEAD_PRECISION
