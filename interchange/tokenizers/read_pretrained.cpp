// Reads a tokenizer from the files of a published model.
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

#include "core/text.hpp"

namespace tapehead {

namespace {

bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

// Calls `read` with the file's content; adds the name of the file to its errors.
auto read_from(const fs::path& file, const auto& read) {
  try {
    return read(read_file(file, most_settings_bytes));
  } catch (const DataError& error) {
    throw IoError("{}: {}", file.string(), error.what());
  } catch (const nlohmann::json::exception& error) {
    throw IoError("{} is damaged, or of another format: {}", file.string(), error.what());
  }
}

auto read_json_from(const fs::path& file, const auto& read) {
  return read_from(
      file, [&](const std::string& text) { return read(parse_sorted_json(text, file.string())); });
}

// The content of tokenizer_config.json; an empty object if there is none.
nlohmann::json config_in(const fs::path& directory) {
  const fs::path file = directory / "tokenizer_config.json";
  return is_file(file) ? read_json_from(file, std::identity()) : nlohmann::json::object();
}

// Models in old files have no type; then, like the package (ModelUntagged in its models/mod.rs),
// takes the first type whose parts are present.
PretrainedTokenizer tokenizer_of_json(const nlohmann::json& tokenizer,
                                      const FindMarks& find_marks) {
  const nlohmann::json& model = tokenizer.at("model");
  const char* inferred = model.contains("merges")                      ? "BPE"
                         : model.contains("continuing_subword_prefix") ? "WordPiece"
                         : model.at("vocab").is_object()               ? "WordLevel"
                                                                       : "Unigram";
  const nlohmann::json type = model.value("type", nlohmann::json(inferred));
  if (type == "WordPiece") {
    return word_piece_of_json(tokenizer, find_marks);
  }
  if (type == "BPE") {
    return byte_bpe_of_json(tokenizer, find_marks);
  }
  throw DataError("model is `{}`, which is not supported (only \"BPE\" and \"WordPiece\")",
                  type.is_string() ? type.get<std::string>() : type.dump());
}

void put_template_around(const nlohmann::json& processor, MarksAround& marks) {
  std::vector<Index> before;
  std::vector<Index>* side = &before;
  for (const nlohmann::json& item : processor.at("single")) {
    if (item.contains("Sequence")) {
      side = &marks.behind;
      continue;
    }
    const auto name = item.at("SpecialToken").at("id").get<std::string>();
    const nlohmann::json& listed = processor.at("special_tokens").at(name).at("ids");
    const auto ids = mapped(listed.get_ref<const nlohmann::json::array_t&>(), id_in);
    side->insert(side->end(), ids.begin(), ids.end());
  }
  if (side == &before) {
    throw DataError("post_processor.single has no place for the text");
  }
  marks.before.insert(marks.before.begin(), before.begin(), before.end());
}

// Adds the marks of a processor outside the marks of earlier processors.
void put_around(const nlohmann::json& processor, MarksAround& marks) {
  const std::string type = processor.is_null() ? "" : processor.at("type").get<std::string>();
  if (type == "Sequence") {
    for (const nlohmann::json& step : processor.at("processors")) {
      put_around(step, marks);
    }
  } else if (type == "TemplateProcessing") {
    put_template_around(processor, marks);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    marks.before.insert(marks.before.begin(), id_in(processor.at("cls").at(1)));
    marks.behind.push_back(id_in(processor.at("sep").at(1)));
  }
}

}  // namespace

Index id_in(const nlohmann::json& json) {
  constexpr std::uint64_t most = 1'000'000'000;
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > most) {
    throw DataError("an id is {}, not a whole number from 0 to {}", json.dump(), most);
  }
  return json.get<Index>();
}

FileVocabulary vocabulary_in(const nlohmann::json& json) {
  FileVocabulary vocabulary;
  for (const auto& [entry, id] : json.get_ref<const nlohmann::json::object_t&>()) {
    vocabulary.emplace(entry, id_in(id));
  }
  return vocabulary;
}

FileMarks marks_by_name(const FileVocabulary& vocabulary) {
  // The id of the first name that is an entry.
  const auto id_of = [&](std::initializer_list<const char*> names) -> std::optional<Index> {
    for (const char* name : names) {
      if (const auto found = vocabulary.find(name); found != vocabulary.end()) {
        return found->second;
      }
    }
    return std::nullopt;
  };
  return {.unknown = id_of({"<unk>", "[UNK]"}),
          .begin = id_of({"<s>", "[CLS]", "[BOS]", "<bos>", "<|begin_of_text|>", "<|startoftext|>",
                          "<|endoftext|>"}),
          .end = id_of({"</s>", "[SEP]", "[EOS]", "<eos>", "<|end_of_text|>", "<|endoftext|>"}),
          .mask = id_of({"<mask>", "[MASK]"})};
}

PretrainedTokenizer renumbered(const FileVocabulary& vocabulary, const FileMarks& marks,
                               const MakeTokenizer& make) {
  EntriesById entries;
  for (const auto& [entry, id] : vocabulary) {
    const auto [at, inserted] = entries.emplace(id, entry);
    if (!inserted) {
      throw DataError("`{}` and `{}` have the same id, {}", at->second, entry, id);
    }
  }
  return renumbered(std::move(entries), marks, make);
}

PretrainedTokenizer renumbered(EntriesById entries, const FileMarks& marks,
                               const MakeTokenizer& make) {
  PretrainedTokenizer result{
      .file_ids = {marks.unknown.value_or(-1), marks.begin.value_or(-1), marks.end.value_or(-1)},
      .mask = marks.mask};
  for (const Index mark : result.file_ids) {
    entries.erase(mark);
  }
  entries.erase(marks.mask.value_or(-1));
  std::vector<std::string> others;
  for (const auto& [id, entry] : entries) {
    others.emplace_back(entry);
    result.file_ids.push_back(id);
  }
  result.tokenizer = make(std::move(others));
  return result;
}

std::vector<std::string_view> file_lines(std::string_view text) {
  std::vector<std::string_view> lines = text_lines(text);
  for (std::string_view& line : lines) {
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  }
  return lines;
}

PretrainedTokenizer read_pretrained_tokenizer(const fs::path& directory,
                                              const FindMarks& find_marks) {
  if (const fs::path whole = directory / "tokenizer.json"; is_file(whole)) {
    return read_json_from(whole, [&](const nlohmann::json& tokenizer) {
      return tokenizer_of_json(tokenizer, find_marks);
    });
  }
  if (const fs::path entries = directory / "vocab.json"; is_file(entries)) {
    const auto vocabulary = read_json_from(entries, vocabulary_in);
    return read_from(directory / "merges.txt", [&](const std::string& merges) {
      return byte_bpe_of_files(vocabulary, merges, config_in(directory), find_marks);
    });
  }
  if (const fs::path entries = directory / "vocab.txt"; is_file(entries)) {
    return read_from(entries, [&](const std::string& text) {
      return word_piece_of_files(text, config_in(directory), find_marks);
    });
  }
  throw IoError(
      "no tokenizer in {}: neither tokenizer.json, nor vocab.json with merges.txt, nor vocab.txt",
      directory.string());
}

std::optional<MarksAround> marks_around_text(const fs::path& directory) {
  const fs::path whole = directory / "tokenizer.json";
  if (!is_file(whole)) {
    return std::nullopt;
  }
  return read_json_from(whole, [](const nlohmann::json& tokenizer) {
    MarksAround marks;
    put_around(tokenizer.value("post_processor", nlohmann::json()), marks);
    return marks;
  });
}

}  // namespace tapehead
