#include "train/interchange/their_vocabulary.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/files/files.hpp"
#include "core/shown.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

void set_entry(std::vector<std::string>& entries, const fs::path& file, std::size_t id,
               const std::string& entry) {
  if (id >= entries.size() || !entries[id].empty() || entry.empty()) {
    throw IoError(fmt::format("{}: entry {} with the id {} does not fit into {} entries",
                              file.string(), shown(entry), id, entries.size()));
  }
  entries[id] = entry;
}

void read_json_vocabulary(const fs::path& file, std::vector<std::string>& entries) {
  const Json json = read_pretrained_json(file);
  if (!json.is_object()) {
    throw IoError(fmt::format("{} is no table of ids by entry", file.string()));
  }
  for (const auto& [entry, id] : json.items()) {
    if (!id.is_number_unsigned()) {
      throw IoError(fmt::format("{}: the id of {} is {}", file.string(), shown(entry), id.dump()));
    }
    set_entry(entries, file, id.get<std::size_t>(), entry);
  }
}

// An entry on each line.
void read_line_vocabulary(const fs::path& file, std::vector<std::string>& entries) {
  const std::string text = read_file(file);
  std::size_t id = 0;
  for (std::size_t at = 0; at < text.size(); ++id) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    set_entry(entries, file, id, line);
    at = end + 1;
  }
}

// The text of a mark, {"unk_token": "[UNK]"} or {"unk_token": {"content": "[UNK]"}}, of the first
// file that has it.
std::string mark_text(const fs::path& directory, const char* mark) {
  for (const char* name : {"special_tokens_map.json", "tokenizer_config.json"}) {
    const fs::path file = directory / name;
    if (!fs::exists(file)) {
      continue;
    }
    const Json json = read_pretrained_json(file);
    const Json value = json.is_object() ? json.value(mark, Json()) : Json();
    const Json content = value.is_object() ? value.value("content", Json()) : value;
    if (content.is_string()) {
      return content.get<std::string>();
    }
  }
  return "";
}

// The id of the first of these marks that is named and has one.
std::optional<Index> mark_id(const PretrainedFiles& files, const TheirVocabulary& vocabulary,
                             std::initializer_list<const char*> marks) {
  for (const char* mark : marks) {
    const std::string text = mark_text(files.directory(), mark);
    const auto found = std::ranges::find(vocabulary.entries, text);
    if (!text.empty() && found != vocabulary.entries.end()) {
      return found - vocabulary.entries.begin();
    }
  }
  return std::nullopt;
}

// {"eos_token_id": 2}, or the first of {"eos_token_id": [2, 3]}.
std::optional<Index> configured_id(const PretrainedFiles& files, const char* setting, Index size) {
  Json value = files.config().value(setting, Json());
  if (value.is_array() && !value.empty()) {
    value = Json(value[0]);
  }
  const bool id = value.is_number_unsigned() && value.get<Index>() < size;
  return id ? std::optional(value.get<Index>()) : std::nullopt;
}

}  // namespace

TheirVocabulary read_their_vocabulary(const PretrainedFiles& files, const TheirConfig& config,
                                      Index size) {
  TheirVocabulary vocabulary{.entries = std::vector<std::string>(static_cast<std::size_t>(size))};
  const fs::path table = files.directory() / "vocab.json";
  const fs::path lines = files.directory() / "vocab.txt";
  if (fs::exists(table)) {
    read_json_vocabulary(table, vocabulary.entries);
  } else if (fs::exists(lines)) {
    read_line_vocabulary(lines, vocabulary.entries);
  } else {
    vocabulary.named = false;
  }
  for (std::size_t id = 0; id < vocabulary.entries.size(); ++id) {
    if (vocabulary.entries[id].empty()) {  // in no file: a row that fills the table up
      vocabulary.entries[id] = vocabulary.named ? fmt::format("<{}>", id) : fmt::format("{}", id);
    }
  }
  const bool bert = config.text("model_type", "").ends_with("bert");
  vocabulary.unknown = mark_id(files, vocabulary, {"unk_token"});
  vocabulary.mask = bert ? mark_id(files, vocabulary, {"mask_token"}) : std::nullopt;
  vocabulary.begin = bert ? mark_id(files, vocabulary, {"cls_token"})
                          : mark_id(files, vocabulary, {"bos_token", "eos_token"});
  vocabulary.end = mark_id(files, vocabulary, {bert ? "sep_token" : "eos_token"});
  if (!bert && !vocabulary.end) {
    vocabulary.end = configured_id(files, "eos_token_id", size);
  }
  if (!bert && !vocabulary.begin) {
    vocabulary.begin = configured_id(files, "bos_token_id", size);
  }
  return vocabulary;
}

OurRows our_rows(const TheirVocabulary& theirs, bool masked) {
  OurRows ours;
  ours.theirs = {theirs.unknown, theirs.begin, theirs.end};
  const bool end_is_another = theirs.unknown != theirs.end || !theirs.end;
  ours.predicted = {
      theirs.unknown.has_value() && end_is_another,
      theirs.begin.has_value() && theirs.begin != theirs.end && theirs.begin != theirs.unknown,
      theirs.end.has_value()};
  for (Index id = 0; id < std::ssize(theirs.entries); ++id) {
    const bool mark = id == theirs.unknown || id == theirs.begin || id == theirs.end ||
                      (masked && id == theirs.mask);
    if (!mark) {
      ours.entries.push_back(theirs.entries[static_cast<std::size_t>(id)]);
      ours.theirs.emplace_back(id);
      ours.predicted.push_back(true);
    }
  }
  if (masked) {
    ours.theirs.push_back(theirs.mask);
  }
  return ours;
}

}  // namespace tapehead
