#include "interchange/architecture.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr std::array architectures{&gpt2_architecture, &llama_architecture, &bert_architecture,
                                   &albert_architecture, &marian_architecture};

struct ActivationName {
  std::string_view theirs;
  Activation ours;
};

// gelu_new and gelu_pytorch_tanh are the tanh approximation (Hendrycks and Gimpel 2016). The most
// common of several names comes first.
constexpr std::array<ActivationName, 8> activation_names{{{"gelu", Activation::gelu_exact},
                                                          {"gelu_new", Activation::gelu},
                                                          {"gelu_pytorch_tanh", Activation::gelu},
                                                          {"relu", Activation::relu},
                                                          {"silu", Activation::silu},
                                                          {"swish", Activation::silu},
                                                          {"tanh", Activation::tanh},
                                                          {"gelu_python", Activation::gelu_exact}}};

// Whether their files give entry i the id of another entry: the begin mark the id of the end mark;
// the unknown mark the id of the begin or end mark (GPT-2's files); any other entry the id of the
// unknown mark.
bool is_repeated(const std::vector<Index>& ids, std::size_t i) {
  return i == unknown_id ? ids[i] == ids[begin_id] || ids[i] == ids[end_id]
         : i == begin_id ? ids[i] == ids[end_id]
                         : i >= mark_count && ids[i] == ids[unknown_id];
}

// Their `eos_token_id` can be a list, such as [2, 3]; our texts end at one mark.
void warn_of_further_ends(const Json& settings, const fs::path& file, Index end) {
  const auto ends = settings.find("eos_token_id");
  if (ends != settings.end() && ends->is_array() && ends->size() > 1) {
    spdlog::warn("{}: eos_token_id: of {}, {} ends a text in tapehead", file.string(),
                 shown(ends->dump()), end < 0 ? "none" : fmt::format("only {}", end));
  }
}

// Warns about settings of transformers' GenerationConfig that change their texts and that we do not
// support. `without_effect` has the values that change nothing.
void warn_of_ignored(const Json& settings, const fs::path& file) {
  static const Json without_effect = Json::parse(R"({
    "repetition_penalty": 1, "encoder_repetition_penalty": 1, "no_repeat_ngram_size": 0,
    "encoder_no_repeat_ngram_size": 0, "min_length": 0, "min_new_tokens": 0,
    "diversity_penalty": 0, "typical_p": 1, "epsilon_cutoff": 0, "eta_cutoff": 0,
    "guidance_scale": 1, "penalty_alpha": 0, "forced_bos_token_id": null,
    "begin_suppress_tokens": null, "forced_decoder_ids": null, "sequence_bias": null,
    "force_words_ids": null, "exponential_decay_length_penalty": null})");
  std::vector<std::string> ignored;
  for (const auto& [name, none] : without_effect.items()) {
    const auto found = settings.find(name);
    if (found != settings.end() && !found->is_null() && *found != none) {
      ignored.push_back(fmt::format("{}: {}", name, shown(found->dump())));
    }
  }
  for (const Json& word : settings.value("bad_words_ids", Json())) {
    if (word.size() > 1) {
      ignored.push_back(fmt::format("bad_words_ids: {}", shown(word.dump())));
    }
  }
  if (!ignored.empty()) {
    spdlog::warn("{}: tapehead ignores these settings when it writes texts: {}", file.string(),
                 join(ignored, ", "));
  }
}

// Gives no probability to entries that their model must not write. Unknown and begin mark keep
// theirs if only `suppress_tokens` names them: we never write them anyway, and the probabilities of
// other entries stay unchanged. The end mark `end` keeps its probability even if `bad_words_ids`
// names it, as in transformers (NoBadWordsLogitsProcessor).
void leave_out_suppressed(const TheirConfig& generation, Index end, EntryRows& rows) {
  const auto leave_out = [&](Index id, TokenId first) {
    for (auto i = static_cast<std::size_t>(first); i < rows.predicted.size(); ++i) {
      rows.predicted[i] = rows.predicted[i] && rows.theirs[i] != id;
    }
  };
  for (const Index id : generation.ids("suppress_tokens")) {
    leave_out(id, end_id);
  }
  for (const std::vector<Index>& word : generation.id_lists("bad_words_ids")) {
    if (word.size() == 1 && word[0] != end) {
      leave_out(word[0], unknown_id);
    }
  }
}

// The position of element i of n in an order of all even elements, then all odd ones.
Index by_halves(Index i, Index n) { return i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2; }

}  // namespace

std::string architecture_names(std::string_view last) {
  const auto but_one = architectures | std::views::take(architectures.size() - 1);
  return fmt::format("{} {} {}", join(but_one | std::views::transform(&Architecture::name), ", "),
                     last, architectures.back()->name);
}

const Architecture& architecture_of(const TheirConfig& config) {
  const std::string type = config.text("model_type", "");
  const auto* const found = std::ranges::find(architectures, type, &Architecture::model_type);
  if (found == architectures.end()) {
    const auto names = architectures | std::views::transform(&Architecture::model_type);
    config.refuse("model_type", fmt::format("\"{}\" is none of {}", type, join(names, ", ")));
  }
  return **found;
}

const Architecture& nearest_architecture(const ModelOptions& ours) {
  switch (ours.family) {
    case Family::encoder_decoder:
      return marian_architecture;
    case Family::decoder:
      return ours.norm == NormKind::rms_norm ? llama_architecture : gpt2_architecture;
    default:
      return ours.factored_embedding() ? albert_architecture : bert_architecture;
  }
}

Purpose purpose_of(const TheirConfig& config) {
  const std::string name = config.first_text("architectures");
  const auto& classes = architecture_of(config).classes;
  const auto* const found = std::ranges::find(classes, name);
  return found == classes.end() || name.empty() ? Purpose::tokens
                                                : static_cast<Purpose>(found - classes.begin());
}

bool output_is_table(const TheirConfig& config) {
  return purpose_of(config) == Purpose::tokens &&
         config.flag("tie_word_embeddings", architecture_of(config).usually_tied);
}

std::vector<TiedTensor> tied_output(const TheirConfig& config, const char* table) {
  return output_is_table(config) ? std::vector<TiedTensor>{{"lm_head.weight", table}}
                                 : std::vector<TiedTensor>{};
}

Index count_labels(const TheirConfig& config) {
  const auto* const names = config.object("id2label");
  return names == nullptr ? config.count("num_labels", 2) : std::ssize(*names);
}

Index rows_of_entries(const TheirConfig& config, Entries entries) {
  const bool labels = entries == Entries::target && purpose_of(config) == Purpose::token_labels;
  return labels ? count_labels(config) : config.count("vocab_size");
}

void append_map(std::vector<TensorRow>& rows, const TensorRow& row, bool bias) {
  const auto append = [&](const char* ours, const char* theirs) {
    TensorRow& part = rows.emplace_back(row);
    part.ours += ours;
    part.theirs += theirs;
  };
  append(row.ours.ends_with("norm") ? ".gain" : ".weight", ".weight");
  if (bias) {
    append(".bias", ".bias");
  }
}

std::string activation_of(const TheirConfig& config, const char* setting, const char* otherwise) {
  const std::string theirs = config.text(setting, otherwise);
  const auto* const found = std::ranges::find(activation_names, theirs, &ActivationName::theirs);
  if (found == activation_names.end()) {
    config.refuse(setting, fmt::format("tapehead has no activation \"{}\"", theirs));
  }
  return std::string(name_of(found->ours));
}

std::string their_activation(Activation activation) {
  return std::string(
      std::ranges::find(activation_names, activation, &ActivationName::ours)->theirs);
}

EntryRows entry_rows(const PretrainedTokenizer& tokenizer, bool masked) {
  const std::vector<Index>& ids = tokenizer.file_ids;
  EntryRows rows;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool there = ids[i] >= 0;
    rows.theirs.push_back(there ? std::optional(ids[i]) : std::nullopt);
    rows.predicted.push_back(there && !is_repeated(ids, i));
  }
  if (masked) {
    rows.theirs.push_back(tokenizer.mask);
  }
  return rows;
}

// Without a generation_config.json, transformers reads these settings from config.json.
void apply_generation_settings(const PretrainedFiles& files, Index end, EntryRows& rows) {
  const fs::path own = files.directory() / "generation_config.json";
  const bool has_own = fs::exists(own);
  const fs::path file = has_own ? own : files.config_file();
  const Json settings = has_own ? parse_json_file(own) : files.config();
  if (!settings.is_object()) {
    throw IoError("{} is no JSON object", file.string());
  }
  leave_out_suppressed(TheirConfig(settings, file), end, rows);
  warn_of_further_ends(settings, file, end);
  warn_of_ignored(settings, file);
}

std::vector<Index> Placement::their_shape() const {
  if (row.form == TensorRow::Form::one_row) {
    return {1, their_rows()};
  }
  if (ours.rank() == 1) {
    return {their_rows()};
  }
  return transposed() ? std::vector{columns(), their_rows()} : std::vector{their_rows(), columns()};
}

std::optional<Index> Placement::at(Index i, Index j) const {
  const Index our_row = row.rows_by_halves ? by_halves(i, ours[0]) : i;
  const Index column = row.columns_by_halves ? by_halves(j, columns()) : j;
  const std::optional<Index> their_row = of_entries()
                                             ? rows.theirs[static_cast<std::size_t>(our_row)]
                                             : std::optional(row.part * ours[0] + our_row);
  if (!their_row) {
    return std::nullopt;
  }
  return transposed() ? column * their_rows() + *their_row : *their_row * columns() + column;
}

}  // namespace tapehead
