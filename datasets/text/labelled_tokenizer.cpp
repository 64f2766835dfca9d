#include "datasets/text/labelled_tokenizer.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/shown.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "datasets/tokenizers/tokenizer_of_lines.hpp"
#include "datasets/tokenizers/vocabulary_tokenizer.hpp"

namespace tapehead {

namespace {

std::shared_ptr<const Tokenizer> tokenizer_of_classes(const LabelledSplit& train) {
  const std::set<std::string> classes(train.lines.labels.begin(), train.lines.labels.end());
  if (classes.size() < 2) {
    throw DataError(
        fmt::format("{}: all {} training examples have the class `{}`; a classifier "
                    "needs two classes or more",
                    train.files.label_file(), train.numbers.size(), shown(*classes.begin())));
  }
  return std::make_shared<ClassTokenizer>(std::vector<std::string>(classes.begin(), classes.end()));
}

std::shared_ptr<const Tokenizer> subwords_of(const LabelledSplit& train,
                                             const std::vector<std::string>& texts,
                                             const LabelledTextOptions& options) {
  try {
    return std::make_shared<const SentencePieceTokenizer>(
        train_sentencepiece(texts, {.kind = options.tokenizer,
                                    .vocabulary = options.vocabulary,
                                    .normalization = options.normalization,
                                    .character_coverage = options.character_coverage}));
  } catch (const DataError& error) {
    throw DataError(fmt::format("{}: {}", train.files.text_file(), error.what()));
  }
}

std::shared_ptr<const Tokenizer> tokenizer_of_texts(const LabelledSplit& train,
                                                    const LabelledTextOptions& options) {
  std::vector<std::string> texts;
  for (const std::string& line : train.lines.texts) {
    for (std::string& text : texts_of(line, options.texts)) {
      texts.push_back(std::move(text));
    }
  }
  return is_sentencepiece(options.tokenizer)
             ? subwords_of(train, texts, options)
             : tokenizer_of_lines(options.tokenizer, texts, options.vocabulary, options.lower_case);
}

}  // namespace

Tokenizers make_labelled_tokenizers(const LabelledSplit& train,
                                    const LabelledTextOptions& options) {
  const auto classes = tokenizer_of_classes(train);
  return {.source = options.tokenizer_of.empty() ? tokenizer_of_texts(train, options)
                                                 : tokenizer_of_run(options.tokenizer_of),
          .target = classes};
}

}  // namespace tapehead
