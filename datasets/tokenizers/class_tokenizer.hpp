// A tokenizer of class labels: a whole text is one token, the number of its class. It has no marks.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

class ClassTokenizer : public Tokenizer {
 public:
  static constexpr std::string_view kind = "class";

  // Without duplicates.
  explicit ClassTokenizer(std::vector<std::string> classes);

  Index size() const override { return std::ssize(classes_); }
  // The number of the class; nothing if there is no such class.
  std::vector<TokenId> encode(std::string_view text) const override;
  std::string decode(const std::vector<TokenId>& tokens) const override;
  std::vector<std::string> unknown_parts(std::string_view text) const override;
  std::string entry(TokenId token) const override;
  void save(const std::filesystem::path& stem) const override;

  const std::vector<std::string>& classes() const { return classes_; }

 private:
  std::vector<std::string> classes_;
  std::unordered_map<std::string, TokenId, TextHash, std::equal_to<>> numbers_;
};

}  // namespace tapehead
