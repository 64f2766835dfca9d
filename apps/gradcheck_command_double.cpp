// tapehead gradcheck CONFIG: checks the gradients of a config's model in double precision. It is
// the only command of the program tapehead-gradcheck.

#include "apps/commands.hpp"
#include "core/files/process.hpp"
#include "train/gradcheck/check_config.hpp"
#include "train/gradcheck/tiny_config.hpp"
#include "train/output/logging.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION { namespace {

// Shows nothing for two seconds, then a live line on a terminal, otherwise a line every 5 seconds.
struct GradcheckProgress {
  void operator()(Index done, Index all) {
    const double seconds = seconds_since(begin);
    if (seconds >= next) {
      const std::string line =
          fmt::format("checked {} of {} parameters, {:.0f} s", done, all, seconds);
      next = seconds + (console.terminal() ? 0.1 : 5);
      console.terminal() ? console.live(line) : console.print(line);
    }
  }

  Console console{};
  Clock::time_point begin = Clock::now();
  double next = 2;
};

// Throws ConfigError if no parameter matches the pattern, before the long check begins.
void expect_some(const Model& model, const std::string& pattern) {
  const auto& parameters = model.store.parameters();
  const auto is_meant = [&](const std::string& name) { return matches(pattern, name); };
  if (std::ranges::none_of(parameters, is_meant, &NamedParameter::name)) {
    throw ConfigError("--only {}: no parameter has such a name; the names go from {} to {}",
                      pattern, parameters.front().name, parameters.back().name);
  }
}

Json json_of(const Finding& finding) {
  return {{"subject", finding.subject},
          {"verdict", name_of(finding.verdict)},
          {"kind", name_of(finding.kind)},
          {"message", describe(finding)}};
}

Json json_of(const ParameterCheck& parameter) {
  Json object = {
      {"name", parameter.name}, {"shape", parameter.shape.extents()}, {"error", parameter.error}};
  if (parameter.too_small) {
    object["too_small"] = true;
  }
  object["verdict"] = name_of(parameter.finding.verdict);
  if (parameter.finding.verdict != Verdict::correct) {
    object["finding"] = json_of(parameter.finding);
  }
  return object;
}

struct Checked {
  std::string config;
  std::vector<std::string> overrides;
  Batch batch{};
  ModelGradcheckReport report{};
  double seconds = 0;
};

void print_json(const Checked& checked) {
  const auto json = [](const auto& one) { return json_of(one); };
  const Json object = {{"config", checked.config},
                       {"overrides", checked.overrides},
                       {"examples", checked.batch.sequences()},
                       {"target_tokens", checked.batch.labels.count()},
                       {"ok", checked.report.ok()},
                       {"seconds", checked.seconds},
                       {"findings", mapped(checked.report.findings, json)},
                       {"parameters", mapped(checked.report.parameters, json)}};
  write_output(fmt::format("{}\n", object.dump()));
}

void print_text(const Checked& checked) {
  write_output(fmt::format("{}, made small by", checked.config));
  for (const std::string& override : checked.overrides) {
    write_output(fmt::format(" {}", override));
  }
  write_output(fmt::format("{}\non {} of its training examples, {} target tokens\n\n{}\n\n",
                           checked.overrides.empty() ? " nothing" : "", checked.batch.sequences(),
                           checked.batch.labels.count(), gradcheck_table(checked.report)));
  const auto wrong = std::ranges::count_if(checked.report.parameters, [](const auto& parameter) {
    return parameter.finding.verdict != Verdict::correct;
  });
  write_output(fmt::format("{} parameters checked in {:.1f} s: {}\n",
                           checked.report.parameters.size(), checked.seconds,
                           checked.report.ok()               ? "all gradients are right"
                           : checked.report.findings.empty() ? fmt::format("{} not right", wrong)
                                                             : "no gradient can be judged"));
}

int gradcheck_config(const GradcheckArguments& arguments) {
  prepare_blas();
  const auto begin = Clock::now();
  const LoadedConfig loaded = load_config(arguments.config, arguments.overrides);
  const Config config = tiny_config(loaded);
  Checked checked{.config = arguments.config.string(), .overrides = changes(loaded, config)};
  expect_output_apart(inputs_of_config(loaded));
  const Task task = make_task(config, find_config_data(arguments.config, config.task));
  Model model(config, task);
  expect_some(model, arguments.only);
  checked.batch = batch_to_check(config, task, std::min<Index>(160, config.model.max_positions));
  GradcheckProgress progress;
  checked.report = check_model(
      model, config, checked.batch,
      {.seed = arguments.seed,
       .wanted = [&arguments](std::string_view name) { return matches(arguments.only, name); },
       .progress = std::ref(progress)});
  if (checked.report.parameters.empty() && checked.report.ok()) {
    throw ConfigError(
        "--only {}: nothing to check: the loss does not depend on the parameters with "
        "such names, since only attentions without heads would use them",
        arguments.only);
  }
  checked.seconds = seconds_since(begin);
  arguments.json ? print_json(checked) : print_text(checked);
  return checked.report.ok() ? 0 : 1;
}

}}}  // namespace tapehead::TAPEHEAD_PRECISION

namespace tapehead {

const Command only_command(10, [](CLI::App& program) {
  const auto arguments = std::make_shared<GradcheckArguments>();
  CLI::App* command = declare_gradcheck(program, *arguments);
  command->callback([arguments] { throw CLI::RuntimeError(gradcheck_config(*arguments)); });
});

}  // namespace tapehead
