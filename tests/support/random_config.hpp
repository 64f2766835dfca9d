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

  // An option that one of `odds` configs has; a single value takes no draw.
  struct Drawn {
    std::size_t odds;
    const char* option;
    std::vector<std::string> values;
  };
  void draw(const std::vector<Drawn>& all) {
    for (const auto& [odds, option, values] : all) {
      if (one_in(odds)) {
        options_[option] = values.size() == 1 ? values[0] : values[below(values.size())];
      }
    }
  }

  LoadedConfig attempt() {
    options_.clear();
    draw_task();
    draw_model();
    draw({{8, "training.gate_penalty", {"0.125"}}, {4, "training.label_smoothing", {"0.1"}}});
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
    if (task.name.ends_with("text")) {
      return draw_text();
    }
    draw({{2, "task.train_examples", {"10", "64", "5000"}}});
    if (TaskOptions(task).find<SyntheticOptions>() != nullptr) {
      options_["task.min_length"] = one_of({7, 8, 50, 700});
      options_["task.max_length"] = one_of({8, 60, 900});
      draw({{2, "task.vocabulary", {"4", "20", "3000"}}});
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
    draw({{2, "task.max_length", {"10", "60", "300"}},
          {2, "task.normalization", {"nfkc", "nfkc_cf"}},
          {2, "task.character_coverage", {"0.99"}},
          {2, "task.subword_dropout", {"0.1"}}});
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
    draw({{4, "model.d_head", {"2", "5", "16"}},
          {3, "model.max_positions", {"11", "64", "301", "1000", "200000"}},
          {3, "model.positions", {"learned", "none"}},
          {3, "model.norm_position", {"pre", "post"}},
          {3, "model.tie_embeddings", {"all", "target_output"}},
          {3, "model.feed_forward", {"gated", "none"}},
          {4, "model.bias_attention", {"false"}},
          {4, "model.bias_feed_forward", {"false"}},
          {4, "model.bias_norm", {"false"}},
          {4, "model.bias_output", {"true"}},
          {4, "model.head_transform", {"pooler", "masked"}},
          {4, "model.d_embedding", {"4", "16", "64"}},
          {4, "model.token_types", {"1", "2"}},
          {4, "model.embedding_norm", {"true"}},
          {4, "model.layer_groups", {"1", "2"}}});
    draw_attention("attention", encoder);
    draw_attention("encoder_self", encoder);
    draw_attention("decoder_self", decoder);
    draw_attention("cross", decoder);
  }

  std::string value_of(const std::string& option) {
    using Values = std::vector<std::string>;
    static const std::map<std::string, Values> table{
        {"heads", {"1", "2", "3", "4", "6", "0"}},
        {"kv_heads", {"1", "2", "3"}},
        {"d_qk", {"2", "3", "4", "8", "16", "24"}},
        {"d_v", {"2", "3", "4", "8", "16", "24"}},
        {"rotary_base", {"10", "10000", "500000"}},
        {"clip", {"0", "2", "16", "40"}},
        {"buckets", {"4", "8", "32"}},
        {"farthest", {"20", "128"}},
        {"shared_as", {"a", "b"}},
        {"dropout", {"0", "0.25"}},
        {"head_dropout", {"0", "0.25"}},
        {"pattern",
         {"full", "causal", "window 3", "window 2 0", "blocks 4", "strided 3", "fixed 8 2",
          "window 4 top_k 2", "top_k 3", "sink_window 2 3"}}};
    const Values& values = table.at(option);
    return values[below(values.size())];
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
