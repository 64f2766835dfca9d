// Modules: the names by which a report says where in a model an op ran.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace tapehead {

// A place in a model, and the meaning of the columns of a result that is made there. There are
// parts side by side, all of one width (such as query, key and value from one product), and in each
// part heads side by side.
struct Module {
  std::vector<std::string> paths;  // of the parts: "decoder.layers.1.cross.query"
  Index heads = 0;                 // 0: the columns do not belong to heads

  const std::string& path() const { return paths.front(); }
};

struct Place {
  std::string path;
  Index head = -1;  // -1: no head

  std::string to_string() const;  // "decoder.layers.1.cross.query, head 2"
};

// Whether the path of a module or parameter is `scope` or inside it: "a.b.c" is in "a.b". All paths
// are in the root, which is "".
bool lies_in(std::string_view path, std::string_view scope);

// The place of a column of a result, or of a row of a weight (out, in).
Place place_of(const Module& module, Index column, Index columns);

}  // namespace tapehead
