// `tapehead export` for transformers: the matching model class, and unsupported options.
#include "tests/support/pretrained_models.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class ExportToTransformers : public ProgramRuns {
 protected:
  // Trains one step with these model options.
  void train(const std::string& task, const std::string& model) {
    write("a.yaml", "task: {" + task + "}\nmodel: {d_model: 16, heads: 2, layers: 1, " + model +
                        "}\ntraining: {steps: 1, batch_tokens: 64}\nrun: {report: false}\n");
    output("train a.yaml --run a --overwrite");
  }
  Json json_in(const std::string& file) const { return Json::parse(content_of(here / file)); }
  // The marks around a text that the PyTorch export reads.
  Json pytorch_reads() {
    output("export a out --as pytorch --overwrite");
    const TensorFile weights(here / "out/model.safetensors", Trust::any);
    return Json::parse(weights.metadata("tapehead"))["reads"];
  }
  std::string text(const std::string& tokenizer = "character") {
    write("text", text_content);
    return "name: text, train_text: text, context: 8, validation_share: 0.2, tokenizer: " +
           tokenizer;
  }
  std::string labelled() {
    write("labelled.tsv", repeated(30, "a cat\tanimal\na tree\tplant\n"));
    return "name: labelled_text, train_tsv: labelled.tsv";
  }

  const std::string text_content =
      repeated(30, "a cat sees a dog\nthe dogs see that cats can run\n");
  const std::string copy =
      "name: copy, vocabulary: 9, max_length: 6, train_examples: 40, "
      "validation_examples: 5, test_examples: 5";
  const std::string gpt2 = "preset: gpt2, family: decoder";
  const std::string llama = "preset: llama, family: decoder";
  const std::string bert = "preset: bert, family: encoder";
  const std::string apart = ", tie_embeddings: none";
  const std::string albert = bert + ", layer_groups: 1, d_embedding: 8";
};

TEST_F(ExportToTransformers, of_every_preset_has_an_architecture) {
  const std::vector<std::array<std::string, 3>> cases{
      {copy, "preset: vaswani", "MarianMTModel"},
      {copy, gpt2, "GPT2LMHeadModel"},
      {text(), gpt2, "GPT2LMHeadModel"},
      {text(), llama, "LlamaForCausalLM"},
      {text(), bert, "BertForMaskedLM"},
      {text(), albert, "AlbertForMaskedLM"},
      {labelled(), gpt2 + apart, "GPT2ForSequenceClassification"},
      {copy, bert, "BertForTokenClassification"},
      {labelled(), bert, "BertForSequenceClassification"}};
  for (const auto& [task, model, architecture] : cases) {
    SCOPED_TRACE(architecture);
    train(task, model);
    const Json said = Json::parse(output("export a out --json --overwrite"));
    EXPECT_EQ(said["model"], architecture);
    EXPECT_EQ(json_in("out/config.json")["architectures"][0], architecture);
    for (const std::string file : said["files"]) {
      EXPECT_TRUE(fs::exists(here / "out" / file)) << file;
    }
  }
  // What the last one says for people, and its classes.
  EXPECT_THAT(output("export a classes"),
              AllOf(HasSubstr("classes: BertForSequenceClassification of "),
                    HasSubstr("files: config.json, model.safetensors, tokenizer.json")));
  EXPECT_EQ(json_in("classes/config.json")["id2label"], Json({{"0", "animal"}, {"1", "plant"}}));
  EXPECT_FALSE(fs::exists(here / "classes/generation_config.json"));
}

TEST_F(ExportToTransformers, refuses_options_without_a_counterpart_by_name) {
  const std::string pre = ", norm_position: pre";
  const std::vector<std::array<std::string, 4>> cases{
      {copy, "norm_position: pre", "MarianMTModel", "model.norm_position: pre, not post"},
      {text(), gpt2 + ", positions: none, norm_epsilon: 1e-3", "",
       "model.positions: none, not learned"},
      {labelled(), bert + pre, "the nearest is BertForSequenceClassification", "norm_position"},
      {copy, bert + pre, "the nearest is BertForTokenClassification", "norm_position"},
      {text(), gpt2 + ", bias_output: true", "GPT2LMHeadModel", "output.bias is not 0"}};
  for (const auto& [task, model, nearest, option] : cases) {
    SCOPED_TRACE(model);
    train(task, model);
    const std::string errors = refusal(2, "export a refused");  // as of a wrong config
    EXPECT_THAT(errors, AllOf(HasSubstr(nearest), HasSubstr(option), Not(HasSubstr("epsilon"))));
    EXPECT_FALSE(fs::exists(here / "refused")) << "half exported";
  }
}

// The exported mark before a text equals the mark that the reimported run reads.
TEST_F(ExportToTransformers, puts_the_mark_in_front_of_a_text_that_the_run_reads) {
  const std::string task = text("byte_bpe") + ", vocabulary: 300, documents: line";
  write("lines", "a cat\na dog sees\n");
  for (const std::string stream : {"true", "false"}) {
    train(task + ", stream: " + stream, gpt2);
    output("export a out --overwrite");
    const Json front = json_in("out/tokenizer.json")["post_processor"]["single"][0];
    EXPECT_EQ(front["SpecialToken"]["id"], stream == "true" ? "</s>" : "<s>");
    output("import out --run b --overwrite");
    EXPECT_THAT(content_of(here / "b/config.yaml"), HasSubstr("stream: " + stream));
    EXPECT_EQ(output("score b --input lines --json"), output("score a --input lines --json"));
    const Arguments greedy{"--prompt", "a", "--temperature", "0", "--max-tokens", "4"};
    EXPECT_EQ(output(Arguments{"generate", "b"} + greedy),
              output(Arguments{"generate", "a"} + greedy));
    EXPECT_EQ(pytorch_reads(), Json({{"front", stream == "true" ? 2 : 1}, {"behind", nullptr}}));
  }
}

TEST_F(ExportToTransformers, puts_nothing_in_front_of_one_document_and_never_ends) {
  train(text(), gpt2);
  output("export a out");
  EXPECT_EQ(json_in("out/tokenizer.json")["post_processor"], nullptr);
  EXPECT_EQ(json_in("out/generation_config.json")["suppress_tokens"],
            Json::array({0, 1, 2}));  // tokens that such a run never writes
  EXPECT_EQ(pytorch_reads(), Json({{"front", nullptr}, {"behind", nullptr}}));
}

// Marks as `fill` reads a line: with an end mark if a document is a line or a paragraph.
TEST_F(ExportToTransformers, puts_the_marks_around_a_masked_text_that_fill_reads) {
  for (const std::string documents : {"file", "line", "blank_line", "separator"}) {
    const std::string task = text() + ", documents: " + documents;
    write("text", "a cat\n\n==\na dog\n\n==\na cow\n\n==\na hen\n\n==\nan ape\n");
    train(task + (documents == "separator" ? ", separator: '=='" : ""), bert);
    output("export a out --overwrite");
    Json marks;
    for (const Json tokenizer = json_in("out/tokenizer.json");
         const Json& item : tokenizer["post_processor"]["single"]) {
      marks.push_back(item.begin().value()["id"]);
    }
    EXPECT_EQ(marks, documents == "file" ? Json({"<s>", "A"}) : Json({"<s>", "A", "</s>"}));
    EXPECT_EQ(pytorch_reads(),
              Json({{"front", 1}, {"behind", documents == "file" ? Json() : Json(2)}}));
  }
}

TEST_F(ExportToTransformers, gives_tokens_types_where_the_model_knows_two) {
  for (const std::string types : {"0", "1", "2"}) {
    train(text(), bert + ", token_types: " + types);
    output("export a out --overwrite");
    EXPECT_EQ(json_in("out/tokenizer_config.json")["model_input_names"],
              types == "2" ? Json({"input_ids", "token_type_ids", "attention_mask"})
                           : Json({"input_ids", "attention_mask"}))
        << types;
  }
}

TEST_F(ExportToTransformers, leaves_nothing_of_an_earlier_export) {
  train(copy, "preset: vaswani");
  output("export a out --as pytorch");
  EXPECT_TRUE(fs::exists(here / "out/model.py"));
  output("export a out --overwrite");
  EXPECT_FALSE(fs::exists(here / "out/model.py"));
  train(copy, "preset: vaswani, norm_position: pre");
  EXPECT_EQ(run("export a out --overwrite").exit_code, 2);
  EXPECT_TRUE(fs::exists(here / "out/model.safetensors")) << "lost by a refused export";
}

// An exported run can be imported again.
class RoundTrip : public ExportToTransformers {
 protected:
  // Expects the same outputs of `command` after export and import.
  void expect_back(const std::string& task, const std::string& model, const std::string& command,
                   const std::string& input) {
    SCOPED_TRACE(task + " / " + model);
    train(task, model);
    output("export a out --overwrite");
    expect_imported(command, input);
  }
  void expect_imported(const std::string& command, const std::string& input) {
    output("import out --run b --overwrite");
    const std::string own = output({command, "a", "--json"}, input);
    EXPECT_FALSE(own.empty());
    EXPECT_EQ(output({command, "b", "--json"}, input), own);
  }
  // Pairs of equal length. With `capitals` the target is in capitals, for a separate vocabulary.
  std::string pairs(bool capitals = false) {
    std::string target = text_content;
    std::ranges::transform(target, target.begin(), [&](char letter) {
      return capitals && letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
    });
    write("source", text_content);
    write("target", target);
    return "name: parallel_text, train_source: source, train_target: target, validation_source: "
           "source, validation_target: target, max_length: 40, tokenizer: ";
  }

  // A table of words and labels.
  std::string tagged() {
    write("columns", repeated(20, "a O\ndog ANIMAL\nsees O\n\nit O\nis O\nmoss PLANT\n\n"));
    return "name: tagged_text, train_columns: columns, validation_columns: columns";
  }

  const std::vector<std::string> tokenizers{"word",
                                            "character",
                                            "byte",
                                            "byte_bpe, vocabulary: 270",
                                            "word_piece, vocabulary: 30",
                                            "bpe, vocabulary: 22",
                                            "unigram, vocabulary: 20"};
  const std::string lines = "a dog\nit see\n";
};

TEST_F(RoundTrip, is_exact_with_every_tokenizer) {
  for (const std::string& tokenizer : tokenizers) {
    const std::string running = text(tokenizer) + ", documents: line";
    expect_back(running, gpt2, "score", lines);
    for (const std::string& documents : {text(tokenizer), running}) {
      expect_back(documents, bert, "fill", "a <mask> s\n");
    }
    expect_back(pairs() + tokenizer, "preset: vaswani", "translate", lines);
    expect_back(pairs() + tokenizer, gpt2, "translate", lines);
    expect_back(pairs() + tokenizer, bert, "translate", lines);
    expect_back(pairs(true) + tokenizer + ", joint_vocabulary: false", bert, "translate", lines);
  }
  expect_back(pairs() + "word, joint_vocabulary: false",
              "preset: vaswani, tie_embeddings: target_output", "translate", lines);
}

// The form of Tokenizer.save in the package tokenizers 0.23, and in another key order.
TEST_F(RoundTrip, is_exact_if_tokenizer_json_was_saved_again) {
  for (const std::string& tokenizer : tokenizers) {
    SCOPED_TRACE(tokenizer);
    train(pairs(true) + tokenizer + ", joint_vocabulary: false", bert);
    output("export a out --overwrite");
    for (const fs::path& file : {here / "out/tokenizer.json", here / "out/target/tokenizer.json"}) {
      Json saved = Json::parse(content_of(file));  // keys are sorted
      for (Json& merge : saved["model"]["merges"]) {
        const auto pair = merge.get<std::string>();
        const std::size_t blank = pair.find(' ');
        merge = Json::array({pair.substr(0, blank), pair.substr(blank + 1)});
      }
      std::ofstream(file) << saved.dump();
    }
    expect_imported("translate", lines);
  }
}

TEST_F(RoundTrip, is_exact_with_every_architecture) {
  const std::string classes = labelled() + ", tokenizer: word";
  for (const auto& [task, model, command, input] : std::vector<std::array<std::string, 4>>{
           {text("word") + ", documents: line", llama, "score", lines},
           {text("word"), albert, "fill", "a <mask> sees\n"},
           {classes, albert, "classify", "a cat\na tree\n"},
           {classes, bert, "classify", "a cat\na tree\n"},
           {classes, gpt2 + apart, "classify", "a cat\na tree\n"},
           {classes, llama + apart, "classify", "a cat\na tree\n"},
           {copy, llama, "translate", "1 2 3\n"},
           {copy, bert, "translate", "1 2 3\n"},
           {copy, albert, "translate", "1 2 3\n"},
           {tagged(), bert, "translate", lines},
           {tagged(), albert, "translate", lines},
           {tagged(), bert + ", bias_output: true", "translate", lines}}) {
    expect_back(task, model, command, input);
    if (task == tagged()) {
      EXPECT_THAT(content_of(here / "b/config.yaml"), HasSubstr("name: tagged_text"));
    }
  }
}

// Reads words with labels from a table, or line by line.
TEST_F(RoundTrip, of_labels_reads_data_again) {
  const auto measured = [&](const std::string& run_of, const Arguments& more) {
    const Arguments arguments =
        Arguments{"evaluate", run_of, "--split", "validation", "--json"} + more;
    Json figures = Json::parse(output(arguments));
    figures.erase("seconds");
    return figures;
  };
  train(tagged(), bert);
  output("export a out");
  output("import out --run b --text columns");
  EXPECT_EQ(measured("b", {"--other-data"}), measured("a", {}));
  output("train b/config.yaml --run c --set model.init_from=b --set training.steps=1");
  train(pairs() + "character", bert);
  output("export a out --overwrite");
  output("import out --run b --overwrite --text source --target-text target");
  EXPECT_EQ(measured("b", {"--other-data"}), measured("a", {}));
}

}}  // namespace tapehead
