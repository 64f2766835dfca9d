// Exports a tokenizer and, next to it, its results on texts, for scripts/check_tokenizer_export.py:
// export_tokenizer KIND LINES TEXTS VOCABULARY DIRECTORY.
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/files/files.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/word_piece.hpp"
#include "interchange/tokenizers/pretrained_tokenizers.hpp"

namespace {

using namespace tapehead;  // NOLINT(google-build-using-namespace): a program of its own

// "bpe", "unigram_nfkc", "bpe_lines" (line ends are tokens), ...
std::string trained_pieces(const std::string& kind, const std::vector<std::string>& lines,
                           Index vocabulary) {
  return train_sentencepiece(
      lines, {.kind = kind.starts_with("bpe") ? TokenizerKind::bpe : TokenizerKind::unigram,
              .vocabulary = vocabulary,
              .normalization = kind.ends_with("nfkc")      ? Normalization::nfkc
                               : kind.ends_with("nfkc_cf") ? Normalization::nfkc_cf
                                                           : Normalization::identity,
              .running_text = kind.ends_with("lines")});
}

std::shared_ptr<const Tokenizer> made_of(const std::string& kind,
                                         const std::vector<std::string>& lines, Index vocabulary) {
  if (kind.starts_with("word_piece")) {
    return std::make_shared<WordPiece>(
        train_word_piece(lines, vocabulary, word_piece_options(kind == "word_piece")));
  }
  const auto& names = EnumNames<TokenizerKind>::names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == kind && !is_sentencepiece(static_cast<TokenizerKind>(i))) {
      return tokenizer_of_lines({.kind = static_cast<TokenizerKind>(i), .vocabulary = vocabulary},
                                lines);
    }
  }
  return std::make_shared<SentencePieceTokenizer>(trained_pieces(kind, lines, vocabulary));
}

// For each text: its ids, their decoded text, and the decoded text without unknown tokens.
nlohmann::json results_of(const Tokenizer& tokenizer, const std::vector<std::string>& texts) {
  nlohmann::json results = nlohmann::json::array();
  for (const std::string& text : texts) {
    const std::vector<TokenId> ids = tokenizer.encode(text);
    std::vector<TokenId> known = ids;
    std::erase(known, unknown_id);
    results.push_back({ids, tokenizer.decode(ids), tokenizer.decode(known)});
  }
  return results;
}

// Even lines belong to the source, odd lines to the target.
Tokenizers sides_of(const std::string& kind, const std::vector<std::string>& lines,
                    Index vocabulary) {
  std::vector<std::string> source;
  std::vector<std::string> target;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    (i % 2 == 0 ? source : target).push_back(lines[i]);
  }
  if (kind.starts_with("joint")) {
    const std::string model =
        with_target_pieces_first(trained_pieces("unigram", lines, vocabulary), target);
    return {.source = std::make_shared<SentencePieceTokenizer>(model, Pieces::all),
            .target = std::make_shared<SentencePieceTokenizer>(model, Pieces::used)};
  }
  return {.source = made_of("bpe_nfkc", source, vocabulary),
          .target = made_of("unigram", target, vocabulary)};
}

void write_results(const std::filesystem::path& file, const nlohmann::json& results) {
  std::ofstream(file) << results.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> given(arguments + 1, arguments + count);
  if (given.size() != 5) {
    std::cerr << "usage: export_tokenizer KIND LINES TEXTS VOCABULARY DIRECTORY\n";
    return 2;
  }
  const std::filesystem::path directory = given[4];
  const std::vector<std::string> lines = read_lines(given[1]);
  const auto texts = nlohmann::json::parse(read_file(given[2])).get<std::vector<std::string>>();
  const Index vocabulary = std::stol(given[3]);
  if (given[0].ends_with("_marian")) {
    const Tokenizers sides = sides_of(given[0], lines, vocabulary);
    write_marian_tokenizers(sides, 512, directory);
    write_results(directory / "expected.json", results_of(*sides.source, texts));
    write_results(directory / "expected_target.json", results_of(*sides.target, texts));
    return 0;
  }
  const auto tokenizer = made_of(given[0], lines, vocabulary);
  write_pretrained_tokenizer(*tokenizer, {.added = AddedMarks::begin_and_end, .longest = 512},
                             directory);
  write_results(directory / "expected.json", results_of(*tokenizer, texts));
  return 0;
}
