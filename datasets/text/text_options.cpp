#include "datasets/text/text_options.hpp"

#include <spdlog/spdlog.h>

#include "core/text.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"

namespace tapehead {

namespace {

constexpr Index sample_bytes = Index{64} << 20;  // for subwords; takes about ten times the memory
constexpr std::size_t line_bytes = 4096;         // longest line to train on, about
constexpr Index much_text = Index{1} << 20;      // training a subword tokenizer on it takes a while

// Lines with about `share` of all bytes, evenly spread, and at least one line. A long line is cut
// into several, since SentencePiece copies each repeated piece of a line, however long, to look at
// it (unigram_model_trainer.cc).
std::vector<std::string> sampled_lines(const DocumentFiles& files, double share) {
  DocumentReader reader(files);
  std::vector<std::string> sample;
  double due = 0;  // bytes to sample
  const auto offer = [&](std::string_view text) {
    const auto size = static_cast<double>(text.size() + 1);
    due += share * size;
    if (due >= size || sample.empty()) {
      due -= size;
      text = text.substr(0, static_cast<std::size_t>(sample_bytes));
      sample.emplace_back(text.substr(0, utf8_valid_bytes(text)));
    }
  };
  reader.for_each_line([&](const DocumentLine& line) {
    std::string_view rest = line.text;
    offer(take_part(rest, line_bytes));
    while (!rest.empty()) {
      rest.remove_prefix(1);  // the space at which the line was cut
      offer(take_part(rest, line_bytes));
    }
  });
  return sample;
}

std::shared_ptr<const Tokenizer> subwords(const DocumentFiles& files, const TextOptions& options) {
  const Index bytes = bytes_in(files);
  const double share = std::min(
      1.0, static_cast<double>(sample_bytes) / static_cast<double>(std::max<Index>(1, bytes)));
  const std::vector<std::string> lines = sampled_lines(files, share);
  const bool slow = bytes >= much_text;
  if (slow) {
    spdlog::info("training a tokenizer of {} entries on {:.1f} MB", options.vocabulary,
                 static_cast<double>(std::min(bytes, sample_bytes)) / 1e6);
  }
  const auto begin = Clock::now();
  PieceOptions pieces = options.piece_options(files.name);
  pieces.running_text = true;
  auto tokenizer = tokenizer_of_lines(pieces, lines);
  if (slow) {
    spdlog::info("trained the tokenizer in {:.1f} s", seconds_since(begin));
  }
  return tokenizer;
}

std::shared_ptr<const Tokenizer> most_frequent_units(const DocumentFiles& files, Unit unit,
                                                     Index limit) {
  DocumentReader reader(files);
  EntryCounts counts;
  reader.for_each_line([&](const DocumentLine& line) {
    for (std::string_view rest = line.text; !rest.empty();) {
      const std::string_view part = take_part(rest, part_bytes);
      count_units(part, unit, counts);
      reader.done(std::ssize(part));
    }
    if (!line.opens) {
      count_units(line_end, unit, counts);
    }
  });
  return std::make_shared<VocabularyTokenizer>(most_frequent(counts, limit), unit);
}

// The part of the training text, `all`, that becomes a split without files of its own.
TextShare share_of(const TextOptions& options, std::string_view split, const DocumentFiles& all,
                   std::optional<double>& bytes) {
  // Where validation and test begin, from 0 to 1.
  const double test = options.test_text.empty() ? 1 - options.test_share : 1;
  const double validation =
      options.validation_text.empty() ? test - options.validation_share : test;
  const double from = split == "train" ? 0 : split == "validation" ? validation : test;
  const double to = split == "train" ? validation : split == "validation" ? test : 1;
  if (split == "train" && to >= 1) {
    return {};
  }
  if (!bytes) {
    bytes = static_cast<double>(bytes_in(all));
  }
  TextShare share{.from = static_cast<Index>(*bytes * from)};
  if (to < 1) {
    share.to = static_cast<Index>(*bytes * to);
  }
  return share;
}

}  // namespace

DocumentFiles files_of_split(const TextOptions& options, std::string_view split,
                             std::optional<double>& bytes) {
  const std::string& own_text = split == "test" ? options.test_text : options.validation_text;
  const bool own = split != "train" && !own_text.empty();
  const std::string& pattern = own ? own_text : options.train_text;
  DocumentFiles files{.paths = matching_files(pattern),
                      .name = pattern,
                      .split = std::string(split),
                      .end = options.documents,
                      .separator = options.separator};
  const std::string option = fmt::format("task.{}_text", own ? split : "train");
  for (const fs::path& path : files.paths) {
    expect_file(path, option);
    if (!fs::is_regular_file(status_of(path))) {  // the text is read several times
      throw IoError("{}: cannot read {}: it is not a file", option, path.string());
    }
  }
  if (!own) {
    files.share = share_of(options, split, files, bytes);
  }
  return files;
}

std::shared_ptr<const Tokenizer> make_text_tokenizer(const DocumentFiles& files,
                                                     const TextOptions& options) {
  if (!options.tokenizer_of.empty()) {
    return tokenizers_of_run(options.tokenizer_of).source;
  }
  const auto unit = unit_of(name_of(options.tokenizer));
  if (!unit) {
    return subwords(files, options);
  }
  return *unit == Unit::byte ? std::make_shared<VocabularyTokenizer>(all_bytes(), *unit)
                             : most_frequent_units(files, *unit, options.vocabulary);
}

TextFront::TextFront(const TextOptions& options, const Tokenizer& tokenizer, bool one_document)
    : empty_{begin_id}, has_marks_(options.begin_mark) {
  if (one_document) {
    const std::vector<TokenId> end_of_line = tokenizer.encode(line_end);
    if (end_of_line.size() == 1 && end_of_line.front() != unknown_id) {
      empty_ = end_of_line;
    }
  } else if (options.stream || options.begin_mark) {
    mark_ = {options.stream ? end_id : begin_id};  // the end mark is of the previous document
    empty_ = mark_;
  }
}

std::string_view TextFront::in_words() const {
  return mark_.empty()             ? "nothing"
         : mark_.front() == end_id ? "the end of a document"
                                   : "the begin mark of a document";
}

std::vector<TokenId> TextFront::prompt(std::vector<TokenId> text) const {
  if (text.empty()) {
    return empty_;
  }
  text.insert(text.begin(), mark_.begin(), mark_.end());
  return text;
}

std::vector<TokenId> TextFront::whole(const std::vector<TokenId>& text) const {
  std::vector<TokenId> all = has_marks_ ? empty_ : std::vector<TokenId>{};
  all.insert(all.end(), text.begin(), text.end());
  return all;
}

}  // namespace tapehead
