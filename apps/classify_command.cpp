// tapehead classify RUN: gives classes to lines of text.

#include "apps/commands.hpp"
#include "apps/line_command.hpp"

namespace tapehead {

namespace {

struct ClassifyArguments : LineArguments {
  Index top = 1;
};

// "label, tab, probability", one pair after another.
std::string line_of(const std::vector<LikelyClass>& classes) {
  std::string line;
  for (const LikelyClass& one : classes) {
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", one.label, one.probability);
  }
  return line + "\n";
}

std::string json_of(const std::string& text, const std::vector<LikelyClass>& classes) {
  Json json = {{"text", text}, {"classes", Json::array()}};
  for (const LikelyClass& one : classes) {
    json["classes"].push_back({{"label", one.label}, {"probability", one.probability}});
  }
  return json_text(json) + '\n';
}

class ClassOf : public Question {
 public:
  ClassOf(const ClassifyArguments& arguments, const Predictor& predictor)
      : arguments_(arguments), predictor_(predictor) {
    predictor_.expect_used_for("classify");
  }

  std::string answers(std::span<const LineRead> lines, Index) override {
    const auto classes = predictor_.classify(lines, arguments_.top);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += arguments_.json ? json_of(lines[i].line.text, classes[i]) : line_of(classes[i]);
    }
    return text;
  }

 private:
  const ClassifyArguments& arguments_;
  const Predictor& predictor_;
};

}  // namespace

const Command classify_command(70, [](CLI::App& program) {
  const auto [command, arguments] = add_command<ClassifyArguments>(
      program, "classify", "Give classes to lines of text with a trained model",
      ask_with<ClassOf, ClassifyArguments>);
  add_run_options(command, arguments, TakesRuns::one);
  add_input_option(command, arguments.input);
  add_output_option(command, arguments, "classes");
  add_number_option(command, "--top", &arguments.top, {1, 1000000},
                    "Classes for each line, the most likely ones");
  add_asking_options(command, arguments, "Tokens classified together",
                     "One JSON object for each line");
});

}  // namespace tapehead
