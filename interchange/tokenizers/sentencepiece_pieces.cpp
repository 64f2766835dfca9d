// SentencePiece models in the format of tokenizer.json.

#include "core/text.hpp"
#include "interchange/tokenizers/tokenizer_parts.hpp"

namespace tapehead {

namespace {

void expect_all_used(const SentencePieceTokenizer& tokenizer, std::span<const Piece> pieces) {
  const auto unused = std::ranges::find(pieces, true, &Piece::unused);
  if (unused != pieces.end()) {
    throw DataError(
        "the tokenizer must not use some of its subwords (such as {}), and tokenizer.json cannot "
        "express this",
        shown(unused->text));
  }
  if (tokenizer.size() > std::ssize(pieces)) {
    throw DataError(
        "the tokenizer has entries that are not subwords (such as {}), and tokenizer.json cannot "
        "express this",
        shown(tokenizer.entry(static_cast<TokenId>(pieces.size()))));
  }
}

// Normalises a text as SentencePiece does (normalizer.cc), with tabs as spaces. Spaces become
// U+2581, with another in front of a text that is not empty. Both character maps extend NFKC. NFKC
// comes first, so that the map changes only case: the package's Precompiled loses a combining mark
// after a character that it changes.
Json normalizer_of(const SentencePieceContent& content) {
  Json steps = Json::array({replace_text("\t", " ")});
  if (!content.character_map.empty()) {
    steps.push_back({{"type", "NFKC"}});
    steps.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", base64_of(content.character_map)}});
  }
  if (content.removes_spaces) {
    steps.push_back(replace_pattern("\\A +", ""));
    steps.push_back(replace_pattern(" {2,}", " "));
  }
  steps.push_back({{"type", "Prepend"}, {"prepend", space_shown}});
  steps.push_back(replace_text(" ", space_shown));
  if (content.removes_spaces) {
    steps.push_back(replace_pattern(fmt::format("{}+\\z", space_shown), ""));
  }
  return sequence_of("normalizers", std::move(steps));
}

// Merges each pair of pieces whose concatenation is a piece, best score of the concatenation first
// (Kudo and Richardson 2018, section 3.1; bpe_model.cc).
Json merges_of(std::span<const Piece> pieces) {
  EntryCounts ids;
  for (std::size_t id = mark_count; id < pieces.size(); ++id) {
    ids.emplace(pieces[id].text, id);
  }
  std::vector<std::size_t> best_first =
      mapped(std::views::iota(std::size_t{mark_count}, pieces.size()), std::identity());
  std::ranges::stable_sort(best_first, std::greater(),
                           [&](std::size_t id) { return pieces[id].score; });
  Json merges = Json::array();
  for (const std::size_t id : best_first) {
    const std::string_view text = pieces[id].text;
    for (std::size_t at = utf8_length(text); at < text.size(); at += utf8_length(text.substr(at))) {
      if (ids.contains(text.substr(0, at)) && ids.contains(text.substr(at))) {
        merges.push_back(fmt::format("{} {}", text.substr(0, at), text.substr(at)));
      }
    }
  }
  return merges;
}

Json unigram_model(const MarkTexts& marks, std::span<const Piece> pieces) {
  Json vocabulary = Json::array();
  for (const std::string& mark : {marks.unknown, marks.begin, marks.end}) {
    vocabulary.push_back({mark, 0.0});
  }
  for (const Piece& piece : pieces.subspan(mark_count)) {
    vocabulary.push_back({piece.text, static_cast<double>(piece.score)});
  }
  return {{"type", "Unigram"},
          {"unk_id", unknown_id},
          {"vocab", std::move(vocabulary)},
          {"byte_fallback", false}};
}

// Removes the space that the normaliser adds before a line's first word. Removes all leading spaces
// if the model does.
Json decoder_of(bool removes_spaces) {
  Json steps = Json::array({replace_text(space_shown, " "), {{"type", "Fuse"}}});
  steps.push_back(replace_pattern(removes_spaces ? "\\A +" : "\\A ", ""));
  if (!removes_spaces) {
    steps.push_back(replace_text("\n ", "\n"));
  }
  return sequence_of("decoders", std::move(steps));
}

}  // namespace

TokenizerParts parts_of(const SentencePieceTokenizer& tokenizer) {
  const SentencePieceContent content = content_of(tokenizer);
  expect_all_used(tokenizer, content.pieces);
  const auto pieces = std::span(content.pieces);
  const std::vector<std::string> entries = mapped(pieces.subspan(mark_count), &Piece::text);
  TokenizerParts parts{.marks = apart_from(entries, {}),
                       .normalizer = normalizer_of(content),
                       .decoder = decoder_of(content.removes_spaces)};
  Json cuts = Json::array();
  if (std::ranges::find(entries, line_end) != entries.end()) {
    // Lines are tokenized separately, so the normaliser adds a space in front of each.
    Json& steps = parts.normalizer["normalizers"];
    steps.push_back(replace_pattern(fmt::format("\\A{}(?=\\n)", space_shown), ""));
    steps.push_back(replace_pattern("\\n(?=[^\\n])", fmt::format("\n{}", space_shown)));
    cuts.push_back(split_at({{"String", line_end}}, "Isolated"));
  }
  if (content.kind == TokenizerKind::bpe) {
    parts.model = bpe_model(parts.marks, entries, merges_of(pieces));
    parts.model["fuse_unk"] = true;
  } else {
    parts.model = unigram_model(parts.marks, pieces);
    // Cuts the text of a mark after its bracket, because Unigram would read it as the mark.
    const auto& [unknown, begin, end, mask] = parts.marks;
    const std::string marks =
        fmt::format("<(?={}|{}|{})", unknown.substr(1), begin.substr(1), end.substr(1));
    cuts.push_back(split_at({{"Regex", marks}}, "MergedWithPrevious"));
  }
  if (!cuts.empty()) {
    parts.pre_tokenizer = sequence_of("pretokenizers", std::move(cuts));
  }
  return parts;
}

}  // namespace tapehead
