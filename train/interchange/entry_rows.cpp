#include "train/interchange/entry_rows.hpp"

namespace tapehead {

EntryRows entry_rows(const PretrainedTokenizer& tokenizer, bool masked) {
  const std::vector<Index>& ids = tokenizer.file_ids;
  EntryRows rows;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool there = ids[i] >= 0;
    rows.theirs.push_back(there ? std::optional(ids[i]) : std::nullopt);
    rows.predicted.push_back(there && (i != begin_id || ids[i] != ids[end_id]));
  }
  if (masked) {
    rows.theirs.push_back(tokenizer.mask);
  }
  return rows;
}

}  // namespace tapehead
