#include "predict/reader.hpp"

#include "core/text.hpp"
#include "datasets/pairs.hpp"
#include "datasets/text/labelled_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

class ClassReader : public Reader {
 public:
  ClassReader(Tokenizers tokenizers, const LabelledTextOptions& options)
      : Reader(std::move(tokenizers)), texts_(options.texts), max_length_(options.max_length) {}

  std::string target_text(const LineRead& read) const override {
    return read.target_tokens.empty() ? "" : target_tokenizer().entry(read.target_tokens.front());
  }

  std::vector<EncodedText> encoded(const LineRead& read) const override {
    return {{source_tokenizer(), read.line.text, read.tokens}};
  }

  LineSource source(std::span<const LineRead> lines, const Layout& layout) const override {
    const auto text_of = [](const LineRead& read) {
      return ClassifiedText{.tokens = read.tokens,
                            .first_text = read.first_text,
                            .label = read.target_tokens.empty() ? -1 : read.target_tokens.front()};
    };
    return class_source(mapped(lines, text_of), layout);
  }

 private:
  LineRead read_text(const std::string& text) const override {
    const Index found = 1 + std::ranges::count(text, '\t');
    if (found != texts_) {
      throw DataError("{} text{} separated by tabs, but the model reads {}", found,
                      found == 1 ? "" : "s", texts_);
    }
    ClassifiedText read = classified_text(source_tokenizer(), text, texts_, max_length_);
    return {.tokens = std::move(read.tokens),
            .first_text = read.first_text,
            .warning = read.cut ? "the text is longer than task.max_length; only its first tokens "
                                  "are read"
                                : ""};
  }

  std::vector<TokenId> read_target(const std::string& target) const override {
    std::vector<TokenId> label = target_tokenizer().encode(target);
    if (label.empty()) {
      const auto classes = mapped(numbers_below(target_tokenizer().size()), [&](Index one) {
        return target_tokenizer().entry(static_cast<TokenId>(one));
      });
      throw DataError("there is no class {}; the run's classes are {}", shown(target),
                      join(classes, ", "));
    }
    return {label.front()};
  }

  Index texts_;
  Index max_length_;
};

class LanguageReader : public Reader {
 public:
  using Reader::Reader;
  bool has_targets() const override { return false; }
  std::string target_text(const LineRead& /*read*/) const override { return ""; }

 private:
  std::vector<TokenId> read_target(const std::string& /*target*/) const override {
    throw ConfigError("a language model reads one text: leave the target out");
  }
};

class RunningTextReader : public LanguageReader {
 public:
  RunningTextReader(const Tokenizers& tokenizers, TextFront front)
      : LanguageReader(tokenizers), front_(std::move(front)) {}

  LineSource source(std::span<const LineRead> lines, const Layout& /*layout*/) const override {
    return text_source(
        mapped(lines, [&](const LineRead& read) { return front_.whole(read.tokens); }));
  }

  // Each token is predicted from at least half a context, as far as the line has tokens before it.
  LineSource to_score(const LineRead& read, const Layout& /*layout*/,
                      Index context) const override {
    std::vector<TokenId> text = front_.whole(read.tokens);
    WindowList windows(context);
    windows.add({.begin = 1,
                 .end = std::ssize(text),
                 .head = context,
                 .step = (context + 1) / 2,
                 .opens = false});
    return window_source(std::move(text), std::move(windows));
  }

  std::vector<TokenId> prompt(const LineRead& read) const override {
    return front_.prompt(read.tokens);
  }
  bool goes_on() const override { return true; }

 private:
  TextFront front_;
};

class MaskedTextReader : public LanguageReader {
 public:
  MaskedTextReader(const Tokenizers& tokenizers, const TextOptions& options, std::string_view mask)
      : LanguageReader(tokenizers),
        mask_(mask),
        context_(options.context),
        ends_(options.documents != DocumentEnd::file) {
    if (mask.empty()) {
      throw ConfigError(
          "the mask is empty; give the text that stands for a masked token in a line");
    }
  }

  // Leaves out the masks, which no tokenizer knows.
  std::vector<EncodedText> encoded(const LineRead& read) const override {
    EncodedText rest{source_tokenizer(), replaced(read.line.text, {{mask_, " "}}), read.tokens};
    std::erase(rest.tokens, mask_id(source_tokenizer()));
    return {std::move(rest)};
  }

  // The end mark needs a token of the window, so a line that fills the window has none.
  LineSource source(std::span<const LineRead> lines, const Layout& /*layout*/) const override {
    return masked_source(mapped(lines, [&](const LineRead& read) {
      return MaskedLine{.tokens = read.tokens,
                        .masks = read.masks,
                        .ends = ends_ && std::ssize(read.tokens) < context_};
    }));
  }

 private:
  LineRead read_text(const std::string& text) const override {
    std::vector<TokenId> tokens = tokens_of(text);
    if (std::ssize(tokens) > context_) {
      throw DataError("{} tokens, but the model reads {} at a time; shorten the line",
                      tokens.size(), context_);
    }
    std::vector<Index> masks;
    for (Index i = 0; i < std::ssize(tokens); ++i) {
      if (tokens[static_cast<std::size_t>(i)] == mask_id(source_tokenizer())) {
        masks.push_back(i);
      }
    }
    return {.tokens = std::move(tokens), .masks = std::move(masks)};
  }

  // A mask replaces the space before it, too, because a subword that begins a word contains this
  // space. SentencePiece only adds a space at the beginning of the line.
  std::vector<TokenId> tokens_of(std::string_view line) const {
    const Tokenizer& tokenizer = source_tokenizer();
    if (line.find(mask_) == std::string_view::npos) {
      return tokenizer.encode(line);
    }
    const bool subwords = !tokenizer.word_fronts().begins.empty();
    const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(&tokenizer);
    const std::string read = fmt::format("{}{}", pieces != nullptr ? " " : "", line);
    std::string_view rest = read;
    std::vector<TokenId> tokens;
    const auto add = [&](std::string_view part) {
      std::ranges::copy(pieces != nullptr ? pieces->encode_rest(part) : tokenizer.encode(part),
                        std::back_inserter(tokens));
    };
    for (std::size_t at = rest.find(mask_); at != rest.npos; at = rest.find(mask_)) {
      const bool space = subwords && rest.substr(0, at).ends_with(' ');
      add(rest.substr(0, space ? at - 1 : at));
      tokens.push_back(mask_id(tokenizer));
      rest.remove_prefix(at + mask_.size());
    }
    add(rest);
    return tokens;
  }

  std::string mask_;
  Index context_;
  bool ends_;
};

}  // namespace

LineRead Reader::read(const AskedLine& line) const {
  LineRead read = read_text(line.text);
  read.line = line;
  if (line.target) {
    read.target_tokens = read_target(*line.target);
  }
  return read;
}

std::vector<LineRead> Reader::read(std::span<const std::string> lines) const {
  return mapped(lines, [&](const std::string& line) { return read(AskedLine{.text = line}); });
}

LineRead Reader::read_text(const std::string& text) const {
  return {.tokens = source_tokenizer().encode(text)};
}

std::vector<TokenId> Reader::read_target(const std::string& target) const {
  return target_tokenizer().encode(target);
}

std::string Reader::target_text(const LineRead& read) const {
  return target_tokenizer().decode(read.target_tokens);
}

std::vector<EncodedText> Reader::encoded(const LineRead& read) const {
  std::vector<EncodedText> texts{{source_tokenizer(), read.line.text, read.tokens}};
  if (read.line.target) {
    texts.push_back({target_tokenizer(), *read.line.target, read.target_tokens});
  }
  return texts;
}

LineSource Reader::source(std::span<const LineRead> lines, const Layout& layout) const {
  Examples pairs;
  for (const LineRead& read : lines) {
    const std::size_t labels = read.target_tokens.size();
    if (layout.source_alone() && (read.line.target || labels > 0) && labels != read.tokens.size()) {
      throw DataError(
          "the text has {} tokens and the target {}; an encoder gives one label to each token",
          read.tokens.size(), labels);
    }
    pairs.push_back({.source = read.tokens, .target = read.target_tokens});
  }
  return pair_source(std::move(pairs), layout);
}

LineSource Reader::to_score(const LineRead& read, const Layout& layout, Index /*context*/) const {
  return source({&read, 1}, layout);
}

std::shared_ptr<const Reader> reader_of(const Config& config, const Tokenizers& tokenizers,
                                        bool one_document, std::string_view mask) {
  const Use& use = use_of(config);
  if (!use.gives_entries()) {
    return std::make_shared<ClassReader>(tokenizers, config.task.as<LabelledTextOptions>());
  }
  if (use.mask) {
    return std::make_shared<MaskedTextReader>(tokenizers, config.task.as<TextOptions>(), mask);
  }
  if (use.windows) {
    return std::make_shared<RunningTextReader>(
        tokenizers, TextFront(config.task.as<TextOptions>(), *tokenizers.source, one_document));
  }
  return std::make_shared<Reader>(tokenizers);
}

}  // namespace tapehead
