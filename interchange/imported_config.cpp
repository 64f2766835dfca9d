#include "interchange/imported_config.hpp"

#include "core/text.hpp"
#include "train/config/overrides.hpp"

namespace tapehead {

namespace {

// Whether each line is a document. For a masked model: if its tokenizer adds begin and end mark.
// For other models, or if the marks are not known: if the tokenizer drops line ends or does not
// know them.
bool reads_lines(const ImportedModel& model, const Tokenizer& tokenizer, bool masked) {
  if (masked && model.added) {
    return model.added == AddedMarks::begin_and_end;
  }
  const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
  return end_of_line.empty() || std::ranges::count(end_of_line, unknown_id) > 0;
}

bool are_words(const Tokenizer& tokenizer) {
  const auto* const units = dynamic_cast<const VocabularyTokenizer*>(&tokenizer);
  return units != nullptr && units->unit() == Unit::word;
}

std::vector<std::string> text_options(const ImportedModel& model, const Tokenizer& tokenizer,
                                      bool masked) {
  return {"task.name=text",
          "task.train_text=" + model.request.text,
          "task.tokenizer_of=" + model.request.run.string(),
          fmt::format("task.context={}", std::max<Index>(1, model.positions - 2)),
          fmt::format("task.documents={}", reads_lines(model, tokenizer, masked) ? "line" : "file"),
          fmt::format("task.stream={}", !masked && model.added == AddedMarks::end_before),
          fmt::format("task.begin_mark={}", masked || model.added != AddedMarks::none),
          "model.bias_output=true"};
}

std::vector<std::string> task_options(const ImportedModel& model, const Tokenizers& tokenizers,
                                      const FamilyTraits& family) {
  // If a decoder's tokenizer adds a begin mark behind a text, a target continues the text.
  const bool in_one = family.one_sequence && model.added == AddedMarks::begin_after;
  const bool labels = model.purpose == Purpose::token_labels;
  const bool pairs = in_one || labels || family.context;
  const Index most = in_one ? (model.positions - 1) / 2
                            : model.positions - 1 - model.request.texts;  // without marks
  const std::string longest = fmt::format("task.max_length={}", std::max<Index>(1, most));
  if (model.purpose == Purpose::classes) {
    return {"task.name=labelled_text", "task.train_tsv=" + model.request.text,
            "task.tokenizer_of=" + model.request.run.string(),
            fmt::format("task.texts={}", model.request.texts), longest};
  }
  if (labels && are_words(*tokenizers.source) && are_words(*tokenizers.target)) {
    return {"task.name=tagged_text", "task.train_columns=" + model.request.text,
            "task.validation_columns=" + model.request.text, longest, "model.bias_output=true"};
  }
  if (pairs) {
    return {"task.name=parallel_text",
            "task.train_source=" + model.request.text,
            "task.train_target=" + model.request.target_text,
            "task.validation_source=" + model.request.text,
            "task.validation_target=" + model.request.target_text,
            "task.tokenizer_of=" + model.request.run.string(),
            longest,
            fmt::format("task.joint_vocabulary={}",
                        tokenizers.source->shares_file_with(*tokenizers.target)),
            "model.bias_output=true"};
  }
  return text_options(model, *tokenizers.source, family.sees_ahead());
}

bool contains(const std::vector<std::string>& options, const std::string& option) {
  return std::ranges::find(options, option) != options.end();
}

Json another_value(const Json& value) {
  if (value.is_number_integer()) {
    const Index number = value.get<Index>();
    return number == 0 || number > most_in_json || number < -most_in_json ? 1 : 2 * number;
  }
  return value.is_number_float() ? Json(value.get<double>() + 1)
         : value.is_boolean()    ? Json(!value.get<bool>())
                                 : Json();
}

// Whether a change of their setting `name` changes the option.
bool decides(const std::string& name, const ImportedModel& model, const std::string& option) {
  Json other = model.theirs.json();
  other[name] = another_value(other[name]);
  try {
    return !contains(architecture_of(model.theirs).options({other, model.theirs.file()}), option);
  } catch (const ConfigError&) {
    return false;
  }
}

// The settings in their config that decide the option, with values; without any, the option.
std::string deciding_settings(const ImportedModel& model, const std::string& option) {
  const bool of_model = contains(architecture_of(model.theirs).options(model.theirs), option);
  std::vector<std::string> deciding;
  for (const auto& [name, value] : model.theirs.json().items()) {
    if (of_model && decides(name, model, option)) {
      deciding.push_back(fmt::format("{}: {}", name, shown(value.dump())));
    }
  }
  return deciding.empty() ? option : join(deciding, ", ");
}

// The overrides come from config.json, so errors name its settings instead of our options.
std::string in_their_terms(std::string message, const ImportedModel& model,
                           const std::vector<std::string>& overrides) {
  for (const std::string& option : overrides) {
    const std::string blamed = fmt::format("--set {}:", shown(option));
    if (const std::size_t at = message.find(blamed); at != std::string::npos) {
      message.replace(
          at, blamed.size(),
          fmt::format("{}: {}:", model.theirs.file().string(), deciding_settings(model, option)));
    }
  }
  return message;
}

}  // namespace

LoadedConfig imported_config(const ImportedModel& model, const Tokenizers& tokenizers) {
  std::vector<std::string> overrides = task_options(model, tokenizers, family_of(model.options));
  overrides.insert(overrides.end(), model.options.begin(), model.options.end());
  try {
    std::vector<Override> decided = parse_overrides(overrides);
    for (Override& one : decided) {
      one.origin = shown(model.theirs.file().string());
    }
    return read_config({{.file = model.theirs.file().string(), .root = {}}}, decided);
  } catch (const ConfigError& error) {
    throw ConfigError(in_their_terms(error.what(), model, overrides));
  }
}

const FamilyTraits& family_of(const std::vector<std::string>& options) {
  return *std::ranges::find_if(families, [&](const FamilyTraits& family) {
    return contains(options, fmt::format("model.family={}", family.name));
  });
}

std::vector<std::string> label_names(const TheirConfig& config) {
  const auto* const names = config.object("id2label");
  std::vector<std::string> labels;
  for (Index i = 0; i < count_labels(config); ++i) {
    const std::string number = std::to_string(i);
    const auto name = names == nullptr ? Json("LABEL_" + number) : names->value(number, Json());
    if (!name.is_string()) {
      config.refuse("id2label", fmt::format("the class {} has no name", i));
    }
    labels.push_back(name.get<std::string>());
  }
  return labels;
}

std::vector<std::string> classes_of(const TheirConfig& config) {
  config.expect("problem_type", "single_label_classification");
  std::vector<std::string> classes = label_names(config);
  for (auto name = classes.begin(); name != classes.end(); ++name) {
    // Class names stand in lines of a vocabulary, in columns of a TSV, in the output of `classify`.
    if (name->empty() || name->find_first_of("\t\r\n") != std::string::npos) {
      config.refuse("id2label", fmt::format("the class {} is called {}; the name of a class must "
                                            "not be empty or contain a tab or a line end",
                                            name - classes.begin(), shown(Json(*name).dump())));
    }
    if (std::find(classes.begin(), name, *name) != name) {
      config.refuse("id2label", fmt::format("two classes are called {}", Json(*name).dump()));
    }
  }
  if (classes.size() == 1) {
    config.refuse("id2label",
                  "a model with one class predicts a number (regression), which is not supported");
  }
  return classes;
}

}  // namespace tapehead
