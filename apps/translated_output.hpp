// What `tapehead translate` writes for a line, as text or as JSON.
#pragma once

#include <string>
#include <vector>

#include "train/evaluation/translator.hpp"

namespace tapehead {

// A line for each translation. With `n_best`: "line ||| translation ||| score", where lines of the
// input are counted from 0, as in Moses.
std::string translations_text(const std::vector<Translation>& translations, Index line,
                              bool n_best);

// One object on a line: the source, and each translation with its score.
std::string translations_json(const std::vector<Translation>& translations,
                              const std::string& source);

}  // namespace tapehead
