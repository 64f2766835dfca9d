#include "datasets/tokenizers/written_back.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "datasets/tokenizers/parallel_lines.hpp"

namespace tapehead {

namespace {

void count(LostParts& lost, const std::string& part, LostPart found) {
  LostPart& entry = lost[part];
  entry.first_line =
      entry.count == 0 ? found.first_line : std::min(entry.first_line, found.first_line);
  entry.count += found.count;
}

}  // namespace

LostParts lost_parts(const Tokenizer& tokenizer, std::span<const std::string> lines,
                     const std::function<std::string(std::string_view)>& normalised) {
  LostParts lost;
  std::mutex guard;
  for_line_ranges(static_cast<Index>(lines.size()), [&](Index first, Index last) {
    LostParts here;
    for (Index i = first; i < last; ++i) {
      const std::string& line = lines[static_cast<std::size_t>(i)];
      std::vector<std::string> parts = tokenizer.unknown_parts(line);
      if (parts.empty() && tokenizer.decode(tokenizer.encode(line)) != normalised(line)) {
        parts.emplace_back();
      }
      for (const std::string& part : parts) {
        count(here, part, {.count = 1, .first_line = i + 1});
      }
    }
    const std::scoped_lock lock(guard);
    for (const auto& [part, found] : here) {
      count(lost, part, found);
    }
  });
  return lost;
}

}  // namespace tapehead
