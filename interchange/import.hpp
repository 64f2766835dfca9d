// Imports a model of another program: a directory in Hugging Face's layout becomes a run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "interchange/architecture.hpp"
#include "interchange/entry_rows.hpp"
#include "train/experiment.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

struct Imported {
  std::string model_type;  // as their config.json says
  Purpose purpose;
  Config config;
  Tokenizers tokenizers;
  std::unique_ptr<Model> model;
  VocabularyRows rows;
  std::vector<std::string> left_out{};  // tensors that the model does not use
  Index rows_left_out = 0;              // of their embedding, which no entry has
};

struct ImportRequest {
  std::filesystem::path from;
  std::filesystem::path run;  // whose tokenizer a training that goes on from it takes
  // Of what is evaluated and trained on: task.train_text; with classes task.train_tsv; with a
  // source and a target task.train_source and task.train_target.
  std::string text = "text.txt";
  std::string target_text = "target.txt";
  Index texts = 1;               // of an example with a class
  std::optional<Index> begin{};  // the id of the begin mark there, instead of what the files say
  bool token_texts = false;      // do not read the tokenizer: a text is given as its tokens
};

// Reads the whole directory before anything is made. Throws IoError that names the file, and lists
// tensors that are missing, that have another shape, and that are left over; ConfigError for a
// setting that cannot be done here.
Imported import_model(const ImportRequest& request);

// Makes the run. `overwrite`: as RunDirectory takes it. Throws IoError.
void write_imported(const Imported& imported, const std::filesystem::path& run, bool overwrite);

}}  // namespace tapehead::TAPEHEAD_PRECISION
