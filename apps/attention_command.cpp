// tapehead attention RUN TEXT: what every head of a trained model does with a given text.
#include <fcntl.h>
#include <spdlog/spdlog.h>

#include "apps/commands.hpp"
#include "apps/line_command.hpp"
#include "lab/report/page.hpp"
#include "lab/report/run.hpp"
#include "predict/predictor.hpp"

namespace tapehead {

namespace {

struct AttentionArguments {
  fs::path run;
  std::optional<std::string> text;
  fs::path input;
  InspectionRequest request;  // except the text
  fs::path output;
  std::string checkpoint;
  Index threads = default_threads();
  bool json = false;
};

// Writes the file of --output, if there is one, in the form that its name says.
void write(const fs::path& output, const SavedRun& run, const Inspection& inspection) {
  if (output.extension() == ".safetensors") {
    write_inspection(output, run, inspection);
  } else if (output.extension() == ".json") {
    write_file_atomically(output,
                          json_text(inspection_json(run, inspection, WithTensors::yes)) + '\n');
  } else if (output.extension() == ".html") {
    const std::string name = (run.directory / "").parent_path().filename().string();
    Json page = {
        {"name", fmt::format("Attention of {}", name)},
        {"sentences", {sentence_json(inspection.sequence, inspection.text.read.line.text, {})}}};
    const Json seen = inspection_json(run, inspection, WithTensors::no);
    for (const char* part : {"predictions", "without"}) {
      if (seen.contains(part)) {
        page[part] = seen[part];
      }
    }
    if (inspection.walk) {
      page["walk"] = walk_on_page(*inspection.walk);
    }
    write_file_atomically(output, report_page(page));
  }
}

void print(const AttentionArguments& arguments, const SavedRun& run, const Inspection& inspection) {
  const bool to_file = !arguments.output.empty();
  if (arguments.json) {
    const WithTensors with_tensors = to_file ? WithTensors::no : WithTensors::yes;
    write_output(json_text(inspection_json(run, inspection, with_tensors)) + '\n');
    return;
  }
  if (!to_file && inspection.walk) {
    write_output(walk_tables(*inspection.walk));
  } else if (!to_file) {
    write_output("The key with each query's largest weight, and the weight in percent:\n\n" +
                 attention_tables(inspection) + "\n");
  }
  write_output(predictions_table(run, inspection));
  if (inspection.text.generated) {
    write_output(fmt::format("output: {}\n", inspection.text.target));
    if (inspection.without) {
      const auto& [heads, pattern, target, sequence] = *inspection.without;
      write_output(fmt::format("{} {}: {}\n", pattern ? "by distance" : "without",
                               fmt::join(heads, ", "), target));
    }
  }
  if (to_file) {
    write_output(fmt::format("{}\n", arguments.output.string()));
  } else {
    write_output(fmt::format("to see all weights: {} attention {} ... --output page.html\n",
                             program_path(), shell_word(arguments.run.string())));
  }
}

std::string text_of(const AttentionArguments& arguments) {
  if (arguments.text.has_value() == !arguments.input.empty()) {
    throw ConfigError("give one text: as an argument, or in a file with --input");
  }
  if (arguments.text) {
    return *arguments.text;
  }
  std::string text = OpenFile(arguments.input, O_RDONLY).read_to_end();  // may be a pipe
  while (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

void say_what_is_lost(const AttentionArguments& arguments, const SavedRun& run,
                      const Inspection& inspection, Workers& workers) {
  const Predictor predictor(run, workers);
  const Reader& reader = predictor.reader();
  const TextBatch& read = inspection.text;
  const auto say_unknown_tokens = [](const EncodedText& text, const char* what) {
    UnknownText unknown;
    unknown.see(text.tokenizer, text.text, text.tokens, 1);
    if (unknown.any()) {
      spdlog::warn("the {}: {}", what, describe(unknown));
    }
  };
  const std::vector<EncodedText> texts = reader.encoded(read.read);
  say_unknown_tokens(texts.front(), "text");
  if (arguments.request.pattern) {
    const LineRead pattern = reader.read({.text = *arguments.request.pattern});
    say_unknown_tokens(reader.encoded(pattern).front(), "text of --with-pattern");
  }
  if (texts.size() > 1) {
    say_unknown_tokens(texts.back(), "target");
  }
  if (read.unfinished) {
    spdlog::warn(
        "the output was cut before its end: the limit is {} tokens more than the text has "
        "(evaluation.max_extra_length), or the model's {} positions (model.max_positions)",
        run.config.evaluation.max_extra_length, run.config.model.max_positions);
  }
  if (!read.read.warning.empty()) {
    spdlog::warn("{}", read.read.warning);
  }
}

void show_attention(const AttentionArguments& arguments) {
  prepare_blas(arguments.threads);
  constexpr std::array<std::string_view, 3> forms{".safetensors", ".html", ".json"};
  const fs::path& output = arguments.output;
  if (!output.empty() && std::ranges::count(forms, output.extension().string()) == 0) {
    throw ConfigError(
        "--output {}: the name must end in .safetensors, .html or .json; the ending selects the "
        "format",
        output.string());
  }
  InspectionRequest request = arguments.request;
  request.text = text_of(arguments);
  KeptRun& opened = kept<KeptRun>(arguments.run, arguments.checkpoint);
  opened.run.model.store.precision = Precision::float32;  // whatever another command took
  InputFiles inputs = opened.inputs;
  if (!arguments.input.empty()) {
    inputs.add(arguments.input);
  }
  if (!output.empty()) {
    inputs.expect_other(output);
  }
  expect_output_apart(inputs);
  const SavedRun& run = opened.run;
  Workers workers(arguments.threads);
  const Inspection inspection = run.use([&] { return inspect_text(run, request, workers); });
  say_what_is_lost(arguments, run, inspection, workers);
  write(arguments.output, run, inspection);
  print(arguments, run, inspection);
}

}  // namespace

const Command attention_command(110, [](CLI::App& program) {
  const auto [command, arguments] = add_command<AttentionArguments>(
      program, "attention", "Show what every head of a trained model does with a text of yours",
      show_attention);
  command.add_option("run", arguments.run, "Run directory")->required();
  command.add_option("text", arguments.text, "The text; a masked model's may have <mask> in it");
  command.add_option("--input", arguments.input, "File that has the text");
  command.add_option("--target", arguments.request.target,
                     "Target of the text, or its class; by default the model's own output");
  add_repeated_option(command, "--without", arguments.request.without,
                      "Also what the model predicts without this head, such as "
                      "decoder.layers.0.cross.2; may be repeated");
  command
      .add_option("--with-pattern", arguments.request.pattern,
                  "Another text: instead of removing the heads of --without, weight keys by "
                  "distance alone, with the mean weights of these heads in this text")
      ->needs("--without");
  command.add_option("--walk", arguments.request.walk,
                     "Show every matrix on the way of this head, from its input to its output");
  command.add_option("--output", arguments.output,
                     "File for all numbers (.safetensors or .json), or for a page (.html)");
  add_checkpoint_option(command, arguments.checkpoint);
  add_threads_option(command, arguments.threads);
  command.add_flag("--json", arguments.json, "One JSON object on standard output");
});

}  // namespace tapehead
