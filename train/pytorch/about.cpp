#include "train/pytorch/about.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "nn/attention/resolve.hpp"
#include "train/config/rows.hpp"
#include "train/config/values.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"
#include "train/pytorch/expression.hpp"
#include "train/pytorch/python_text.hpp"

namespace tapehead {

namespace {

std::string form_of_input(const Config& config) {
  const bool classes = config.task.kind().of_classes();
  switch (layout_of(config.model).input) {
    case InputRows::target:
      return fmt::format(
          "A source ends with the end mark ({}), and a target begins with the begin mark ({}).",
          end_id, begin_id);
    case InputRows::source_and_target:
      if (config.task.kind().of_text()) {
        return fmt::format("Tokens are a text; a document begins with the begin mark ({}).",
                           begin_id);
      }
      return classes ? fmt::format(
                           "Tokens are a text and the begin mark ({}), whose logits are "
                           "those of the classes.",
                           begin_id)
                     : fmt::format(
                           "Tokens are a source, the begin mark ({}) and the target up to "
                           "now.",
                           begin_id);
    default:
      if (classes) {
        return fmt::format(
            "Tokens are the begin mark ({}), whose logits are those of the "
            "classes, a text and the end mark ({}).",
            begin_id, end_id);
      }
      return config.task.kind().of_text()
                 ? fmt::format(
                       "Tokens are the begin mark ({}) and a text with masks, whose logits "
                       "are those of the tokens in their place.",
                       begin_id)
                 : "Tokens are a source; each has the logits of its label.";
  }
}

// A config that says only what every option is by default.
Config defaults_of(const Config& config) {
  Config defaults = config_for(config.task.kind());
  for (const AttentionKind kind : attention_kinds) {
    std::vector<AttentionSpec> layers;
    for (const AttentionSpec& own : attention_specs(config.model, kind)) {
      layers.emplace_back().kv_heads = own.heads;
    }
    defaults.model.settings(kind) = settings_of(layers);
  }
  return defaults;
}

std::map<std::string, std::vector<std::string>> options_by_section(const Config& config) {
  Config copy = config;  // rows point into their config
  std::map<std::string, std::vector<std::string>> values;
  for (const Section& section : sections(copy)) {
    for (const Row& row : section.rows) {
      values[std::string(section.name)].push_back(
          row.field.keeps_meaning ? "" : fmt::format("{}: {}", row.field.name, write_value(row)));
    }
  }
  return values;
}

std::vector<std::string> sections_of(const ModelOptions& model) {
  std::vector<std::string> names{"model"};
  for (const AttentionKind kind : attention_kinds) {
    if (attention_layers(model, kind) > 0) {
      names.emplace_back(name_of(kind));
    }
  }
  return names;
}

}  // namespace

std::string what_it_reads(const Config& config) {
  std::string text = form_of_input(config);
  if (layout_of(config.model).full_prefix) {
    text += " The tokens of the source see each other: `prefix` is how many there are.";
  }
  if (config.model.token_types > 0) {
    text += " Types are 0 or, after a text's first end mark, 1; without types, all are 0.";
  }
  text +=
      " The model reads one sequence at a time, without batch axis and padding. vocabulary.json "
      "lists "
      "the entries in the order of their ids. Parameters have the names that they have in "
      "tapehead.";
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return wrapped(words, python_columns, 0);
}

std::string model_options_text(const Config& config) {
  const auto own = options_by_section(config);
  const auto usual = options_by_section(defaults_of(config));
  std::string text;
  for (const std::string& section : sections_of(config.model)) {
    std::vector<std::string> differing;
    for (std::size_t i = 0; i < own.at(section).size(); ++i) {
      const std::string& option = own.at(section)[i];
      if (!option.empty() && option != usual.at(section)[i]) {
        differing.push_back(docstring_text(option) + ",");
      }
    }
    if (!differing.empty()) {
      differing.front().insert(0, section + ": {");
      differing.back().back() = '}';
      text += (text.empty() ? "" : "\n") + wrapped(differing, python_columns, 4);
    }
  }
  return text;
}

}  // namespace tapehead
