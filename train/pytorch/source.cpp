#include "train/pytorch/source.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/application.hpp"
#include "train/pytorch/about.hpp"
#include "train/pytorch/attention_source.hpp"
#include "train/pytorch/known_options.hpp"
#include "train/pytorch/parts.hpp"
#include "train/pytorch/python_text.hpp"
#include "train/pytorch/transformer_source.hpp"

namespace tapehead {

namespace {

namespace parts = pytorch_parts;

// A part that is there if the rest mentions its name.
struct Helper {
  std::string_view name;
  const std::string_view& text;
};

// In the order in which they stand.
constexpr std::array helpers{
    Helper{"full", parts::full},
    Helper{"causal", parts::causal},
    Helper{"window", parts::window},
    Helper{"blocks", parts::blocks},
    Helper{"strided", parts::strided},
    Helper{"fixed", parts::fixed},
    Helper{"looking_back", parts::looking_back},
    Helper{"sinusoids", parts::sinusoids},
    Helper{"rotate_halves", parts::rotate_halves},
    Helper{"rotate_interleaved", parts::rotate_interleaved},
    Helper{"alibi_slopes", parts::alibi_slopes},
    Helper{"first_distances", parts::first_distances},
    Helper{"bounds_back", parts::bounds_back},
    Helper{"bounds_both_ways", parts::bounds_both_ways},
    Helper{"split", parts::split},
    Helper{"unit", parts::unit},
    Helper{"additive", parts::additive},
    Helper{"HeadLinear", parts::head_linear},
    Helper{"Bias", parts::bias},
    Helper{"share", parts::share},
    Helper{"put", parts::put},
};

std::string helpers_for(const std::string& code, const PartValues& values) {
  std::string found;
  for (std::string before = "-"; found != before;) {
    before = found;
    found.clear();
    for (const Helper& helper : helpers) {
      if (mentions(code + before, helper.name)) {
        found += fill_part(helper.text, values);
      }
    }
  }
  return found;
}

std::string modules_of(const PytorchModel& model, const PartValues& values) {
  const ModelOptions& options = model.config.model;
  const std::vector<AttentionClass> classes = attention_classes(options);
  std::string code = fill_part(parts::norm, values) + fill_part(parts::embedding, values);
  for (const AttentionClass& one : classes) {
    code += attention_source(one, values);
  }
  if (values.conditions.at("feed_forward")) {
    code += fill_part(parts::feed_forward, values);
  }
  code += layers_source(options, values) + fill_part(parts::stack, values);
  if (values.conditions.at("output_class")) {
    code += fill_part(parts::output, values);
  }
  code += transformer_source(options, classes, values);
  return values.conditions.at("generates") ? code + fill_part(parts::greedy, values) : code;
}

std::string imports_of_math(const std::string& code) {
  std::vector<std::string> names;
  for (const char* name : {"ceil", "inf"}) {
    if (mentions(code, name)) {
      names.emplace_back(name);
    }
  }
  return join(names, ", ");
}

std::string title_of(const PytorchModel& model) {
  const Family family = model.config.model.family;
  return fmt::format("The run {} in plain PyTorch: {}.", docstring_text(model.name),
                     family == Family::encoder_decoder ? "an encoder and a decoder"
                     : family == Family::decoder       ? "a decoder"
                                                       : "an encoder");
}

std::string greedy_call(const PartValues& values) {
  return values.conditions.at("of_text") ? "greedy(model, tokens, limit=50)"
                                         : "greedy(model, source, limit=50)";
}

}  // namespace

std::string pytorch_source(const PytorchModel& model) {
  const Config& config = model.config;
  expect_known(changed_options(config));
  PartValues values = model_values(config.model, model.tables);
  values.conditions["generates"] = !labels_in_one_pass(config);
  values.conditions["of_text"] = config.task.kind().of_text();
  values.conditions["ends"] = model.ends;
  values.places["begin"] = fmt::format("{}", begin_id);
  values.places["end"] = fmt::format("{}", end_id);
  values.places["never"] = join(never_written(!model.ends), ", ");
  std::string code = modules_of(model, values);
  code = helpers_for(code, values) + code;
  values.places["math"] = imports_of_math(code);
  values.conditions["math"] = !values.places["math"].empty();
  values.conditions["functional"] = mentions(code, "F");
  values.places["title"] = title_of(model);
  values.places["about"] = what_it_reads(config, !model.ends);
  values.places["options"] = model_options_text(config);
  values.places["imports"] = values.conditions["generates"] ? "greedy, load" : "load";
  values.places["greedy"] = greedy_call(values);
  return fill_part(parts::opening, values) + code;
}

}  // namespace tapehead
