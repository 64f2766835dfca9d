// `tapehead import`: a directory of another program becomes a normal run.
#include "datasets/tokenizers/sentencepiece_tokenizer.hpp"
#include "datasets/tokenizers/tokenizer_files.hpp"
#include "tests/support/pretrained_models.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class Import : public PretrainedModels {};

TEST_F(Import, makes_a_run_that_generates_and_shows_its_heads) {
  model("gpt2");
  const ProgramResult imported = run("import gpt2 --run a --token-texts");
  ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_THAT(imported.output, AllOf(HasSubstr("a: a gpt2 of "), HasSubstr(" generate a\n"),
                                     Not(HasSubstr("rows of the embedding"))));
  EXPECT_THAT(imported.errors, HasSubstr("the names of the tokens are their ids"));
  EXPECT_THAT(
      output({"generate", "a", "--prompt", "7 3", "--max-tokens", "5", "--temperature", "0"}),
      HasSubstr("7 3"));
  const Json seen = Json::parse(output({"attention", "a", "7 3 9", "--json"}));
  EXPECT_EQ(seen["target_tokens"], Json({"<s>", "7", "3", "9"}));
  EXPECT_EQ(seen["attentions"].size(), 2U);
  EXPECT_THAT(
      refusal(1, "import gpt2 --run a --token-texts"),
      AllOf(HasSubstr("run a exists already"), HasSubstr("--overwrite"), HasSubstr("--run")));
  output("import gpt2 --run a --overwrite --token-texts");
}

// The file size limit (in blocks of 512 or 1024 bytes) is between the sizes of config and weights.
TEST_F(Import, that_was_stopped_half_way_is_repeated) {
  model("gpt2");
  const auto into = [](const std::string& directory) {
    return Arguments{"import", "gpt2", "--token-texts", "--run", directory};
  };
  output(into("a"));
  const auto weights = fs::file_size(here / "a/checkpoints/best.safetensors");
  const ProgramResult stopped =
      run_shell("ulimit -f " + std::to_string(weights / 1024 - 1) + "; " + shell_command(into("b")),
                here.path());
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("b/checkpoints/best.safetensors: File too large"));
  output(into("b"));
  expect_same_file(here / "a/checkpoints/best.safetensors",
                   here / "b/checkpoints/best.safetensors");
}

TEST_F(Import, names_entries_and_marks_of_a_vocabulary) {
  const std::vector<float> bias(12);
  change_tensors(model("bert"), [&](std::vector<TensorEntry>& entries) {
    entries.push_back(
        {.name = "bert.pooler.dense.bias", .shape = {12}, .bytes = std::as_bytes(std::span(bias))});
  });
  const Json said = Json::parse(output("import bert --run a --json"));
  EXPECT_EQ(said["entries"], 18);  // 19 with the mask, which is not an entry here
  EXPECT_EQ(said["left_out"], Json::array({"pooler.dense.bias"}));
  const Json filled = Json::parse(output("fill a --json", "w7 <mask> w9\n"));
  EXPECT_EQ(filled["text"], "w7 <mask> w9");
}

TEST_F(Import, takes_the_classes_of_a_model) {
  const fs::path directory = model("bert_classes");
  EXPECT_THAT(output("import bert_classes --run a --token-texts"),
              HasSubstr("to classify pairs, import with --texts 2\n"));
  const auto said = json_of("classify a --top 3 --json", "w7 w9 w12\n");
  std::vector<std::string> names;
  for (const auto& one : said["classes"]) {
    names.push_back(one["label"]);
  }
  EXPECT_THAT(names, UnorderedElementsAre("no", "yes", "perhaps"));
  EXPECT_THAT(output("import bert_classes --run b --token-texts --texts 2"),
              Not(HasSubstr("--texts")));
  EXPECT_THAT(output("classify b", "w7 w9\tw12\n"), HasSubstr("\t0."));
  const std::string no_name = "id2label: the class 1 is called ";
  for (const auto& [labels, says] : std::vector<std::pair<Json, std::string>>{
           {{{"0", "a"}, {"1", "a"}, {"2", "b"}}, "two classes are called"},
           {{{"0", "a"}, {"2", "b"}}, "id2label: the class 1 has no name"},
           {{{"0", "a"}}, "a model with one class predicts a number"},
           {{{"0", "a"}, {"1", ""}, {"2", "b"}}, no_name + R"("")"},
           {{{"0", "a"}, {"1", "a\tb"}, {"2", "b"}}, no_name + R"("a\tb")"},
           {{{"0", "a"}, {"1", "a\nb"}, {"2", "b"}}, no_name + R"("a\nb")"},
           {{{"0", "a"}, {"1", "a\r"}, {"2", "b"}}, no_name + R"("a\r")"},
           {{{"0", "a"}, {"1", "b"}},
            "classifier.weight has the shape (3, 12) instead of (2, 12)"}}) {
    change_config(directory, [&](Json& config) { config["id2label"] = labels; });
    EXPECT_THAT(complaint("bert_classes"), HasSubstr(says));
  }
}

// The run reads a begin mark after a text, so the tokenizer must add it. Labels of other programs
// do not start with tapehead's marks.
TEST_F(Import, takes_the_labels_of_tokens) {
  write("columns", "a O\ndog ANIMAL\nsees O\n\nit O\nis O\nmoss PLANT\n");
  write("own.yaml",
        "task: {name: tagged_text, train_columns: columns, validation_columns: columns}\n"
        "model: {preset: bert, family: encoder, d_model: 16, heads: 2, layers: 1}\n"
        "training: {steps: 1}\nrun: {report: false}\n");
  output("train own.yaml --run own");
  output("export own out");
  constexpr std::size_t labels = 3;  // preceded by as many marks
  constexpr std::size_t width = 16;
  std::vector<float> weights(2 * labels * width);
  std::vector<float> biases(2 * labels);
  const auto with_labels = [&](std::size_t first) {
    change_tensors(here / "out", [&](std::vector<TensorEntry>& entries) {
      const auto cut = [&](const char* name, std::vector<float>& numbers, std::size_t left_out) {
        TensorEntry& entry = *std::ranges::find(entries, name, &TensorEntry::name);
        copy_values(entry, std::span(numbers));
        entry.shape[0] -= static_cast<Index>(first);
        entry.bytes = std::as_bytes(std::span(numbers).subspan(left_out));
      };
      cut("classifier.weight", weights, first * width);
      cut("classifier.bias", biases, first);
      std::fill_n(biases.begin(), labels, -10'000.F);  // marks are never predicted
    });
  };
  with_labels(0);
  output("import out --run a");
  const std::string text = "a dog is moss\n";
  const std::string of_all = output("translate a --json", text);
  EXPECT_THAT(content_of(here / "a/config.yaml"),
              AllOf(HasSubstr("name: tagged_text"), HasSubstr("train_columns: \"text.txt\""),
                    HasSubstr("validation_columns: \"text.txt\"")));
  EXPECT_THAT(content_of(here / "a/written.yaml"), HasSubstr(" # out/config.json\n"));
  EXPECT_THAT(run("import out --run b --target-text labels").errors,
              HasSubstr("--target-text: a bert model has no targets"));
  fs::remove_all(here / "out/target");
  output("import out --run b");
  EXPECT_EQ(output("translate b --json", text), of_all);
  with_labels(labels);
  change_config(here / "out", [&](Json& config) {
    const Json names = config["id2label"];
    config["id2label"] = {{"0", names["3"]}, {"1", names["4"]}, {"2", names["5"]}};
  });
  output("import out --run c");
  EXPECT_EQ(output("translate c --json", text), of_all);
}

TEST_F(Import, takes_a_decoder_of_classes_that_reads_the_mark_behind_a_text) {
  write("labelled.tsv", repeated(30, "a cat\tanimal\na tree\tplant\n"));
  write("a.yaml",
        "task: {name: labelled_text, train_tsv: labelled.tsv, tokenizer: byte_bpe, vocabulary: "
        "265}\nmodel: {d_model: 16, heads: 2, layers: 1, preset: gpt2, family: decoder}\n"
        "training: {steps: 1, batch_tokens: 64}\nrun: {report: false}\n");
  output("train a.yaml --run a");
  output("export a out");
  output("import out --run b");
  EXPECT_EQ(output("classify b --json", "a cat\n"), output("classify a --json", "a cat\n"));
  Json tokenizer = Json::parse(content_of(here / "out/tokenizer.json"));
  const Json text = tokenizer["post_processor"]["single"][0];
  const Json mark = tokenizer["post_processor"]["single"][1];
  for (const Json& items : {Json::array({text}), Json::array({mark, text}),
                            Json::array({mark, text, mark}), Json::array({text, mark, mark})}) {
    tokenizer["post_processor"]["single"] = items;
    write("out/tokenizer.json", tokenizer.dump());
    EXPECT_THAT(refusal(2, "import out --run c"),
                AllOf(HasSubstr("architectures: GPT2ForSequenceClassification "),
                      HasSubstr("the begin mark behind a text")))
        << items;
  }
  model("gpt2_classes");
  EXPECT_THAT(run("import gpt2_classes --run c --token-texts").errors,
              HasSubstr("the run reads the begin mark behind each text"));
}

TEST_F(Import, never_writes_what_generation_suppresses) {
  const fs::path directory = model("gpt2");  // begin and end mark are 18
  std::ofstream(directory / "generation_config.json") << Json(
      {{"suppress_tokens", {9}},
       {"bad_words_ids", Json::array({Json::array({7}), Json::array({3, 4}), Json::array({18})})},
       {"eos_token_id", {18, 5}},
       {"repetition_penalty", 1.3},
       {"no_repeat_ngram_size", 0},
       {"typical_p", 1.0}});
  const ProgramResult imported = run("import gpt2 --run a --token-texts");
  ASSERT_EQ(imported.exit_code, 0) << imported.errors;
  const std::string without = "config.json: tapehead ignores these settings when it writes texts: ";
  EXPECT_THAT(imported.errors,
              AllOf(HasSubstr("eos_token_id: of [18,5], only 18 ends a text in tapehead"),
                    HasSubstr("generation_" + without +
                              "repetition_penalty: 1.3, bad_words_ids: [3,4]\n")));
  const auto never_written = [&](const std::string& run_of) {
    const TensorFile weights(here / run_of / "checkpoints/best.safetensors");
    std::vector<float> biases(mark_count + 18);
    copy_values(weights.entry("output.bias"), std::span(biases));
    std::vector<std::size_t> never;
    for (std::size_t i = 0; i < biases.size(); ++i) {
      if (biases[i] < -9000) {
        never.push_back(i);
      }
    }
    return never;
  };
  EXPECT_THAT(never_written("a"),
              ElementsAre(unknown_id, begin_id, mark_count + 7, mark_count + 9));
  output("export a out");
  EXPECT_EQ(Json::parse(content_of(here / "out/generation_config.json"))["suppress_tokens"],
            Json({unknown_id, begin_id, mark_count + 7, mark_count + 9}));
  // Without this file, transformers takes these settings from config.json.
  fs::remove(directory / "generation_config.json");
  change_config(directory, [](Json& config) {
    config["bad_words_ids"] = Json::array({Json::array({4})});
    config["no_repeat_ngram_size"] = 3;
  });
  EXPECT_THAT(run("import gpt2 --run b --token-texts").errors,
              HasSubstr(without + "no_repeat_ngram_size: 3\n"));
  EXPECT_THAT(never_written("b"), ElementsAre(unknown_id, begin_id, mark_count + 4));
  write("gpt2/generation_config.json", R"({"bad_words_ids": [7]})");
  EXPECT_THAT(complaint("gpt2"), HasSubstr("bad_words_ids: 7 is no list of ids"));
}

// Older files have rope_theta at the top level, newer ones in an object, which takes precedence.
TEST_F(Import, takes_the_base_of_rotary_positions_from_either_place) {
  const fs::path directory = model("llama");
  const Json outer{{"rope_theta", 300}};
  const Json inner{{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 500}}}};
  Json both = outer;
  both.update(inner);
  for (const auto& [settings, base] : {std::pair(outer, "300"), {inner, "500"}, {both, "500"}}) {
    change_config(directory, [&](Json& config) {
      config.erase("rope_theta");
      config.erase("rope_parameters");
      config.update(settings);
    });
    output("import llama --run a --overwrite --token-texts");
    EXPECT_THAT(content_of(here / "a/config.yaml"), HasSubstr("rotary_base: " + std::string(base)));
  }
}

// Two SentencePiece models, whose pieces have ids in a shared table, become two vocabularies.
TEST_F(Import, reads_the_tokenizers_of_marian) {
  const fs::path directory = model("marian");
  Json ids = {{"</s>", 0}, {"<unk>", 1}, {"<pad>", 18}};
  const auto train = [&](const char* file, const std::string& line) {
    const SentencePieceTokenizer pieces(
        train_sentencepiece(std::vector<std::string>(50, line), {.vocabulary = 10}));
    write_file_atomically(directory / file, *pieces.model());
    for (TokenId i = mark_count; i < pieces.size(); ++i) {
      const Index next = std::ssize(ids) - 1;
      ids.emplace(pieces.entry(i), next);
    }
  };
  train("source.spm", "ab ac abc");
  train("target.spm", "ax ay axy");
  ASSERT_LE(ids.size(), 19U);
  std::ofstream(directory / "vocab.json") << ids.dump();
  output("import marian --run a");
  const TensorFile weights(here / "a/checkpoints/best.safetensors");
  const auto row_of_a = [&](const std::string& side) {
    const auto tokenizer = load_tokenizer(here / "a" / side);
    const auto* const pieces = dynamic_cast<const SentencePieceTokenizer*>(tokenizer.get());
    TokenId id = 0;
    while (pieces->entry(id) != "\u2581a") {
      ++id;
    }
    std::vector<float> table(static_cast<std::size_t>(tokenizer->size() * 10));  // d_model
    copy_values(weights.entry(side + ".embedding"), std::span(table));
    return std::vector<float>(table.begin() + id * 10, table.begin() + (id + 1) * 10);
  };
  EXPECT_EQ(row_of_a("source"), row_of_a("target"));
  EXPECT_EQ(load_tokenizer(here / "a/target")->size(), std::ssize(ids)) << "it may write all";
  output("translate a", "ab abc\n");
  fs::remove(directory / "source.spm");
  EXPECT_THAT(run("import marian --run b").errors, HasSubstr("source.spm"));
}

// GPT-2's published files have masks of type BOOL or U8 (the two types after DType's last).
TEST_F(Import, reads_no_tensor_that_it_does_not_use) {
  model("gpt2");
  output("import gpt2 --run a --token-texts");
  const std::vector<std::byte> triangle(11 * 11);
  change_tensors(here / "gpt2", [&](std::vector<TensorEntry>& entries) {
    for (const int layer : {0, 1}) {
      entries.push_back({.name = "transformer.h." + std::to_string(layer) + ".attn.bias",
                         .dtype = static_cast<DType>(static_cast<int>(DType::bf16) + 1 + layer),
                         .shape = {1, 1, 11, 11},
                         .bytes = triangle});
    }
  });
  const auto said = json_of("import gpt2 --run b --token-texts --json");
  EXPECT_THAT(said["left_out"], ElementsAre("h.0.attn.bias", "h.1.attn.bias"));
  expect_same_file(here / "a/checkpoints/best.safetensors",
                   here / "b/checkpoints/best.safetensors");
  change_tensors(here / "gpt2", [&](std::vector<TensorEntry>& entries) {
    const auto norm = std::ranges::find(entries, "transformer.h.0.ln_1.weight", &TensorEntry::name);
    norm->dtype = static_cast<DType>(static_cast<int>(DType::bf16) + 1);
    norm->bytes = norm->bytes.first(12);
  });
  EXPECT_THAT(
      complaint("gpt2"),
      HasSubstr(
          "h.0.ln_1.weight has the type BOOL, but only F16, BF16, F32 and F64 are supported"));
}

TEST_F(Import, trains_on_with_right_gradients_and_is_pruned) {
  model("llama");
  write("text", repeated(40, "7 3 9 12 4 5\n"));
  output("import llama --run a --text text --token-texts");
  const auto loss_of = [&](const std::string& run_of) {
    const Arguments options{"--split", "validation", "--other-data", "--json"};
    return json_of(Arguments{"evaluate", run_of} + options)["loss"].get<double>();
  };
  for (const std::string steps : {"1", "60"}) {
    output({"train", "a/config.yaml", "--run", steps, "--set", "model.init_from=a", "--set",
            "training.steps=" + steps, "--set", "training.learning_rate=1e-2", "--set",
            "run.report=false"});
  }
  EXPECT_LT(loss_of("60"), loss_of("1") / 2);
  EXPECT_THAT(output("gradcheck a/config.yaml --set model.init_from=a"),
              HasSubstr("all gradients are right"));
  output(
      "prune a small --head decoder.layers.1.self.2 --head decoder.layers.1.self.3 --other-data "
      "--split validation");
  EXPECT_TRUE(std::isfinite(loss_of("small")));
}

TEST_F(Import, reads_parts_and_halves) {
  const fs::path whole = model("llama");
  output("import llama --run a --token-texts");
  const TensorFile file(whole / "model.safetensors", Trust::any);
  std::array<std::vector<TensorEntry>, 2> parts;
  std::vector<std::vector<std::uint16_t>> halves;  // the upper half of each float
  halves.reserve(file.entries().size());
  Json map;
  for (const TensorEntry& entry : file.entries()) {
    const std::size_t part = halves.size() % 2;
    std::vector<std::uint16_t>& numbers = halves.emplace_back(entry.bytes.size() / 4);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::memcpy(&numbers[i], entry.bytes.data() + 4 * i + 2, 2);
    }
    TensorEntry& half = parts.at(part).emplace_back(entry);
    half.dtype = DType::bf16;
    half.bytes = std::as_bytes(std::span(numbers));
    map[entry.name] = part == 0 ? "one.safetensors" : "two.safetensors";
  }
  fs::create_directory(here / "parts");
  fs::copy(whole / "config.json", here / "parts");
  write_tensor_file(here / "parts/one.safetensors", parts[0], {});
  write_tensor_file(here / "parts/two.safetensors", parts[1], {});
  write("parts/model.safetensors.index.json", Json({{"weight_map", map}}).dump());
  output("import parts --run b --token-texts");
  const TensorFile a(here / "a/checkpoints/best.safetensors");
  const TensorFile b(here / "b/checkpoints/best.safetensors");
  for (const TensorEntry& entry : a.entries()) {
    std::vector<float> exact(entry.bytes.size() / 4);
    std::vector<float> rounded(exact.size());
    copy_values(entry, std::span(exact));
    copy_values(b.entry(entry.name), std::span(rounded));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      EXPECT_NEAR(rounded[i], exact[i], std::abs(exact[i]) / 128) << entry.name;  // 8 bits
    }
  }
}

}}  // namespace tapehead
