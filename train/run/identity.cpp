#include "train/run/identity.hpp"

#include <unordered_map>

#include "core/random/draws.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "train/config/config.hpp"

namespace tapehead {

namespace {

constexpr const char* former_key = "config";

std::string former_digest_of(const Config& config) {
  Config numbers = config;
  numbers.model.init_from.clear();
  std::string decisive = fmt::format("seed: {}\n{}", config.seed, dump_section(numbers, "model"));
  for (const std::string_view kind : attention_kind_names) {
    decisive += fmt::format("{}:\n{}", kind, dump_section(numbers, kind));
  }
  return fmt::format("{:016x}", digest(decisive));
}

void expect_fact(const TensorFile& file, const std::string& key, const std::string& found,
                 const std::string& expected) {
  static const std::map<std::string, std::string> names{
      {"data", "other data or other options of the task"},
      {"seed", "another seed"},
      {"source_tokenizer", "another source tokenizer"},
      {"target_tokenizer", "another target tokenizer"},
      {former_key, "another model or seed"}};
  if (found != expected) {
    throw IoError("{} comes from {} ({}: {}, not {})", file.path().string(), names.at(key), key,
                  found, expected);
  }
}

}  // namespace

Identity identity_of(const Config& config, const Tokenizers& tokenizers,
                     const std::string& data_fingerprint) {
  Identity identity{.facts = meaning_of(config), .former_digest = former_digest_of(config)};
  identity.facts["seed"] = std::to_string(config.seed);
  identity.facts["source_tokenizer"] = tokenizer_digest(*tokenizers.source);
  identity.facts["target_tokenizer"] = tokenizer_digest(*tokenizers.target);
  if (!data_fingerprint.empty()) {
    identity.facts["data"] = data_fingerprint;
  }
  return identity;
}

void expect_identity(const TensorFile& file, const Identity& identity) {
  const bool former = file.metadata().contains(former_key);
  if (former) {
    expect_fact(file, former_key, file.metadata(former_key), identity.former_digest);
  }
  Config defaults;
  resolve(defaults);
  const auto options = meaning_of(defaults);
  std::vector<std::string> differences;
  for (const auto& [key, value] : identity.facts) {
    const auto option = options.find(key);
    if (former && key != "data") {
      continue;
    }
    if (option == options.end()) {
      expect_fact(file, key, file.metadata(key), value);
      continue;
    }
    const std::string& found = file.metadata().contains(key) ? file.metadata(key) : option->second;
    if (found != value) {
      differences.push_back(fmt::format("{}: {}, not {}", key, found, value));
    }
  }
  if (!differences.empty()) {
    throw IoError("{} comes from another model ({})", file.path().string(), some_of(differences));
  }
}

VocabularyMatch match_vocabularies(const Tokenizer& theirs, const Tokenizer& ours) {
  std::unordered_map<std::string, Index> numbers;
  for (Index id = mark_count; id < theirs.size(); ++id) {
    numbers.emplace(theirs.entry(static_cast<TokenId>(id)), id);
  }
  VocabularyMatch match{.from = {0, 1, 2}, .entries = ours.size() - mark_count};
  static_assert(mark_count == 3);
  for (Index id = mark_count; id < ours.size(); ++id) {
    const auto found = numbers.find(ours.entry(static_cast<TokenId>(id)));
    match.from.push_back(found == numbers.end() ? -1 : found->second);
    match.matched += found == numbers.end() ? 0 : 1;
  }
  return match;
}

}  // namespace tapehead
