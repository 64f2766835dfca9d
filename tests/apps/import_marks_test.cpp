// `tapehead import`: marks are identified by id, not by name, and a text gets the marks before it
// that the tokenizer adds.
#include "tests/support/pretrained_models.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ImportedMarks : public PretrainedModels {
 protected:
  // Trains one step and exports; the marks have the ids 0, 1 and 2.
  void export_run(const std::string& preset, const std::string& task = "") {
    write("text", repeated(60, "a cat sees a dog\n"));
    write("lines", "a cat\na dog sees\n");
    write("a.yaml",
          fmt::format("task: {{name: text, train_text: text, context: 8, tokenizer: byte_bpe, "
                      "vocabulary: 300, documents: line{}}}\n"
                      "model: {{d_model: 16, heads: 2, layers: 1, family: decoder, preset: {}}}\n"
                      "training: {{steps: 1, batch_tokens: 64}}\nrun: {{report: false}}\n",
                      task, preset));
    output("train a.yaml --run a --overwrite");
    output("export a out --overwrite");
  }
  void change(const std::string& file, const std::function<void(Json&)>& make) {
    Json json = Json::parse(content_of(here / "out" / file));
    make(json);
    write("out/" + file, json.dump());
  }
  // Renames a mark in tokenizer.json and removes the other files that name marks.
  void rename_mark(const std::string& from, const std::string& to) {
    std::string text = content_of(here / "out/tokenizer.json");
    const std::string old = Json(from).dump();
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
      text.replace(at, old.size(), Json(to).dump());
    }
    write("out/tokenizer.json", text);
    for (const char* file : {"tokenizer_config.json", "special_tokens_map.json"}) {
      fs::remove(here / "out" / file);
    }
  }
  std::string scores(const std::string& of) {
    return output({"score", of, "--input", "lines", "--json"});
  }
  std::string written(const std::string& of) {
    return output({"generate", of, "--prompt", "a", "--temperature", "0", "--max-tokens", "4"});
  }
};

TEST_F(ImportedMarks, have_any_name) {
  for (const std::string preset : {"gpt2", "llama"}) {
    export_run(preset);
    // The unknown mark gets the usual name of a begin mark. An entry would have no probability.
    rename_mark("<unk>", "[CLS]");
    change("generation_config.json", [](Json& json) { json.erase("suppress_tokens"); });
    rename_mark("<s>", "<|begin_of_text|>");
    rename_mark("</s>", "<|eot_id|>");
    output("import out --run b --overwrite");
    EXPECT_EQ(scores("b"), scores("a"));
    EXPECT_EQ(written("b"), written("a"));
  }
}

TEST_F(ImportedMarks, that_end_a_text_are_those_of_the_generation) {
  export_run("gpt2");
  const auto ends = [&](const Json& generation, const Json& config) {
    change("generation_config.json", [&](Json& json) { json["eos_token_id"] = generation; });
    change("config.json", [&](Json& json) { json["eos_token_id"] = config; });
    const ProgramResult imported = run("import out --run b --overwrite");
    EXPECT_EQ(imported.exit_code, 0) << imported.errors;
    return imported.errors;
  };
  const std::string own = scores("a");
  EXPECT_THAT(ends(Json::array({9, 2}), 2), HasSubstr("of [9,2], only 2 ends a text in tapehead"));
  EXPECT_EQ(scores("b"), own);
  EXPECT_THAT(ends(2, Json::array({9, 2})), Not(HasSubstr("eos_token_id")));
  EXPECT_THAT(ends(nullptr, 2), Not(HasSubstr("eos_token_id")));
  EXPECT_THAT(ends(2, 9), HasSubstr("generation_config.json: eos_token_id: 2 ends a text, although "
                                    "config.json has 9"));
  EXPECT_THAT(ends(50256, 2), Not(HasSubstr("eos_token_id"))) << "the model has no such row";
  rename_mark("</s>", "<|eot_id|>");
  EXPECT_THAT(ends(nullptr, nullptr), HasSubstr("no file says which mark ends a text"));
}

TEST_F(ImportedMarks, in_front_of_a_text_that_two_files_contradict_are_decided_by_an_option) {
  export_run("gpt2");
  fs::remove(here / "out/generation_config.json");
  change("config.json", [](Json& json) { json["bos_token_id"] = 0; });
  EXPECT_THAT(refusal(2, "import out --run b"),
              AllOf(HasSubstr("out/tokenizer.json puts the token 1 in front of a text"),
                    HasSubstr("out/config.json has the bos_token_id 0"),
                    HasSubstr("--begin 1 or --begin 0")));
  EXPECT_FALSE(fs::exists(here / "b"));
  output("import out --run b --begin 1");
  EXPECT_EQ(scores("b"), scores("a"));
  output("import out --run b --begin 0 --overwrite");
  EXPECT_NE(scores("b"), scores("a"));
}

TEST_F(ImportedMarks, do_not_stand_in_front_where_the_tokenizer_puts_none) {
  export_run("gpt2", ", begin_mark: false");
  EXPECT_EQ(Json::parse(content_of(here / "out/tokenizer.json"))["post_processor"], nullptr);
  output("import out --run b");
  EXPECT_THAT(content_of(here / "b/config.yaml"), HasSubstr("begin_mark: false"));
  EXPECT_EQ(scores("b"), scores("a"));
  EXPECT_EQ(written("b"), written("a"));
  const Json first = Json::parse(scores("b").substr(0, scores("b").find('\n')));
  const Json seen = Json::parse(output({"attention", "b", "a cat", "--json"}));
  EXPECT_EQ(seen["target_tokens"].size(), first["tokens"].size() + 1) << "the first has no score";
  fs::remove(here / "out/tokenizer.json");  // keeps only GPT-2's own files
  output("import out --run b --overwrite");
  EXPECT_EQ(scores("b"), scores("a"));
  write("out/tokenizer_config.json", R"({"add_bos_token": true})");
  output("import out --run b --overwrite");
  EXPECT_THAT(content_of(here / "b/config.yaml"), HasSubstr("begin_mark: true"));
}

// The logits of transformers for a fixture's sequence: a row of 19 per token.
std::vector<double> reference_logits(const fs::path& directory, std::size_t rows) {
  const TensorFile reference(directory / "reference.safetensors", Trust::any);
  std::vector<double> logits(rows * 19);
  copy_values(reference.entry("logits"), std::span(logits));
  return logits;
}

// `never`: an id that the imported model does not predict; -1: none.
double log_probability(const std::vector<double>& logits, std::size_t row, std::size_t id,
                       int never = -1) {
  double sum = 0;
  for (int other = 0; other < 19; ++other) {
    sum += other == never ? 0 : std::exp(logits[row * 19 + static_cast<std::size_t>(other)]);
  }
  return logits[row * 19 + id] - std::log(sum);
}

// GPT-2's files use one token for all three marks. It is predicted once.
TEST_F(ImportedMarks, that_are_one_token_share_no_probability) {
  const fs::path directory = model("gpt2");
  Json ids;
  for (int id = 0; id < 18; ++id) {
    ids["v" + std::to_string(id)] = id;
  }
  ids["<|endoftext|>"] = 18;
  std::ofstream(directory / "vocab.json") << ids;
  std::ofstream(directory / "special_tokens_map.json") << Json({{"bos_token", "<|endoftext|>"},
                                                                {"eos_token", "<|endoftext|>"},
                                                                {"unk_token", "<|endoftext|>"}});
  output("import gpt2 --run a --token-texts");
  const Json scored = Json::parse(output("score a --json", "v7 v3 v9 v12 v4 v5\n"));
  const std::vector<std::size_t> labels{7, 3, 9, 12, 4, 5};  // inputs: 18 7 3 9 12 4
  const std::vector<double> logits = reference_logits(directory, labels.size() + 1);
  ASSERT_EQ(scored["tokens"].size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_NEAR(scored["tokens"][i][1].get<double>(), log_probability(logits, i, labels[i]), 1e-4);
  }
}

// [CLS] w7 [MASK] w9 w12 [MASK] w5 [SEP], also for a vocabulary without line ends.
TEST_F(ImportedMarks, of_an_encoder_are_read_on_both_sides_of_a_line) {
  for (const std::string name : {"bert", "albert"}) {
    const std::vector<double> logits = reference_logits(model(name), 8);
    for (const bool token_texts : {false, true}) {
      output(token_texts ? Arguments{"import", name, "--run", "a", "--overwrite", "--token-texts"}
                         : Arguments{"import", name, "--run", "a", "--overwrite"});
      const std::string line = "w7 <mask> w9 w12 <mask> w5";
      const Json filled = Json::parse(output("fill a --json", line + "\n"));
      for (const std::size_t mask : {0U, 1U}) {
        EXPECT_FALSE(filled["masks"][mask].empty());
        for (const Json& likely : filled["masks"][mask]) {
          const auto token = likely["token"].get<std::string>();
          const std::size_t id = token[0] == 'w'    ? std::stoul(token.substr(1))
                                 : token == "[PAD]" ? 0
                                 : token == "<unk>" ? 1
                                 : token == "<s>"   ? 2
                                                    : 3;
          EXPECT_NEAR(likely["probability"].get<double>(),
                      std::exp(log_probability(logits, mask == 0 ? 2 : 5, id, 4)), 1e-5)
              << name << token;
        }
      }
      const Json seen = Json::parse(output({"attention", "a", line, "--json"}));
      EXPECT_EQ(seen["source_tokens"].size(), 8U);
    }
  }
}

}}  // namespace tapehead
