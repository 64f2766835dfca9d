// Modules: the names by which a report says where in a model an op ran.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// Where in a model, and what the columns of a result made there are: parts side by side, all of one
// width (query, key and value out of one product), in each of them heads side by side.
struct Module {
  std::vector<std::string> paths;  // of the parts: "decoder.layers.1.cross.query"
  Index heads = 0;                 // 0: the columns are not of heads

  const std::string& path() const { return paths.front(); }
};

struct Place {
  std::string path;
  Index head = -1;  // -1: not of a head

  std::string to_string() const;  // "decoder.layers.1.cross.query, head 2"
};

// Whether a module or a parameter is the one of that path or inside it: "a.b.c" in "a.b". All are
// in the root, which has none.
bool lies_in(std::string_view path, std::string_view scope);

// Where a column of a result, or a row of a weight (out, in), belongs.
Place place_of(const Module& module, Index column, Index columns);

}  // namespace tapehead
