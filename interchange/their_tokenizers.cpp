#include "interchange/their_tokenizers.hpp"

#include "core/text.hpp"
#include "interchange/architecture.hpp"

namespace tapehead {

namespace {

void set_entry(std::vector<std::string>& entries, const fs::path& file, std::size_t id,
               const std::string& entry) {
  if (id >= entries.size() || !entries[id].empty() || entry.empty()) {
    throw IoError("{}: entry {} with the id {} does not fit into {} entries", file.string(),
                  shown(entry), id, entries.size());
  }
  entries[id] = entry;
}

void read_json_vocabulary(const Json& json, const fs::path& file,
                          std::vector<std::string>& entries) {
  if (!json.is_object()) {
    throw IoError("{} is not a JSON object from entries to ids", file.string());
  }
  for (const auto& [entry, id] : json.items()) {
    if (!id.is_number_unsigned()) {
      throw IoError("{}: the id of {} is {}, not a whole number from 0", file.string(),
                    shown(entry), id.dump());
    }
    set_entry(entries, file, id.get<std::size_t>(), entry);
  }
}

// Reads the vocabulary of a tokenizer.json, if it is a table, and the added tokens.
void read_whole_tokenizer(const fs::path& file, std::vector<std::string>& entries) {
  const Json json = parse_json_file(file);
  try {
    Json vocabulary = json.at("model").at("vocab");
    for (const Json& token : json.value("added_tokens", Json::array())) {
      vocabulary[token.at("content").get<std::string>()] = token.at("id");
    }
    read_json_vocabulary(vocabulary, file, entries);
  } catch (const Json::exception&) {
    throw IoError("{} has no JSON object from entries to ids", file.string());
  }
}

// `name`: the file with the ids of the entries.
std::vector<std::string> read_entries(const fs::path& directory, Index size, const char* name) {
  std::vector<std::string> entries(static_cast<std::size_t>(size));
  const fs::path table = directory / name;
  const fs::path lines = directory / "vocab.txt";
  const bool named = has_token_texts(directory);
  if (fs::exists(table)) {
    read_json_vocabulary(parse_json_file(table), table, entries);
  } else if (fs::exists(directory / "tokenizer.json")) {
    read_whole_tokenizer(directory / "tokenizer.json", entries);
  } else if (named) {
    const std::string text = read_file(lines);
    std::size_t id = 0;
    for (const std::string_view line : file_lines(text)) {
      set_entry(entries, lines, id++, std::string(line));
    }
  }
  for (std::size_t id = 0; id < entries.size(); ++id) {
    if (entries[id].empty()) {  // in no file: a padding row
      entries[id] = named ? fmt::format("<{}>", id) : fmt::format("{}", id);
    }
  }
  return entries;
}

// Throws IoError unless the entries fit our vocabulary file: one per line, distinct, without marks.
void expect_writable(const std::vector<std::string>& entries, const fs::path& directory) {
  std::vector<std::string> sorted = entries;
  for (TokenId mark = 0; mark < mark_count; ++mark) {
    sorted.push_back(Vocabulary({}).entry(mark));
  }
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    throw IoError(
        "{}: the entry {} occurs twice, or is a mark of tapehead that no file declares as a mark",
        directory.string(), shown(*twice));
  }
  const auto broken = std::ranges::find_if(entries, [](const std::string& entry) {
    return entry != line_end && entry.find('\n') != std::string::npos;
  });
  if (broken != entries.end()) {
    throw IoError("{}: the entry {} has a line end in it", directory.string(), shown(*broken));
  }
}

PretrainedTokenizer read_side(const fs::path& directory, Index size, const char* table,
                              const FindMarks& find_marks) {
  const std::vector<std::string> entries = read_entries(directory, size, table);
  FileVocabulary vocabulary;
  EntriesById by_id;
  for (const std::string& entry : entries) {
    const Index id = std::ssize(by_id);
    vocabulary.emplace(entry, id);
    by_id.emplace(id, entry);
  }
  return renumbered(std::move(by_id), find_marks(vocabulary), [&](std::vector<std::string> others) {
    expect_writable(others, directory);
    return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(others)), Unit::word);
  });
}

PretrainedTokenizer read_any_tokenizer(const fs::path& directory, const FindMarks& find_marks) {
  const auto written = read_written_tokenizer(directory);
  return written ? *written : read_pretrained_tokenizer(directory, find_marks);
}

}  // namespace

bool has_token_texts(const fs::path& directory) {
  return fs::exists(directory / "vocab.json") || fs::exists(directory / "tokenizer.json") ||
         fs::exists(directory / "vocab.txt");
}

PretrainedTokenizers their_tokenizers(const PretrainedFiles& files, const TheirConfig& config,
                                      std::optional<Index> begin, bool token_texts) {
  const fs::path& directory = files.directory();
  const FindMarks find_marks = [&](const FileVocabulary& vocabulary) {
    return their_marks(files, config, vocabulary, begin);
  };
  if (token_texts) {
    const Index size = config.count("vocab_size");
    const PretrainedTokenizer source = read_side(directory, size, "vocab.json", find_marks);
    const char* own = "target_vocab.json";
    return {source,
            fs::exists(directory / own) ? read_side(directory, size, own, find_marks) : source};
  }
  const bool pieces =
      fs::exists(directory / "source.spm") || !fs::exists(directory / "tokenizer.json");
  try {
    if (pieces && config.text("model_type", "") == marian_architecture.model_type) {
      return read_marian_tokenizers(directory, config.count("decoder_start_token_id"));
    }
    const PretrainedTokenizer source = read_any_tokenizer(directory, find_marks);
    const fs::path own = directory / "target";
    return {source, fs::exists(own) ? read_any_tokenizer(own, find_marks) : source};
  } catch (const IoError& error) {
    throw IoError(
        "{}; with --token-texts no tokenizer is read, and texts are given as their tokens",
        error.what());
  }
}

}  // namespace tapehead
