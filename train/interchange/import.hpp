// Imports a model of another program: a directory in Hugging Face's layout becomes a run.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "train/experiment.hpp"
#include "train/interchange/architecture.hpp"
#include "train/interchange/their_vocabulary.hpp"

namespace tapehead::inline TAPEHEAD_PRECISION {

struct Imported {
  std::string model_type;  // as their config.json says
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
  OurRows rows;                       // of the vocabulary
  bool entries_named = true;          // false: no file names the entries, so they are numbers
  std::vector<std::string> left_out{}; // tensors that the model does not use
};

struct ImportRequest {
  std::filesystem::path from;
  std::string text = "text.txt";  // task.train_text: of what is evaluated and trained on
};

// Reads the whole directory before anything is made. Throws IoError that names the file, and lists
// tensors that are missing, that have another shape, and that are left over; ConfigError for a
// setting that cannot be done here.
Imported import_model(const ImportRequest& request);

// Makes the run. `overwrite`: as RunDirectory takes it. Throws IoError.
void write_imported(const Imported& imported, const std::filesystem::path& run, bool overwrite);

}  // namespace tapehead::inline TAPEHEAD_PRECISION
