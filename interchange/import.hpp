// Imports a model of another program: a directory in Hugging Face's layout becomes a run.
#pragma once

#include "interchange/architecture.hpp"
#include "interchange/imported_config.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Imported {
  std::string model_type;  // as their config.json says
  Purpose purpose = Purpose::tokens;
  Config config{};
  Written written{};  // what was decided of the config
  Tokenizers tokenizers{};
  std::unique_ptr<Model> model{};
  VocabularyRows rows{};
  std::vector<std::string> left_out{};  // tensors that the model does not use
  Index rows_left_out = 0;              // of their embedding, which no entry has
};

// Reads the whole directory before anything is made. Throws IoError that names the file, and lists
// tensors that are missing, that have another shape, and that are left over; ConfigError for a
// setting that cannot be done here.
Imported import_model(const ImportRequest& request);

// Makes the run. `overwrite`: as RunDirectory takes it. Throws IoError.
void write_imported(const Imported& imported, const std::filesystem::path& run, bool overwrite);

}}  // namespace tapehead::TAPEHEAD_PRECISION
