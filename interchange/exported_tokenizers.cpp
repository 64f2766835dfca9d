#include "interchange/exported_tokenizers.hpp"

#include "core/files/files.hpp"
#include "datasets/text/text_options.hpp"
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "interchange/tokenizers/marian_tokenizers.hpp"
#include "interchange/tokenizers/write_pretrained.hpp"
#include "train/options/application.hpp"

namespace tapehead {

namespace {

// In front of a prompt, as a Generator has it (train/evaluation/generator.cpp).
AddedMarks mark_before_prompt(const Config& config, bool one_document) {
  const auto& options = config.task.as<TextOptions>();
  return one_document || !options.begin_mark ? AddedMarks::none
         : options.stream                    ? AddedMarks::end_before
                                             : AddedMarks::begin;
}

// As the layout of a batch has them (datasets/batch_layout.cpp).
AddedMarks marks_around(const Config& config, bool one_document) {
  const bool encoder = config.model.family == Family::encoder;
  switch (application_of(config)) {
    case Application::generate:
      return mark_before_prompt(config, one_document);
    case Application::fill:  // as MaskedLine::batch (train/evaluation/masked_line.cpp)
      return config.task.as<TextOptions>().documents == DocumentEnd::file
                 ? AddedMarks::begin
                 : AddedMarks::begin_and_end;
    case Application::classify:
      return encoder ? AddedMarks::begin_and_end : AddedMarks::begin_after;
    default:
      return encoder                                          ? AddedMarks::none
             : config.model.family == Family::encoder_decoder ? AddedMarks::end
                                                              : AddedMarks::begin_after;
  }
}

bool is_pieces(const Tokenizer& tokenizer) {
  return dynamic_cast<const SentencePieceTokenizer*>(&tokenizer) != nullptr;
}

}  // namespace

void write_exported_tokenizers(const Config& config, const Tokenizers& tokenizers,
                               bool one_document, const std::filesystem::path& directory) {
  const Index longest = config.model.max_positions;
  const bool two = config.model.family == Family::encoder_decoder;
  if (two && is_pieces(*tokenizers.source) && is_pieces(*tokenizers.target)) {
    write_marian_tokenizers(tokenizers, longest, directory);
    return;
  }
  const PretrainedMarks marks{.added = marks_around(config, one_document),
                              .mask = application_of(config) == Application::fill,
                              .token_types = config.model.token_types > 1,
                              .padding = padding_of(config.model.family),
                              .longest = longest};
  write_pretrained_tokenizer(*tokenizers.source, marks, directory);
  if (application_of(config) == Application::translate &&
      !tokenizers.source->shares_file_with(*tokenizers.target)) {
    make_directories(directory / "target");
    write_pretrained_tokenizer(*tokenizers.target, marks, directory / "target");
  }
}

}  // namespace tapehead
