#include "train/pytorch/about.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <vector>

#include "core/text.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "train/options/application.hpp"
#include "train/options/layout.hpp"
#include "train/pytorch/changed_options.hpp"
#include "train/pytorch/expression.hpp"
#include "train/pytorch/python_text.hpp"

namespace tapehead {

namespace {

// What stands in front of it, as a Generator has it (train/evaluation/generator.cpp).
std::string form_of_running_text(const Config& config, bool one_document) {
  if (one_document || !config.task.as<TextOptions>().begin_mark) {
    return "Tokens are a text, with no mark in front.";
  }
  if (config.task.as<TextOptions>().stream) {
    return fmt::format("Tokens are a text; a document follows the end mark ({}) of another.",
                       end_id);
  }
  return fmt::format("Tokens are a text; a document begins with the begin mark ({}).", begin_id);
}

// As MaskedLine::batch (train/evaluation/masked_line.cpp).
std::string form_of_masked_text(const Config& config) {
  const bool ends = config.task.as<TextOptions>().documents != DocumentEnd::file;
  return fmt::format(
      "Tokens are the begin mark ({}){} a text with masks, whose logits are those of the tokens in "
      "their place{}.",
      begin_id, ends ? "," : " and", ends ? fmt::format(", and the end mark ({})", end_id) : "");
}

std::string form_of_input(const Config& config, bool one_document) {
  const bool classes = config.task.kind().of_classes();
  switch (layout_of(config.model).input) {
    case InputRows::target:
      return fmt::format(
          "A source ends with the end mark ({}), and a target begins with the begin mark ({}).",
          end_id, begin_id);
    case InputRows::source_and_target:
      if (config.task.kind().of_text()) {
        return form_of_running_text(config, one_document);
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
                 ? form_of_masked_text(config)
                 : "Tokens are a source; each has the logits of its label.";
  }
}

}  // namespace

std::string what_it_reads(const Config& config, bool one_document) {
  std::string text = form_of_input(config, one_document);
  if (layout_of(config.model).full_prefix) {
    text += " The tokens of the source see each other: `prefix` is how many there are.";
  }
  if (config.model.token_types > 0) {
    const bool two_types =
        config.task.kind().of_classes() && layout_of(config.model).input == InputRows::source;
    text += two_types
                ? " Types are 0 or, after a text's first end mark, 1; without types, all are 0."
                : " All types are 0.";
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
  std::map<std::string, std::vector<std::string>> by_section;
  std::vector<std::string> sections;
  for (const ChangedOption& option : changed_options(config)) {
    if (sections.empty() || sections.back() != option.section) {
      sections.push_back(option.section);
    }
    by_section[option.section].push_back(
        docstring_text(fmt::format("{}: {},", option.name, option.value)));
  }
  std::vector<std::string> lines;
  for (const std::string& section : sections) {
    std::vector<std::string>& options = by_section.at(section);
    options.front().insert(0, section + ": {");
    options.back().back() = '}';
    lines.push_back(wrapped(options, python_columns, 4));
  }
  return join(lines, "\n");
}

}  // namespace tapehead
