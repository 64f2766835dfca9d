// Texts encoded by the Python package tokenizers (scripts/make_fixtures.py).
#pragma once

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

namespace tapehead {

inline const std::filesystem::path tokenizer_fixtures =
    std::filesystem::path(TAPEHEAD_FIXTURES) / "tokenizers";

inline std::vector<std::string> fixture_texts() {
  return nlohmann::json::parse(read_file(tokenizer_fixtures / "texts.json"))
      .get<std::vector<std::string>>();
}

inline std::vector<Index> file_ids_of(const PretrainedTokenizer& read,
                                      const std::vector<TokenId>& tokens) {
  return mapped(tokens,
                [&](TokenId token) { return read.file_ids[static_cast<std::size_t>(token)]; });
}

}  // namespace tapehead
