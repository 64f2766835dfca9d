// Random configs over all task and model options: lists by layer and by head, widths, positions,
// patterns and limits. Some options are set on the command line.
#pragma once

#include <random>

#include "datasets/synthetic/symbols.hpp"
#include "train/config/config.hpp"
#include "train/config/rows.hpp"

namespace tapehead {

class RandomConfigs {
 public:
  explicit RandomConfigs(std::uint64_t seed) : draw_(seed) {}

  // Draws until a config is accepted (about one in ten is) and returns it.
  LoadedConfig next() {
    while (true) {
      try {
        return attempt();
      } catch (const ConfigError&) {
        ++refused;
      }
    }
  }

  std::size_t below(std::size_t count) { return draw_() % count; }

  std::string file;              // text of the last config
  std::vector<std::string> set;  // overrides of the last config
  Index refused = 0;
  Index layers = 0;  // required number of layers in all stacks; 0: any

 private:
  using Options = std::map<std::string, std::string>;  // by full option name

  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Value>
  std::string one_of(std::initializer_list<Value> values) {
    return fmt::format("{}", values.begin()[below(values.size())]);
  }

  LoadedConfig attempt() {
    options_.clear();
    draw_task();
    draw_model();
    if (one_in(8)) {
      options_["training.gate_penalty"] = "0.125";
    }
    if (one_in(4)) {
      options_["training.label_smoothing"] = "0.1";
    }
    set.clear();
    for (auto option = options_.begin(); one_in(3) && option != options_.end();) {
      const bool moved = option->first != "task.name" && one_in(12);
      if (moved) {
        set.push_back(option->first + "=" + option->second);
      }
      option = moved ? options_.erase(option) : std::next(option);
    }
    write_file();
    return parse_config(file, "a.yaml", set);
  }

  void write_file() {
    file.clear();
    std::string section;
    for (const auto& [name, value] : options_) {
      const std::string own = name.substr(0, name.find('.'));
      if (own != section) {
        file += own + ":\n";
      }
      section = own;
      file += fmt::format("  {}: {}\n", name.substr(own.size() + 1), value);
    }
  }

  void draw_task() {
    const TaskKind& task = *task_kinds()[below(task_kinds().size())];
    options_["task.name"] = task.name;
    if (!task.files.empty() && task.name != "bigrams") {
      return draw_text();
    }
    if (one_in(2)) {
      options_["task.train_examples"] = one_of({10, 64, 5000});
    }
    if (TaskOptions(task).find<SyntheticOptions>() != nullptr) {
      options_["task.min_length"] = one_of({7, 8, 50, 700});
      options_["task.max_length"] = one_of({8, 60, 900});
      if (one_in(2)) {
        options_["task.vocabulary"] = one_of({4, 20, 3000});
      }
    } else if (task.name == "brackets" && one_in(2)) {
      options_["task.min_pairs"] = one_of({1, 5, 100});
      options_["task.max_pairs"] = one_of({5, 300});
    } else if (task.name == "recall" && one_in(2)) {
      options_["task.facts"] = one_of({2, 16, 90});
      options_["task.vocabulary"] = one_of({16, 2000});
      options_["task.max_gap"] = one_of({1, 20, 400});
      options_["task.min_gap"] = one_of({0, 1, 300});
    }
  }

  void draw_text() {
    for (const std::string split : {"train", "validation", "test"}) {
      for (const std::string side : {"source", "target"}) {
        options_[fmt::format("task.{}_{}", split, side)] =
            TAPEHEAD_FIXTURES "/text/" + split + (side == "source" ? ".en" : ".de");
      }
    }
    options_["task.tokenizer"] =
        one_of({"word", "character", "bpe", "unigram", "byte_bpe", "word_piece"});
    options_["task.joint_vocabulary"] = one_of({"true", "false"});
    if (one_in(2)) {
      options_["task.max_length"] = one_of({10, 60, 300});
    }
    if (one_in(2)) {
      options_["task.normalization"] = one_of({"nfkc", "nfkc_cf"});
    }
    if (one_in(2)) {
      options_["task.character_coverage"] = "0.99";
    }
    if (one_in(2)) {
      options_["task.subword_dropout"] = "0.1";
    }
  }

  void draw_model() {
    options_["model.d_model"] = one_of({8, 12, 16, 24, 48, 64, 60, 96});
    options_["model.heads"] = one_of({1, 2, 3, 4, 6});
    options_["model.layers"] = layers > 0 ? std::to_string(layers) : one_of({1, 2, 3, 5});
    Index encoder = std::stol(options_["model.layers"]);
    Index decoder = encoder;
    if (layers == 0 && one_in(4)) {
      options_["model.encoder_layers"] = one_of({0, 1, 4});
      encoder = std::stol(options_["model.encoder_layers"]);
    }
    if (layers == 0 && one_in(4)) {
      options_["model.decoder_layers"] = one_of({1, 3, 4});
      decoder = std::stol(options_["model.decoder_layers"]);
    }
    if (one_in(4)) {
      options_["model.d_head"] = one_of({2, 5, 16});
    }
    if (one_in(3)) {
      options_["model.max_positions"] = one_of({11, 64, 301, 1000, 200000});
    }
    for (const char* section : {"model.positions", "model.norm_position", "model.tie_embeddings"}) {
      const std::string name = section;
      if (!one_in(3)) {
        continue;
      }
      options_[name] = name == "model.positions"       ? one_of({"learned", "none"})
                       : name == "model.norm_position" ? one_of({"pre", "post"})
                                                       : one_of({"all", "target_output"});
    }
    if (one_in(3)) {
      options_["model.feed_forward"] = one_of({"gated", "none"});
    }
    for (const char* bias : {"attention", "feed_forward", "norm"}) {
      if (one_in(4)) {
        options_[fmt::format("model.bias_{}", bias)] = "false";
      }
    }
    if (one_in(4)) {
      options_["model.bias_output"] = "true";
    }
    if (one_in(4)) {
      options_["model.head_transform"] = one_of({"pooler", "masked"});
    }
    if (one_in(4)) {
      options_["model.d_embedding"] = one_of({4, 16, 64});
    }
    if (one_in(4)) {
      options_["model.token_types"] = one_of({1, 2});
    }
    if (one_in(4)) {
      options_["model.embedding_norm"] = "true";
    }
    if (one_in(4)) {
      options_["model.layer_groups"] = one_of({1, 2});
    }
    draw_attention("attention", encoder);
    draw_attention("encoder_self", encoder);
    draw_attention("decoder_self", decoder);
    draw_attention("cross", decoder);
  }

  std::string value_of(const std::string& option) {
    if (option == "heads") {
      return one_of({1, 2, 3, 4, 6, 0});
    }
    if (option == "kv_heads") {
      return one_of({1, 2, 3});
    }
    if (option == "d_qk" || option == "d_v") {
      return one_of({2, 3, 4, 8, 16, 24});
    }
    if (option == "rotary_base") {
      return one_of({10.0, 10000.0, 500000.0});
    }
    if (option == "clip") {
      return one_of({0, 2, 16, 40});
    }
    if (option == "buckets") {
      return one_of({4, 8, 32});
    }
    if (option == "farthest") {
      return one_of({20, 128});
    }
    if (option == "shared_as") {
      return one_of({"a", "b"});
    }
    if (option == "dropout" || option == "head_dropout") {
      return one_of({0.0, 0.25});
    }
    return one_of({"full", "causal", "window 3", "window 2 0", "blocks 4", "strided 3", "fixed 8 2",
                   "window 4 top_k 2", "top_k 3", "sink_window 2 3"});
  }

  void draw_attention(const std::string& section, Index of_layers) {
    Config config;
    for (const Section& one : sections(config)) {
      if (one.name != section) {
        continue;
      }
      for (const Row& row : one.rows) {
        const bool apart = section == "cross" && row.field.name == "positions";
        if (one_in(14) && !apart) {
          options_[full_name(section, row.field.name)] = layered(row, of_layers);
        }
      }
    }
  }

  std::string layered(const Row& row, Index of_layers) {
    const auto& list = std::get<LayeredCell>(row.cell);
    const auto value = [&]() -> std::string {
      const auto* choice = std::get_if<Choice>(&list.element->cell);
      return choice != nullptr ? std::string(choice->names[below(choice->names.size())])
                               : value_of(std::string(row.field.name));
    };
    const auto of_heads = [&] {
      std::string text = value();
      const std::size_t heads = list.by_head && one_in(2) ? 1 + below(4) : 1;
      for (std::size_t head = 1; head < heads; ++head) {
        text += ", " + value();
      }
      return list.by_head ? "[" + text + "]" : text;
    };
    if (of_layers < 2 || one_in(2)) {
      return of_heads();
    }
    std::string text = of_heads();
    for (Index layer = 1; layer < of_layers; ++layer) {
      text += ", " + of_heads();
    }
    return "[" + text + "]";
  }

  std::mt19937_64 draw_;
  Options options_;
};

}  // namespace tapehead
