#include "interchange/tokenizers/marks.hpp"

#include <algorithm>
#include <utility>

namespace tapehead {

MarkTexts apart_from(std::span<const std::string> entries, MarkTexts marks) {
  for (std::string* mark : {&marks.unknown, &marks.begin, &marks.end, &marks.mask}) {
    while (std::ranges::find(entries, *mark) != entries.end()) {
      *mark = mark->front() + *mark + mark->back();
    }
  }
  return marks;
}

}  // namespace tapehead
