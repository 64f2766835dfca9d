// What reads files that may come from strangers, for fuzzing: a table of functions that take any
// bytes, and either return what they read or throw an error that names the file.
#pragma once

#include "core/files/tensor_file.hpp"
#include "core/random/draws.hpp"
#include "core/text.hpp"
#include "datasets/corpus/token_text.hpp"
#include "datasets/make_task.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "interchange/imported_config.hpp"
#include "interchange/their_tokenizers.hpp"
#include "lab/report/page.hpp"
#include "lab/run_scores.hpp"
#include "predict/reader.hpp"
#include "tests/fuzz/bytes_for_reader.hpp"
#include "train/config/overrides.hpp"
#include "train/options/application.hpp"
#include "train/run/checkpoints.hpp"
#include "train/run/data.hpp"
#include "train/run/run_record.hpp"

namespace tapehead {

namespace fuzzed {

inline void expect(bool holds, const char* what) {
  if (!holds) {
    throw std::logic_error(what);
  }
}

// Text as configs have it; what is quoted is never null.
inline Json tree_of(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::null:
      return {};
    case ConfigNode::Kind::scalar:
      return node.text;
    case ConfigNode::Kind::sequence:
      return mapped(node.items, tree_of);
    default: {
      Json table = Json::object();
      for (const ConfigEntry& entry : node.entries) {
        table[entry.key] = tree_of(entry.value);
      }
      return table;
    }
  }
}

inline Json read_document(const fs::path& file) {
  return tree_of(parse_document(read_config_text(file), file.string()));
}

// Expects that the config, when it is written and read again, is the same.
inline Json expect_dumped(const LoadedConfig& loaded) {
  const std::string text = dump_config(loaded.config);
  expect(dump_config(parse_config(text, "dumped.yaml").config) == text, "a dump is read otherwise");
  return Json::parse(config_json(loaded.config));
}

inline Json read_config(const fs::path& file) { return expect_dumped(load_config(file)); }

inline Json read_overrides(const fs::path& file) {
  std::vector<std::string> lines =
      mapped(text_lines(read_file(file)), [](std::string_view line) { return std::string(line); });
  return expect_dumped(parse_config("task: {name: copy}", "config.yaml", lines));
}

// The run's config.yaml with an option set anew, and what was written of it.
inline Json read_written(const fs::path& file) {
  return expect_dumped(load_config(RunFiles{file.parent_path()}.config(), {"seed=7"}));
}

inline Json read_sweep_file(const fs::path& file) {
  const SweepFile sweep = read_sweep(file);
  std::size_t runs = std::max<std::size_t>(1, sweep.seeds.size());
  for (const SweepAxis& axis : sweep.axes) {
    runs = std::min<std::size_t>(runs * std::max<std::size_t>(1, axis.settings.size()), 1'000'000);
  }
  if (runs > 100 && runs <= 10'000) {
    return {};  // a sanitizer would take too long
  }
  return mapped(plan_sweep(sweep).runs, &SweepRun::name);
}

inline std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<int>(byte));
  }
  return text;
}

inline Json describe_tensors(const TensorFile& file) {
  std::map<std::string, Json> entries;
  for (const TensorEntry& entry : file.entries()) {
    const std::size_t numbers = entry.bytes.size() / byte_width(entry.dtype);
    if (is_real(entry.dtype)) {
      std::vector<double> values(numbers);
      copy_values(entry, values);
    }
    entries[entry.name] = {{"dtype", name_of(entry.dtype)},
                           {"shape", entry.shape},
                           {"bytes", hexadecimal(entry.bytes)}};
  }
  return {{"tensors", std::move(entries)}, {"metadata", file.metadata()}};
}

inline Json read_tensors(const fs::path& file) { return describe_tensors(TensorFile(file)); }

// What another program wrote is the same when it is written by us.
inline Json read_foreign_tensors(const fs::path& file) {
  const TensorFile foreign(file, Trust::any);
  const Json described = describe_tensors(foreign);
  if (!foreign.metadata().contains("checksum")) {
    const fs::path ours = file.parent_path() / "ours.safetensors";
    write_tensor_file(ours, foreign.entries(), foreign.metadata());
    expect(describe_tensors(TensorFile(ours)) == described, "a copy is read otherwise");
  }
  return described;
}

inline Json read_tokens(const fs::path& file) {
  const TokenText text(file);
  expect(documents_in(file) == text.documents(), "the documents are counted otherwise");
  PoolVector<TokenId> ids;
  for (Index document = 0; document < text.documents(); ++document) {
    const Index begin = text.begin_of(document);
    text.append_to(ids, begin, text.begin_of(document + 1) - begin);
  }
  expect(std::ssize(ids) == text.size(), "a token is in no document");
  return text.size();
}

inline std::string repaired_tokens(const std::string& bytes) {
  const std::size_t size = bytes.size() - std::min<std::size_t>(bytes.size(), 8);
  const std::uint64_t checksum = Hash().add(std::string_view(bytes).substr(0, size)).value();
  return bytes.substr(0, size) + std::string(reinterpret_cast<const char*>(&checksum), 8);
}

inline void use(const Tokenizer& tokenizer) {
  for (const std::string text :
       {"", "a b  c", "Der Hund\n\u00e4\u0301", "\xff\u2581<s>##", "a\tb"}) {
    const std::vector<TokenId> tokens = tokenizer.encode(text);
    for (const TokenId token : tokens) {
      expect(token >= 0 && token < tokenizer.size(), "a text has a token that is no entry");
    }
    tokenizer.decode(tokens);
    tokenizer.unknown_parts(text);
    words_of_tokens(tokenizer, tokens);
  }
  for (TokenId token = 0; token < std::min<Index>(tokenizer.size(), 100); ++token) {
    tokenizer.entry(token);
    tokenizer.decode({token});
  }
  tokenizer_digest(tokenizer);
}

inline Json read_tokenizer(const fs::path& file) {
  const Tokenizers tokenizers = load_tokenizers(file.parent_path());
  use(*tokenizers.source);
  return tokenizers.source->size();
}

inline std::string repaired_vocabulary(const std::string& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string body = bytes.substr(std::min(end + 1, bytes.size()));
  const std::size_t kind = std::min(bytes.find(' '), end);
  const std::size_t kind_end = std::min(bytes.find(' ', std::min(kind + 1, end)), end);
  return fmt::format("{} {} {:016x}\n{}", bytes.substr(0, kind_end), text_lines(body).size(),
                     digest(body), body);
}

// The import of a model, to its config.
inline Json read_settings(const fs::path& file) {
  const fs::path directory = file.parent_path();
  PretrainedFiles files(directory);
  const fs::path config_file = files.config_file();
  const TheirConfig theirs(files.config(), config_file);
  const Architecture& architecture = architecture_of(theirs);
  files.leave_out_prefix(architecture.optional_prefix);
  const Purpose purpose = purpose_of(theirs);
  const auto options = architecture.options(theirs);
  if (theirs.count("vocab_size") > 1000 ||
      (purpose != Purpose::tokens && count_labels(theirs) > 1000)) {
    return {};  // the import compares these with the size of the tensors
  }
  const PretrainedTokenizers read =
      their_tokenizers(files, theirs, {}, !has_token_texts(directory));
  Tokenizers tokenizers{read.source.tokenizer, read.target.tokenizer};
  VocabularyRows rows{entry_rows(read.source, false), entry_rows(read.target, false)};
  apply_generation_settings(files, read.target.file_ids[end_id], rows.target);
  const auto added = added_marks(directory, read.source.file_ids);
  if (purpose == Purpose::classes) {
    tokenizers.target = std::make_shared<ClassTokenizer>(classes_of(theirs));
  } else if (purpose == Purpose::token_labels) {
    label_names(theirs);
  }
  if (file != config_file) {
    return {};  // the same config each time
  }
  const ImportRequest request{.from = directory, .run = "run"};
  const Index positions =
      theirs.count(theirs.has("n_positions") ? "n_positions" : "max_position_embeddings", 2048);
  const LoadedConfig loaded =
      imported_config({request, purpose, added, theirs, options, positions}, tokenizers);
  return Json::parse(config_json(loaded.config));
}

inline Json read_their_tokenizer(const fs::path& file) {
  const PretrainedTokenizer read = read_pretrained_tokenizer(file.parent_path());
  use(*read.tokenizer);
  expect(std::ssize(read.file_ids) == read.tokenizer->size(), "an entry has no id in the files");
  marks_around_text(file.parent_path());
  return read.tokenizer->size();
}

// Configs whose only file is FILE.
inline constexpr char pairs_config[] =
    "task: {name: parallel_text, tokenizer: word, train_tsv: FILE, validation_tsv: FILE}";
inline constexpr char labelled_config[] =
    "task: {name: labelled_text, train_tsv: FILE, validation_tsv: FILE}\n"
    "model: {family: encoder}";
inline constexpr char tagged_config[] =
    "task: {name: tagged_text, train_columns: FILE, validation_columns: FILE}";
inline constexpr char text_config[] =
    "task: {name: text, tokenizer: word, documents: blank_line, train_text: FILE}\n"
    "model: {family: decoder}";
inline constexpr char masked_config[] =
    "task: {name: text, tokenizer: word, train_text: FILE}\nmodel: {family: encoder}";

// Kept, since to read a config takes longer than to read a small file.
inline const Config& config_of(const char* text, const fs::path& file) {
  static std::map<std::string, Config> configs;
  const std::string named = replaced(text, {{"FILE", file.string()}});
  const auto found = configs.find(named);
  return found != configs.end()
             ? found->second
             : configs.emplace(named, parse_config(named, "config.yaml").config).first->second;
}

template <const char* config_text>
Json read_data(const fs::path& file) {
  const Config& config = config_of(config_text, file);
  const Layout layout = layout_of(config.model);
  return make_task(config.task, {.seed = config.seed, .layout = layout}).source_tokenizer->size();
}

// What commands read of a user's lines, for each kind of model.
inline Json read_prompts(const fs::path& file) {
  const auto words = std::make_shared<VocabularyTokenizer>(Vocabulary({"a", "b"}), Unit::word);
  Index refused = 0;
  for (const char* config : {pairs_config, labelled_config, text_config, masked_config}) {
    const auto reader = reader_of(config_of(config, file), {words, words}, false);
    InputFiles inputs;
    LineInput input(file.string(), inputs);
    for (auto lines = input.next(); !lines.empty(); lines = input.next()) {
      for (const std::string& line : lines) {
        try {
          const LineRead read = reader->read(AskedLine{.text = line});
          reader->prompt(read);
          reader->encoded(read);
        } catch (const DataError&) {  // the command names the line
          ++refused;
        }
      }
    }
  }
  return refused;
}

inline Json read_metrics(const fs::path& file) {
  const RunFiles run{file.parent_path()};
  const double seconds = seconds_until(run, 3);
  Json curves = report_curves(run);
  json_for_page(curves);
  MetricsLog(file).truncate_after(2);
  return {{"curves", std::move(curves)}, {"seconds", seconds}};
}

inline Json read_run_record(const fs::path& file) {
  std::optional<RunRecord> record = read_record(file);
  if (!record) {
    return {};
  }
  Json tests = record->end ? record->end->tests : Json();
  const double seconds = record->end ? record->end->seconds : 0;
  RunStart start;
  start.threads = 1;
  add_start(*record, start, {});
  write_record(file, *record);
  expect(read_record(file).has_value(), "a written record is not read");
  return {{"tests", std::move(tests)}, {"seconds", seconds}};
}

inline Json read_run_data(const fs::path& file) {
  find_run_data({file.parent_path()}, config_of(labelled_config, "a.tsv").task, {});
  return {};
}

inline Json read_run_scores(const fs::path& file) {
  Json figures = Json::array();
  for (const auto& [name, value] : read_scores(file.parent_path()).figures) {
    figures.push_back(std::isnan(value) ? Json() : Json(value));  // tables show it as absent
  }
  return figures;
}

}  // namespace fuzzed

inline constexpr std::array fuzzed_readers{
    FuzzedReader{"document", "config.yaml", "", fuzzed::read_document},
    FuzzedReader{"config", "config.yaml", "fuzz/config", fuzzed::read_config},
    FuzzedReader{"set", "--set", "", fuzzed::read_overrides},
    FuzzedReader{"written", "written.yaml", "fuzz/config", fuzzed::read_written},
    FuzzedReader{"sweep", "sweep.yaml", "fuzz/config", fuzzed::read_sweep_file},
    FuzzedReader{"tensors", "step.safetensors", "", fuzzed::read_tensors},
    FuzzedReader{"foreign_tensors", "model.safetensors", "", fuzzed::read_foreign_tensors},
    FuzzedReader{"tokens", "train.tokens", "", fuzzed::read_tokens, fuzzed::repaired_tokens},
    FuzzedReader{"vocabulary", "joint.vocabulary", "", fuzzed::read_tokenizer,
                 fuzzed::repaired_vocabulary},
    FuzzedReader{"sentencepiece", "joint.model", "", fuzzed::read_tokenizer},
    FuzzedReader{"tokenizer_json", "tokenizer.json", "", fuzzed::read_their_tokenizer},
    FuzzedReader{"vocab_json", "vocab.json", "fuzz/merges", fuzzed::read_their_tokenizer},
    FuzzedReader{"merges", "merges.txt", "fuzz/vocab_json", fuzzed::read_their_tokenizer},
    FuzzedReader{"vocab_txt", "vocab.txt", "", fuzzed::read_their_tokenizer},
    FuzzedReader{"settings", "config.json", "fuzz/foreign_tensors", fuzzed::read_settings},
    FuzzedReader{"generation", "generation_config.json", "pretrained/bert", fuzzed::read_settings},
    FuzzedReader{"marks", "special_tokens_map.json", "pretrained/bert", fuzzed::read_settings},
    FuzzedReader{"pairs", "train.tsv", "", fuzzed::read_data<fuzzed::pairs_config>},
    FuzzedReader{"labelled", "train.tsv", "", fuzzed::read_data<fuzzed::labelled_config>},
    FuzzedReader{"tagged", "train.conll", "", fuzzed::read_data<fuzzed::tagged_config>},
    FuzzedReader{"text", "train.txt", "", fuzzed::read_data<fuzzed::text_config>},
    FuzzedReader{"prompts", "prompts.txt", "", fuzzed::read_prompts},
    FuzzedReader{"metrics", "metrics.jsonl", "", fuzzed::read_metrics},
    FuzzedReader{"times", "times.jsonl", "fuzz/metrics", fuzzed::read_metrics},
    FuzzedReader{"record", "record.json", "", fuzzed::read_run_record},
    FuzzedReader{"data", "data.json", "fuzz/labelled", fuzzed::read_run_data},
    FuzzedReader{"scores", "scores.jsonl", "", fuzzed::read_run_scores},
};

}  // namespace tapehead
