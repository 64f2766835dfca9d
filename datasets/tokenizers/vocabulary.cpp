#include "datasets/tokenizers/vocabulary.hpp"

#include "core/files/files.hpp"
#include "core/random/draws.hpp"

namespace tapehead {

namespace {

constexpr std::string_view signature = "tapehead-vocabulary";

std::string header_of(std::string_view kind, Index entries, std::string_view body) {
  return fmt::format("{} {} {} {:016x}", signature, kind, entries, digest(body));
}

std::vector<std::string> lines_of(std::string_view body) {
  std::vector<std::string> lines;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find(line_end), body.size());
    lines.emplace_back(end == 0 ? line_end : body.substr(0, end));
    body.remove_prefix(std::min(end + 1, body.size()));
  }
  return lines;
}

// The second word of the header.
std::string kind_of(std::string_view header) {
  header.remove_prefix(std::min(header.find(' '), header.size() - 1) + 1);
  return std::string(header.substr(0, header.find(' ')));
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
  const auto found = counts.find(entry);
  if (found == counts.end()) {
    counts.emplace(entry, 1);
  } else {
    ++found->second;
  }
}

Vocabulary most_frequent(const EntryCounts& counts, Index limit) {
  std::vector<std::pair<std::string, Index>> ranked(counts.begin(), counts.end());
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const auto room = static_cast<std::size_t>(std::max(limit - mark_count, Index{0}));
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < std::min(room, ranked.size()); ++i) {
    entries.push_back(std::move(ranked[i].first));
  }
  return Vocabulary(std::move(entries));
}

void save_vocabulary(const Vocabulary& vocabulary, std::string_view kind,
                     const std::filesystem::path& file) {
  std::string body;
  for (Index id = mark_count; id < vocabulary.size(); ++id) {
    const std::string& entry = vocabulary.entry(static_cast<TokenId>(id));
    body += entry == line_end ? "" : entry;
    body += line_end;
  }
  write_file_atomically(
      file, header_of(kind, vocabulary.size() - mark_count, body) + '\n' + std::move(body));
}

SavedVocabulary load_vocabulary(const std::filesystem::path& file) {
  const std::string content = read_file(file, most_settings_bytes);
  const std::size_t end = content.find('\n');
  if (!content.starts_with(signature) || end == std::string::npos) {
    throw IoError(fmt::format("{} is not a vocabulary written by tapehead", file.string()));
  }
  const std::string_view header(content.data(), end);
  const std::string_view body(content.data() + end + 1, content.size() - end - 1);
  std::vector<std::string> entries = lines_of(body);
  std::string kind = kind_of(header);
  if (header != header_of(kind, static_cast<Index>(entries.size()), body)) {
    throw IoError(
        fmt::format("{} is damaged: its content does not match its checksum", file.string()));
  }
  return {std::move(kind), Vocabulary(std::move(entries))};
}

}  // namespace tapehead
