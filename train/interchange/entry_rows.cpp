#include "train/interchange/entry_rows.hpp"

namespace tapehead {

namespace {

// Whether another of our entries stands for the same one of theirs: an end mark for a begin mark,
// an unknown mark for what they do not know.
bool is_repeated(const std::vector<Index>& ids, std::size_t i) {
  return i == begin_id ? ids[i] == ids[end_id] : i >= mark_count && ids[i] == ids[unknown_id];
}

}  // namespace

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

EntryRows same_rows(Index entries) {
  EntryRows rows{.theirs = {},
                 .predicted = std::vector<bool>(static_cast<std::size_t>(entries), true)};
  for (Index i = 0; i < entries; ++i) {
    rows.theirs.emplace_back(i);
  }
  return rows;
}

}  // namespace tapehead
