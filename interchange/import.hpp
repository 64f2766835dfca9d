// Imports a model of another program: converts a directory in Hugging Face's layout to a run.
#pragma once

#include "interchange/imported_config.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Imported {
  std::string model_type;  // as in their config.json
  Purpose purpose = Purpose::tokens;
  Config config{};
  Written written{};  // the options that the import decided
  Tokenizers tokenizers{};
  std::unique_ptr<Model> model{};
  VocabularyRows rows{};
  std::vector<std::string> left_out{};  // tensors that the import skips
  Index rows_left_out = 0;              // rows of their embedding that no entry uses
};

// Reads and checks the whole directory; writes nothing. Throws IoError that names the file, or
// lists tensors that are missing, misshapen or left over; ConfigError for an unsupported setting.
Imported import_model(const ImportRequest& request);

// Creates the run directory. `overwrite`: as in RunDirectory::create. Throws IoError.
void write_imported(const Imported& imported, const fs::path& run, bool overwrite);

}}  // namespace tapehead::TAPEHEAD_PRECISION
