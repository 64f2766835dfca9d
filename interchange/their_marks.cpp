// Finds which entries of another program's model are marks, and which marks its tokenizer adds.
#include "interchange/their_tokenizers.hpp"

#include <spdlog/spdlog.h>

#include "core/files/json_text.hpp"
#include "interchange/architecture.hpp"

namespace tapehead {

namespace fs = std::filesystem;

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
class MarkReader {
 public:
  MarkReader(const PretrainedFiles& files, const TheirConfig& config,
             const FileVocabulary& vocabulary)
      : files_(files),
        generation_(settings_in(files.directory() / generation_file)),
        vocabulary_(vocabulary),
        by_name_(marks_by_name(vocabulary)),
        around_(marks_around_text(files.directory()).value_or(MarksAround{})),
        size_(config.count("vocab_size")) {}

  std::optional<Index> named(const char* mark, std::optional<Index> otherwise) const {
    const auto found = vocabulary_.find(mark_text(files_.directory(), mark));
    return found == vocabulary_.end() ? otherwise : found->second;
  }

  std::optional<Index> unknown() const { return named("unk_token", by_name_.unknown); }

  // The id in config.json, such as {"bos_token_id": 1}. Ids beyond the model's rows are ignored:
  // small models often keep GPT-2's 50256.
  std::optional<Index> configured(const char* setting) const {
    const std::vector<Index> ids = configured_in(files_.config(), setting);
    return ids.empty() ? std::nullopt : std::optional(ids.front());
  }

  std::optional<Index> end() const {
    std::vector<Index> ends = configured_in(generation_, "eos_token_id");
    const std::vector<Index> others = configured_in(files_.config(), "eos_token_id");
    const auto in_both = [&](Index id) { return std::ranges::find(others, id) != others.end(); };
    if (ends.empty()) {
      ends = others;
    } else if (std::ranges::any_of(ends, in_both)) {
      std::erase_if(ends, [&](Index id) { return !in_both(id); });
    } else if (!others.empty()) {
      spdlog::warn("{}: eos_token_id: {} ends a text, and not {}, as in config.json",
                   (files_.directory() / generation_file).string(), ends.front(), others.front());
    }
    const auto by_tokenizer = named("eos_token", by_name_.end);
    const bool known = by_tokenizer && std::ranges::find(ends, *by_tokenizer) != ends.end();
    return known || ends.empty() ? by_tokenizer : std::optional(ends.front());
  }

  std::optional<Index> begin(std::optional<Index> end) const {
    const bool generation = !configured_in(generation_, "bos_token_id").empty();
    const Json& settings = generation ? generation_ : files_.config();
    const std::vector<Index> ids = configured_in(settings, "bos_token_id");
    if (around_.before.empty() || around_.before.front() == end) {
      return !ids.empty() ? std::optional(ids.front())
                          : named("bos_token", by_name_.begin ? by_name_.begin : end);
    }
    const Index front = around_.before.front();
    if (!ids.empty() && ids.front() != front) {
      const fs::path other =
          generation ? files_.directory() / generation_file : files_.config_file();
      throw ConfigError(
          "{} puts the token {} in front of a text, and {} has the bos_token_id {}; --begin {} or "
          "--begin {} says which one a text begins with",
          (files_.directory() / "tokenizer.json").string(), front, other.string(), ids.front(),
          front, ids.front());
    }
    return front;
  }

  FileMarks of_encoder(std::optional<Index> begin) const {
    const auto& [before, behind] = around_;
    return {.unknown = unknown(),
            .begin = begin            ? begin
                     : before.empty() ? named("cls_token", by_name_.begin)
                                      : before.front(),
            .end = behind.empty() ? named("sep_token", by_name_.end) : behind.back(),
            .mask = named("mask_token", by_name_.mask)};
  }

 private:
  // From {"eos_token_id": 2} or {"eos_token_id": [2, 3]}; ids beyond the model's rows are ignored.
  std::vector<Index> configured_in(const Json& settings, const char* setting) const {
    const Json value = settings.value(setting, Json());
    std::vector<Index> ids;
    for (const Json& id : value.is_array() ? value : Json::array({value})) {
      if (id.is_number_unsigned() && id.get<Index>() < size_) {
        ids.push_back(id.get<Index>());
      }
    }
    return ids;
  }

  const PretrainedFiles& files_;
  Json generation_;
  const FileVocabulary& vocabulary_;
  FileMarks by_name_;
  MarksAround around_;
  Index size_;
};

}  // namespace

FileMarks their_marks(const PretrainedFiles& files, const TheirConfig& config,
                      const FileVocabulary& vocabulary, std::optional<Index> begin) {
  const MarkReader reader(files, config, vocabulary);
  const std::string type = config.text("model_type", "");
  if (type == bert_architecture.model_type || type == albert_architecture.model_type) {
    return reader.of_encoder(begin);
  }
  const std::optional<Index> end = reader.end();
  if (type == marian_architecture.model_type) {
    return {.unknown = reader.unknown(),
            .begin = reader.configured("decoder_start_token_id"),
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
