// The task bigrams (Bietti et al. 2023, section 3): sequences of characters with the bigrams of a
// text. Some characters are triggers: the character after a trigger is drawn for each sequence.
//
//   z_1 ~ unigrams;  z_{t+1} = o_k if z_t is the trigger q_k, else ~ bigrams given z_t
//
// The outputs o_k are uniform over the characters. So weights can store the bigrams, but not the
// outputs. From the second occurrence of a trigger on, its output can be read in the sequence. The
// target is the source shifted by one. An encoder whose rows see no later row therefore reads a
// sequence as a language model does, with a label at each row and without marks.

#include "datasets/synthetic/bigrams.hpp"

#include "core/text.hpp"
#include "datasets/text/text_file.hpp"
#include "datasets/tokenizers/vocabulary.hpp"

namespace tapehead {

enum class TriggerChoice { frequent, drawn };
constexpr ValueNames<2> value_names(TriggerChoice) { return {"frequent", "drawn"}; }

namespace {

// Typed examples are split at white space, so no entry may contain it. Other characters stand for
// it: for control characters, from Unicode's block Control Pictures (U+2400 on).
std::string entry_of(std::string_view character) {
  if (character == " ") {
    return "␣";
  }
  if (character == "\n") {
    return "↵";
  }
  const auto first = static_cast<unsigned char>(character.front());
  return first < ' ' ? std::string("\xE2\x90") + static_cast<char>('\x80' + first)
                     : std::string(character);
}

struct BigramsOptions {
  std::string text;
  Index triggers = 5;
  TriggerChoice trigger_choice = TriggerChoice::frequent;
  Index length = 32;

  LongestSide longest() const { return {length, "task.length"}; }
  SyntheticTask task(const SplitSizes& sizes) const;

  void shrink(const Shrinking& shrinking) {
    shrinking.at_most("task.length", length, Shrinking::most_tokens / 2);
  }

  void fields(const auto& row) {
    row(text, file_named("text"),
        "text file that gives the sequences their characters and bigrams; empty: a short built-in "
        "text");
    row(triggers, named("triggers", 1, 10000),
        "number of triggers: characters whose next character each sequence draws once");
    row(trigger_choice, named("trigger_choice"),
        "the most frequent characters of the text, the same for all sequences (frequent), or "
        "drawn for each sequence by their frequency (drawn)");
    row(length, named("length", 2, 100000, "tokens"),
        "characters of each sequence that the model reads");
  }
};

constexpr std::string_view own_text =
    "A tape head reads what lies beneath it, one mark after another, and moves on. What it has "
    "read it can only keep if something behind it keeps it. A model that reads a line of text is "
    "in the same place: for most letters, the letter before says well enough what may come next, "
    "and a table of pairs is all that is needed. Some things no table knows. A name that was made "
    "up a moment ago, a key and its value, a word in a language that nobody speaks: these are "
    "found by looking back at where they stood before, and at what stood behind them there.\n";

BigramStatistics read_statistics(const BigramsOptions& options) {
  std::string name = "the text";
  std::string text(own_text);
  if (!options.text.empty()) {
    name = options.text;
    expect_file(name, "task.text");
    text = join(read_lines(name), "\n") + "\n";
  }
  BigramStatistics statistics = statistics_of(text);
  if (options.triggers > statistics.size()) {
    throw DataError("task.triggers: there are more triggers than characters ({}; {} has {})",
                    options.triggers, name, statistics.size());
  }
  return statistics;
}

// The most frequent characters; ties go to the first.
std::vector<Index> frequent_characters(const BigramStatistics& statistics, Index count) {
  std::vector<Index> characters = mapped(numbers_below(statistics.size()), std::identity());
  std::ranges::stable_sort(characters, std::ranges::greater(), [&](Index character) {
    return statistics.counts[static_cast<std::size_t>(character)];
  });
  characters.resize(static_cast<std::size_t>(count));
  return characters;
}

// Draws distinct characters in proportion to their frequencies, without replacement.
std::vector<Index> draw_triggers(RandomSource& random, const BigramStatistics& statistics,
                                 Index count) {
  std::vector<Index> left = statistics.counts;
  std::vector<Index> triggers;
  for (Index i = 0; i < count; ++i) {
    triggers.push_back(CountedDraw(left)(random));
    left[static_cast<std::size_t>(triggers.back())] = 0;
  }
  return triggers;
}

class BigramSequences {
 public:
  explicit BigramSequences(const BigramsOptions& options)
      : options_(options),
        statistics_(read_statistics(options)),
        frequent_(frequent_characters(statistics_, options.triggers)) {}

  const std::vector<std::string>& characters() const { return statistics_.characters; }

  Example draw(RandomSource& random) {
    const std::vector<Index> triggers = options_.trigger_choice == TriggerChoice::frequent
                                            ? frequent_
                                            : draw_triggers(random, statistics_, options_.triggers);
    std::map<Index, Index> outputs;
    for (const Index trigger : triggers) {
      outputs[trigger] = random.below(statistics_.size());
    }
    std::vector<TokenId> tokens;
    Index character = statistics_.unigrams(random);
    for (Index i = 0; i <= options_.length; ++i) {
      tokens.push_back(entry_id(character));
      const auto output = outputs.find(character);
      character = output != outputs.end()
                      ? output->second
                      : statistics_.followers[static_cast<std::size_t>(character)](random);
    }
    Example example{.source = {tokens.begin(), tokens.end() - 1},
                    .target = {tokens.begin() + 1, tokens.end()}};
    if (options_.trigger_choice == TriggerChoice::drawn) {
      drawn_[key_of(example)] = triggers;
    }
    return example;
  }

  // The rows after earlier occurrences of a trigger hold its output.
  Relations relations(const Example& example) const {
    const auto drawn = drawn_.find(key_of(example));
    const std::vector<Index>& triggers = drawn == drawn_.end() ? frequent_ : drawn->second;
    return next_token_relations(example, [&](TokenId token) {
      return std::ranges::find(triggers, token, entry_id) != triggers.end();
    });
  }

 private:
  static std::uint64_t key_of(const Example& example) {
    return Hash().add(example.source).add(example.target).value();
  }

  BigramsOptions options_;
  BigramStatistics statistics_;
  std::vector<Index> frequent_;
  std::map<std::uint64_t, std::vector<Index>> drawn_;  // the triggers of each sequence
};

SyntheticTask BigramsOptions::task(const SplitSizes& sizes) const {
  const auto sequences = std::make_shared<BigramSequences>(*this);
  return {
      .tokenizer =
          std::make_shared<VocabularyTokenizer>(Vocabulary(sequences->characters()), Unit::word),
      .draw = [sequences](RandomSource& random, const Lengths&) { return sequences->draw(random); },
      .relations = [sequences](const Example& example) { return sequences->relations(example); },
      .sources = fmt::format("sequences of {} characters", length),
      .remedy = "task.length",
      .sizes = sizes,
      .lengths = {length, length}};
}

}  // namespace

CountedDraw::CountedDraw(const std::vector<Index>& counts) : sums_(counts.size()) {
  std::partial_sum(counts.begin(), counts.end(), sums_.begin());
}

Index CountedDraw::operator()(RandomSource& random) const {
  return std::ranges::upper_bound(sums_, random.below(sums_.back())) - sums_.begin();
}

BigramStatistics statistics_of(std::string_view text) {
  const std::vector<std::string_view> all = units_of(text, Unit::character);
  std::map<std::string_view, std::size_t> numbers;
  for (const std::string_view character : all) {
    numbers.emplace(character, 0);
  }
  std::vector<std::string> characters;
  for (auto& [character, number] : numbers) {
    number = characters.size();
    characters.push_back(entry_of(character));
  }
  std::vector<Index> counts(characters.size());
  std::vector<std::vector<Index>> pairs(characters.size(), counts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t here = numbers.at(all[i]);
    ++counts[here];
    ++pairs[here][numbers.at(all[(i + 1) % all.size()])];
  }
  return {.characters = std::move(characters),
          .counts = counts,
          .unigrams = CountedDraw(counts),
          .followers = {pairs.begin(), pairs.end()}};
}

extern constinit const TaskKind bigrams_task = drawn_kind<BigramsOptions>("bigrams");

}  // namespace tapehead
