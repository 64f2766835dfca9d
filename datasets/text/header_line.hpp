// The header of a TSV: a first line that names the columns.
#pragma once

#include "core/fields.hpp"

namespace tapehead {

enum class HeaderLine { automatic, present, absent };
constexpr ValueNames<3> value_names(HeaderLine) { return {"auto", "true", "false"}; }

// Whether all fields of the line are names of columns, such as sentence, text2, label or source.
bool names_columns(std::string_view line);

// Whether the first line of a TSV is a header. If it is not given, a line that `looks_like_one` is
// one, unless it is alone, and the log says so. Throws DataError if nothing follows a given one.
bool has_header(HeaderLine given, const std::filesystem::path& file,
                const std::vector<std::string>& lines, bool looks_like_one);

// The rule of a task whose splits may be TSVs.
template <class Options>
std::optional<Violation> header_without_tsv(const Options& options) {
  const bool tsv = !(options.train_tsv + options.validation_tsv + options.test_tsv).empty();
  if (tsv || options.header == HeaderLine::automatic) {
    return {};
  }
  return Violation{{"task.header"}, "has no effect, since no split is a TSV"};
}

}  // namespace tapehead
