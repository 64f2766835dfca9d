// Tests that import models of other programs, each in its own directory.
#pragma once

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

inline std::string repeated(int times, const std::string& lines) {
  std::string text;
  for (int time = 0; time < times; ++time) {
    text += lines;
  }
  return text;
}

class PretrainedModels : public ProgramRuns {
 protected:
  // A copy of a fixture that the test may change.
  std::filesystem::path model(const std::string& name) {
    std::filesystem::path copy = here / name;
    std::filesystem::copy(std::filesystem::path(TAPEHEAD_FIXTURES) / "pretrained" / name, copy);
    return copy;
  }
  void change_config(const std::filesystem::path& directory,
                     const std::function<void(Json&)>& change) {
    Json config = Json::parse(content_of(directory / "config.json"));
    change(config);
    std::ofstream(directory / "config.json") << config.dump();
  }
  void change_tensors(const std::filesystem::path& directory,
                      const std::function<void(std::vector<TensorEntry>&)>& change) {
    const TensorFile file(directory / "model.safetensors", Trust::any);
    std::vector<TensorEntry> entries = file.entries();
    change(entries);
    write_tensor_file(directory / "model.safetensors", entries, {});
  }
  // The error message of an import that must fail and leave no run behind.
  std::string complaint(const std::string& name) {
    const ProgramResult result = run({"import", name, "--run", "refused", "--token-texts"});
    EXPECT_NE(result.exit_code, 0) << result.output;
    EXPECT_FALSE(std::filesystem::exists(here / "refused")) << "half imported";
    return result.errors;
  }
};

}  // namespace tapehead
