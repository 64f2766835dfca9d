// Finds which entries of another program's model are marks, and which marks its tokenizer adds.
#include "interchange/their_tokenizers.hpp"

#include <spdlog/spdlog.h>

#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

constexpr const char* generation_file = "generation_config.json";

// An empty object if the file is missing or contains no object.
Json settings_in(const fs::path& file) {
  Json json = fs::exists(file) ? parse_json_file(file) : Json::object();
  return json.is_object() ? json : Json::object();
}

// The text of a mark, from "[UNK]" or {"content": "[UNK]"}, in the first file that has it.
std::string mark_text(const fs::path& directory, const char* mark) {
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const Json value = settings_in(directory / name).value(mark, Json());
    const Json content = value.is_object() ? value.value("content", Json()) : value;
    if (content.is_string()) {
      return content.get<std::string>();
    }
  }
  return "";
}

// Finds the ids of marks in the files of one model.
struct MarkReader {
  const PretrainedFiles& files;
  const FileVocabulary& vocabulary;
  Index size;  // rows of the model
  Json generation = settings_in(files.directory() / generation_file);
  FileMarks by_name = marks_by_name(vocabulary);
  MarksAround around = marks_around_text(files.directory()).value_or(MarksAround{});

  std::optional<Index> named(const char* mark, std::optional<Index> otherwise) const {
    const auto found = vocabulary.find(mark_text(files.directory(), mark));
    return found == vocabulary.end() ? otherwise : found->second;
  }

  std::optional<Index> unknown() const { return named("unk_token", by_name.unknown); }

  // The first id, such as {"bos_token_id": 1}.
  std::optional<Index> configured(const Json& settings, const char* setting) const {
    const std::vector<Index> ids = configured_in(settings, setting);
    return ids.empty() ? std::nullopt : std::optional(ids.front());
  }

  std::optional<Index> end() const {
    std::vector<Index> ends = configured_in(generation, "eos_token_id");
    const std::vector<Index> others = configured_in(files.config(), "eos_token_id");
    const auto in_both = [&](Index id) { return std::ranges::find(others, id) != others.end(); };
    if (ends.empty()) {
      ends = others;
    } else if (std::ranges::any_of(ends, in_both)) {
      std::erase_if(ends, [&](Index id) { return !in_both(id); });
    } else if (!others.empty()) {
      spdlog::warn("{}: eos_token_id: {} ends a text, although config.json has {}",
                   (files.directory() / generation_file).string(), ends.front(), others.front());
    }
    const auto by_tokenizer = named("eos_token", by_name.end);
    const bool known = by_tokenizer && std::ranges::find(ends, *by_tokenizer) != ends.end();
    return known || ends.empty() ? by_tokenizer : std::optional(ends.front());
  }

  std::optional<Index> begin(std::optional<Index> end) const {
    const std::optional<Index> first = configured(generation, "bos_token_id");
    const auto id = first ? first : configured(files.config(), "bos_token_id");
    if (around.before.empty() || around.before.front() == end) {
      return id ? id : named("bos_token", by_name.begin ? by_name.begin : end);
    }
    const Index front = around.before.front();
    if (id && *id != front) {
      const fs::path other = first ? files.directory() / generation_file : files.config_file();
      throw ConfigError(
          "{} puts the token {} in front of a text, but {} has the bos_token_id {}; choose the "
          "begin mark with --begin {} or --begin {}",
          (files.directory() / "tokenizer.json").string(), front, other.string(), *id, front, *id);
    }
    return front;
  }

  FileMarks of_encoder(std::optional<Index> begin) const {
    const auto& [before, behind] = around;
    return {.unknown = unknown(),
            .begin = begin            ? begin
                     : before.empty() ? named("cls_token", by_name.begin)
                                      : before.front(),
            .end = behind.empty() ? named("sep_token", by_name.end) : behind.back(),
            .mask = named("mask_token", by_name.mask)};
  }

  // From {"eos_token_id": 2} or {"eos_token_id": [2, 3]}. Ids beyond the model's rows are ignored:
  // small models often keep GPT-2's 50256.
  std::vector<Index> configured_in(const Json& settings, const char* setting) const {
    const Json value = settings.value(setting, Json());
    std::vector<Index> ids;
    for (const Json& id : value.is_array() ? value : Json::array({value})) {
      if (id.is_number_unsigned() && id.get<Index>() < size) {
        ids.push_back(id.get<Index>());
      }
    }
    return ids;
  }
};

}  // namespace

FileMarks their_marks(const PretrainedFiles& files, const TheirConfig& config,
                      const FileVocabulary& vocabulary, std::optional<Index> begin) {
  const MarkReader reader{files, vocabulary, config.count("vocab_size")};
  const std::string type = config.text("model_type", "");
  if (type == bert_architecture.model_type || type == albert_architecture.model_type) {
    return reader.of_encoder(begin);
  }
  const std::optional<Index> end = reader.end();
  if (type == marian_architecture.model_type) {
    return {.unknown = reader.unknown(),
            .begin = reader.configured(files.config(), "decoder_start_token_id"),
            .end = end};
  }
  if (!end) {
    spdlog::warn("{}: no file says which mark ends a text, so no text ends",
                 files.directory().string());
  }
  return {.unknown = reader.unknown(), .begin = begin ? begin : reader.begin(end), .end = end};
}

// GPT-2's own files (no tokenizer.json) add a begin mark only if `add_bos_token` is set.
std::optional<AddedMarks> added_marks(const fs::path& directory,
                                      const std::vector<Index>& file_ids) {
  const Index begin = file_ids[begin_id];
  const Index end = file_ids[end_id];
  if (const auto around = marks_around_text(directory)) {
    const auto& [before, behind] = *around;
    if (before.empty()) {
      return behind == std::vector{begin} ? AddedMarks::begin_after : AddedMarks::none;
    }
    return before.front() == end && begin != end     ? AddedMarks::end_before
           : !behind.empty() && behind.back() == end ? AddedMarks::begin_and_end
                                                     : AddedMarks::begin;
  }
  if (!fs::exists(directory / "merges.txt")) {
    return std::nullopt;
  }
  const Json adds = settings_in(directory / "tokenizer_config.json").value("add_bos_token", Json());
  return adds == Json(true) ? AddedMarks::begin : AddedMarks::none;
}

}  // namespace tapehead
