// Which files, and which part of them, each split of a running text has.
#pragma once

#include <optional>
#include <string_view>

#include "datasets/text/documents.hpp"
#include "datasets/text/text_options.hpp"

namespace tapehead {

class TextSplits {
 public:
  // The options must outlive it.
  explicit TextSplits(const TextOptions& options) : options_(options) {}

  // Throws IoError that names the option if there is no such file.
  DocumentFiles of(std::string_view split);

 private:
  TextShare share_of(std::string_view split, const DocumentFiles& all);

  const TextOptions& options_;
  std::optional<double> bytes_;  // of the training text, once it was read
};

}  // namespace tapehead
