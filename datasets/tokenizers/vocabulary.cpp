#include "datasets/tokenizers/vocabulary.hpp"

#include "core/files/files.hpp"
#include "core/random/draws.hpp"
#include "core/text.hpp"

namespace tapehead {

namespace {

constexpr std::string_view signature = "tapehead-vocabulary";

std::string header_of(std::string_view kind, Index entries, std::string_view body) {
  return fmt::format("{} {} {} {:016x}", signature, kind, entries, digest(body));
}

constexpr std::string_view white_space = "\n \t\v\f\r";
constexpr std::string_view space_in_line = white_space.substr(1);

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t start = text.find_first_not_of(space_in_line);
  while (start != std::string_view::npos) {
    const std::size_t end =
        text[start] == '\n' ? start + 1 : text.find_first_of(white_space, start);
    words.push_back(text.substr(start, end - start));
    start = text.find_first_not_of(space_in_line, end);
  }
  return words;
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> entries) : entries_{"<unk>", "<s>", "</s>"} {
  entries_.reserve(entries_.size() + entries.size());
  ids_.reserve(entries.size());
  for (std::string& entry : entries) {
    ids_.emplace(entry, static_cast<TokenId>(entries_.size()));
    entries_.push_back(std::move(entry));
  }
}

TokenId Vocabulary::id(std::string_view entry) const {
  const auto found = ids_.find(entry);
  return found == ids_.end() ? unknown_id : found->second;
}

const std::string& Vocabulary::entry(TokenId id) const {
  const bool known = id >= 0 && static_cast<Index>(id) < size();
  return entries_[static_cast<std::size_t>(known ? id : unknown_id)];
}

void count_entry(std::string_view entry, EntryCounts& counts) {
  const auto known = counts.find(entry);  // without a copy of the entry
  ++(known == counts.end() ? counts.emplace(entry, 0).first : known)->second;
}

Vocabulary most_frequent(const EntryCounts& counts, Index limit) {
  std::vector<std::pair<std::string, Index>> ranked(counts.begin(), counts.end());
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> entries;
  for (auto& [entry, count] : ranked | std::views::take(std::max(limit - mark_count, Index{0}))) {
    entries.push_back(std::move(entry));
  }
  return Vocabulary(std::move(entries));
}

void save_vocabulary(std::span<const std::string> entries, std::string_view kind, fs::path stem) {
  std::string body;
  for (const std::string& entry : entries) {
    body += entry == line_end ? "" : entry;
    body += line_end;
  }
  write_file_atomically(stem += vocabulary_suffix,
                        header_of(kind, std::ssize(entries), body) + '\n' + body);
}

std::pair<std::string, std::vector<std::string>> load_vocabulary(const fs::path& file) {
  const std::string content = read_file(file, most_settings_bytes);
  const std::size_t end = content.find('\n');
  if (!content.starts_with(signature) || end == std::string::npos) {
    throw IoError("{} is not a vocabulary written by tapehead", file.string());
  }
  const std::string_view header(content.data(), end);
  const std::string_view body(content.data() + end + 1, content.size() - end - 1);
  std::vector<std::string> entries = mapped(text_lines(body), [](std::string_view line) {
    return std::string(line.empty() ? line_end : line);
  });
  std::string kind(header.substr(std::min(header.find(' '), header.size() - 1) + 1));
  kind.resize(std::min(kind.find(' '), kind.size()));  // the second word
  if (header != header_of(kind, std::ssize(entries), body)) {
    throw IoError("{} is damaged: its content does not match its checksum", file.string());
  }
  return {std::move(kind), std::move(entries)};
}

std::vector<std::string_view> units_of(std::string_view text, Unit unit) {
  if (unit == Unit::word) {
    return words_of(text);
  }
  std::vector<std::string_view> units;
  while (!text.empty()) {
    const std::size_t length = unit == Unit::byte ? 1 : std::max(utf8_length(text), std::size_t{1});
    units.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return units;
}

void count_units(std::string_view text, Unit unit, EntryCounts& counts) {
  for (const std::string_view entry : units_of(text, unit)) {
    count_entry(entry, counts);
  }
}

Vocabulary count_units(std::span<const std::string> lines, Unit unit, Index limit) {
  EntryCounts counts;
  for (const std::string& line : lines) {
    count_units(line, unit, counts);
  }
  return most_frequent(counts, limit);
}

Vocabulary all_bytes() {
  return Vocabulary(
      mapped(numbers_below(256), [](int byte) { return std::string(1, static_cast<char>(byte)); }));
}

std::vector<TokenId> VocabularyTokenizer::encode(std::string_view text) const {
  return mapped(units_of(text, unit_),
                [&](std::string_view entry) { return vocabulary_.id(entry); });
}

std::string VocabularyTokenizer::decode(const std::vector<TokenId>& tokens) const {
  std::string text;
  bool apart = true;  // no space is needed: at the beginning, or after a line end
  for (const TokenId token : tokens) {
    if (token == begin_id || token == end_id) {
      continue;
    }
    const std::string_view entry =
        token == unknown_id ? unknown_mark_text : std::string_view(vocabulary_.entry(token));
    if (!apart && entry != line_end && unit_ == Unit::word) {
      text += ' ';
    }
    text += entry;
    apart = entry == line_end;
  }
  return text;
}

// A byte beyond ASCII is not a character by itself, so its value is shown.
std::string VocabularyTokenizer::entry(TokenId token) const {
  const std::string& entry = vocabulary_.entry(token);
  if (entry == line_end) {
    return "\\n";
  }
  const auto first = static_cast<unsigned char>(entry.front());
  return unit_ == Unit::byte && first >= 0x80 ? fmt::format("<{:02X}>", first) : entry;
}

std::vector<std::string> VocabularyTokenizer::unknown_parts(std::string_view text) const {
  std::vector<std::string> unknown;
  for (const std::string_view entry : units_of(text, unit_)) {
    if (vocabulary_.id(entry) == unknown_id) {
      unknown.emplace_back(entry);
    }
  }
  return unknown;
}

std::shared_ptr<const Tokenizer> numbered_tokenizer(std::initializer_list<NumberedEntries> all) {
  std::vector<std::string> entries;
  for (const auto& [format, count, first] : all) {
    for (Index number = first; number < first + count; ++number) {
      entries.push_back(fmt::format(fmt::runtime(format), number));
    }
  }
  return std::make_shared<VocabularyTokenizer>(Vocabulary(std::move(entries)), Unit::word);
}

std::vector<TokenId> ClassTokenizer::encode(std::string_view text) const {
  const TokenId id = classes_.id(text);
  return id == unknown_id ? std::vector<TokenId>{} : std::vector<TokenId>{id - mark_count};
}

std::string ClassTokenizer::decode(const std::vector<TokenId>& tokens) const {
  return join(tokens | std::views::transform([&](TokenId token) { return entry(token); }), " ");
}

std::vector<std::string> ClassTokenizer::unknown_parts(std::string_view text) const {
  return encode(text).empty() ? std::vector{std::string(text)} : std::vector<std::string>{};
}

}  // namespace tapehead
