// What a step benchmark runs: a model with its options, and the batches of its steps.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/step_size.hpp"
#include "core/sequence/batch.hpp"
#include "train/options/options.hpp"

namespace tapehead {

struct StepSubject {
  std::string name;
  Config config;  // resolved
  Index source_vocabulary;
  Index target_vocabulary;
  std::vector<std::vector<Batch>> steps;  // the batches of each step; used in turn
};

// Options of a config that are changed, each "section.option=value".
using Overrides = std::vector<std::string>;

// Random tokens, in sequences that are all of one length. Throws ConfigError for overrides that are
// wrong.
StepSubject subject_of(const StepSize& size, const Overrides& overrides = {});

// nanoGPT's model for CPUs, as configs/shakespeare.yaml has it, on random tokens: windows that are
// full, as nearly all of a text are. Throws ConfigError for overrides that are wrong.
StepSubject language_model_subject(const Overrides& overrides = {});

// The first steps of a config's first epoch, from its own task. Throws what reading the config and
// making its data throws.
StepSubject subject_of(const std::filesystem::path& config, const Overrides& overrides = {});

// A size by its name, lm, or a config's path. Throws what those throw, and ConfigError for a name
// that is none of them.
StepSubject subject_named(const std::string& name, const Overrides& overrides = {});

// Null: no size has this name.
const StepSize* size_named(const std::string& name);

}  // namespace tapehead
