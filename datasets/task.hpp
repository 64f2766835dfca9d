// A task: its tokenizers and its splits, ready for the loader.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/types.hpp"
#include "datasets/relations.hpp"
#include "datasets/task_options.hpp"
#include "datasets/tokenizers/tokenizer.hpp"
#include "datasets/tokenizers/unknown_text.hpp"

namespace tapehead {

struct Example {
  std::vector<TokenId> source;  // without marks
  std::vector<TokenId> target;  // without marks
};

struct Split {
  std::string name;  // "train", "validation", "test", or a further test split such as "longer"
  std::vector<Example> examples;
  std::vector<std::string> source_texts;  // one a example, as a user would write it
  std::vector<std::string> references;    // the target as text, against which outputs are scored
  // Where example i is line i + 1 of a file: its name, on both sides that of the TSV; else empty.
  std::string source_file;
  std::string target_file;
  // What the tokenizers do not know of text from files; none elsewhere.
  UnknownText unknown_source;
  UnknownText unknown_target;
  Index dropped = 0;  // training examples left out: a side too long, or without any token
};

struct Task {
  std::shared_ptr<const Tokenizer> source_tokenizer;
  std::shared_ptr<const Tokenizer> target_tokenizer;
  std::vector<Split> splits;  // "train" first; references and source_texts may be empty there
  // Hexadecimal digest of all that the splits hold, and of what decides how epochs see them.
  std::string fingerprint;
  // Of an example of one of the splits, by its number; empty where the task knows of none.
  std::function<Relations(const Split&, Index example)> find_relations;

  // The training split as an epoch sees it; empty where every epoch sees the same.
  std::function<std::shared_ptr<const Split>(Index epoch)> draw_training_split;

  // What an epoch, from 0 on, trains on; to be used for as long as the task lives. For one thread
  // at a time.
  std::shared_ptr<const Split> training_split(Index epoch) const;
  // None where the task knows of none.
  Relations relations(const Split& split, Index example) const {
    return find_relations ? find_relations(split, example) : Relations{};
  }
  const Split& split(
      std::string_view name) const;  // throws DataError that lists the names there are
};

// Logs what the tokenizers do not know of a split, if anything.
void say_unknown(const Split& split);

}  // namespace tapehead
