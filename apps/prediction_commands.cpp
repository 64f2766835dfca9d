// tapehead classify RUN: gives classes to lines of text.
// tapehead fill RUN: predicts masked tokens of lines of text.
#include "apps/commands.hpp"
#include "apps/line_command.hpp"

namespace tapehead {

namespace {

// Pairs of a label and a probability, all separated by tabs.
std::string text_of(const std::vector<LikelyClass>& classes) {
  std::string line;
  for (const LikelyClass& one : classes) {
    line += fmt::format("{}{}\t{:.4f}", line.empty() ? "" : "\t", one.label, one.probability);
  }
  return line + "\n";
}

std::string json_of(const std::string& text, const std::vector<LikelyClass>& classes) {
  const auto json = [](const LikelyClass& one) -> Json {
    return {{"label", one.label}, {"probability", one.probability}};
  };
  return json_text({{"text", text}, {"classes", mapped(classes, json)}}) + '\n';
}

// Replaces line breaks, so that the text is one line.
std::string in_line(const std::string& text) { return replaced(printable(text), {{"\n", "\\n"}}); }

// Probability, token and text of each candidate, with tabs; an empty line after each mask.
std::string text_of(const std::vector<FilledMask>& masks) {
  std::string lines;
  for (const FilledMask& candidates : masks) {
    for (const Candidate& one : candidates) {
      lines +=
          fmt::format("{:.4f}\t{}\t{}\n", one.probability, in_line(one.token), in_line(one.text));
    }
    lines += "\n";
  }
  return lines;
}

std::string json_of(const std::string& text, const std::vector<FilledMask>& masks) {
  const auto json = [](const Candidate& one) -> Json {
    return {{"token", one.token}, {"probability", one.probability}, {"text", one.text}};
  };
  const auto list = [&](const FilledMask& candidates) { return mapped(candidates, json); };
  return json_text({{"text", text}, {"masks", mapped(masks, list)}}) + '\n';
}

struct PredictionArguments : LineArguments {
  Index top = 1;
};

// Answers with what a member function of Predictor gives for each line.
template <auto predict>
class PredictionOf : public Question {
 public:
  PredictionOf(const PredictionArguments& arguments, const Predictor& predictor)
      : arguments_(arguments), predictor_(predictor) {
    predictor_.expect_used_for(of_masks ? "fill" : "classify");
  }

  void look_at(LineRead& read) const override {
    if (of_masks && read.masks.empty()) {
      throw DataError("there is no {} in the line", shown(arguments_.mask));
    }
  }

  std::string answers(std::span<const LineRead> lines, Index) override {
    const auto found = (predictor_.*predict)(lines, arguments_.top);
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      text += arguments_.json ? json_of(lines[i].line.text, found[i]) : text_of(found[i]);
    }
    return text;
  }

 private:
  static constexpr bool of_masks = std::is_same_v<decltype(predict), decltype(&Predictor::fill)>;

  const PredictionArguments& arguments_;
  const Predictor& predictor_;
};

}  // namespace

const Command classify_command(70, [](CLI::App& program) {
  const auto [command, arguments] = add_command<PredictionArguments>(
      program, "classify", "Classify lines of text with a trained model",
      ask_with<PredictionOf<&Predictor::classify>, PredictionArguments>);
  add_run_options(command, arguments, TakesRuns::one);
  add_input_option(command, arguments.input);
  add_output_option(command, arguments, "classes");
  add_number_option(command, named("--top", 1, 1000000), &arguments.top,
                    "Classes for each line, the most likely ones");
  add_asking_options(command, arguments, "Tokens classified together",
                     "One JSON object for each line");
});

const Command fill_command(80, [](CLI::App& program) {
  const auto [command, arguments] = add_command<PredictionArguments>(
      program, "fill", "Predict masked tokens with a masked language model",
      ask_with<PredictionOf<&Predictor::fill>, PredictionArguments>);
  arguments.top = 5;
  add_run_options(command, arguments, TakesRuns::one);
  add_input_option(command, arguments.input);
  add_output_option(command, arguments, "candidates");
  command.add_option("--mask", arguments.mask, "What stands for a masked token in a line")
      ->capture_default_str();
  add_number_option(command, named("--top", 1, 1000000), &arguments.top,
                    "Candidates for each mask, the most likely ones");
  add_asking_options(command, arguments, "Tokens processed together",
                     "One JSON object for each line");
});

}  // namespace tapehead
