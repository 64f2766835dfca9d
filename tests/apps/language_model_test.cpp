// Language models: every command on runs works, results are bit-identical for any threads and after
// a resume, and the run keeps its own copy of the text.
#include "tests/support/config_error.hpp"
#include "tests/support/corpus_training.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"
#include "train/metrics/ngrams.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class LanguageModel : public ProgramRuns {
 protected:
  void train(const std::string& name, const Arguments& overrides = {},
             const Arguments& options = {}) {
    output(text_training(here, name, overrides, options));
  }
  nlohmann::json evaluated(const Arguments& options = {}) {
    return json_of(CommandLine("evaluate a --split validation --json") + options);
  }
  // The objects that a command prints, one a line.
  std::vector<nlohmann::json> lines_in(const CommandLine& arguments) {
    std::vector<nlohmann::json> objects;
    for (const std::string& line : lines_of(output(arguments))) {
      objects.push_back(nlohmann::json::parse(line));
    }
    return objects;
  }
};

TEST_F(LanguageModel, goes_on_with_the_same_bits_by_any_threads_and_without_its_text) {
  struct Stop {
    std::string name;
    Arguments options;
    std::string lost{};  // the file that is gone before the resume
  };
  for (const auto& [name, options, lost] :
       {Stop{"a", {}, "text"},
        Stop{"killed_at_its_start", {}, "killed_at_its_start/tokens/validation.tokens"},
        Stop{"bpe", {"task.documents=line", "task.tokenizer=bpe", "task.vocabulary=100"}},
        Stop{"bytes", {"task.documents=line", "task.tokenizer=byte_bpe", "task.vocabulary=300"}}}) {
    const Arguments all = Arguments{"training.schedule=constant"} + options;
    train(name + "_whole", all, {"--threads", "1"});
    train(name, all + Arguments{"training.steps=20"}, {"--threads", "2"});
    if (!lost.empty()) {
      ASSERT_TRUE(fs::remove(here / lost));
    }
    output("train a.yaml --resume --threads 3 --set training.steps=40 --run " + name);
    EXPECT_TRUE(fs::exists(here / name / "tokens/validation.tokens"));
    expect_same_runs(here / (name + "_whole"), here / name);
  }
  // The model of merged bytes may write single ones, so its output need not be UTF-8.
  const std::string prompt = "  zwölf 狗's\t";
  EXPECT_THAT(output({"generate", "bytes", "--prompt", prompt, "--max-tokens", "8"}),
              StartsWith(prompt));
}

// From the loss per token, by definition: bits of all tokens per byte, and nats per word.
TEST_F(LanguageModel, is_evaluated_by_token_byte_and_word) {
  train("a", {"task.validation_text=" TAPEHEAD_FIXTURES "/text/validation.en"});
  const auto json = evaluated();
  const std::string text = content_of(TAPEHEAD_FIXTURES "/text/validation.en");
  std::istringstream words(text);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const auto bytes = static_cast<double>(text.size() - 1);       // without the last line end
  const double nats = json["loss"].get<double>() * (bytes + 1);  // ASCII text and an end mark
  EXPECT_NEAR(json["bits_per_byte"], nats / bytes / std::numbers::ln2, 1e-6);
  EXPECT_NEAR(std::log(json["word_perplexity"].get<double>()), nats / static_cast<double>(count),
              1e-6);
  EXPECT_FALSE(json.contains("bleu"));
}

// With a stride, all windows but the first have fewer labels; the total is the same.
TEST_F(LanguageModel, is_evaluated_with_any_stride_and_pruned_of_no_head_is_the_same) {
  train("a");
  const auto usual = evaluated();
  const auto overlapping = evaluated({"--stride", "4"});
  EXPECT_EQ(evaluated({"--stride", "24"})["loss"], usual["loss"]);
  EXPECT_NE(overlapping["loss"], usual["loss"]);
  EXPECT_GT(overlapping["examples"], 5 * usual["examples"].get<int>());
  EXPECT_TRUE(overlapping.contains("bits_per_byte")) << "so each token has a label once";
  // The text is a single document, so no mark is read before it.
  output("prune a c --count 0");
  here.write("lines", "a man\ntwo men are\n");
  EXPECT_EQ(output("score c --input lines"), output("score a --input lines"));
  fs::remove(here / "text");
  fs::create_directory(here / "elsewhere");
  const ProgramResult there = run_program("evaluate ../c --split validation", here / "elsewhere");
  EXPECT_EQ(there.exit_code, 0) << there.errors;
}

TEST_F(LanguageModel, generates_the_same_text_by_any_threads_and_says_how_varied_it_is) {
  train("a");
  here.write("prompts", "a man\ntwo\n\ntwo men are\n");
  const auto by = [&](const std::string& threads) {
    return output("generate a --prompts prompts --count 5 --max-tokens 40 --json --threads " +
                  threads);
  };
  const std::string all = by("1");
  EXPECT_EQ(all, by("3"));
  const auto first = nlohmann::json::parse(lines_of(all).front());
  EXPECT_EQ(first["prompt"], "a man");
  EXPECT_EQ(first["tokens"], 40);
  EXPECT_EQ(first["slid"], true);  // context of 24
  const Arguments single{"generate", "a", "--prompt", "a man", "--max-tokens", "40"};
  const std::string alone = output(single);
  EXPECT_EQ(alone, "a man" + first["text"].get<std::string>() + "\n");
  EXPECT_NE(output(single + Arguments{"--seed", "2"}), alone);
  const ProgramResult several = run("generate a --count 3 --json");
  std::vector<std::string> texts;
  for (const std::string& line : lines_of(several.output)) {
    const auto sample = nlohmann::json::parse(line);
    texts.push_back(sample["text"]);
    EXPECT_THAT(
        distinct_ngrams({&texts.back(), 1}),
        ElementsAre(sample["distinct_1"].get<double>(), sample["distinct_2"].get<double>()));
  }
  const auto [words, pairs] = distinct_ngrams(texts);
  EXPECT_THAT(several.errors, HasSubstr(fmt::format("3 texts: distinct-1 {:.3f}, distinct-2 {:.3f}",
                                                    words, pairs)));
  EXPECT_THAT(run("generate a").errors, Not(HasSubstr("distinct")));
  const auto evaluation =
      nlohmann::json::parse(lines_of(content_of(here / "a/metrics.jsonl")).back());
  EXPECT_EQ(evaluation["distinct_1"],
            distinct_ngrams(evaluation["samples"].get<std::vector<std::string>>())[0]);
}

// A generated word is preceded by a space, except at the start of a text.
TEST_F(LanguageModel, goes_on_from_each_prompt_as_from_it_alone) {
  train("a", {"task.tokenizer=word"});
  here.write("prompts", "a man\n\n");
  const auto written = [&](const std::string& option, const std::string& value) {
    return lines_in({"generate", "a", option, value, "--max-tokens", "5", "--temperature", "0",
                     "--json", "--threads", "1"});
  };
  const auto texts = written("--prompts", "prompts");
  ASSERT_EQ(texts.size(), 2U);
  for (const auto& text : texts) {
    EXPECT_EQ(text["text"], written("--prompt", text["prompt"])[0]["text"]);
  }
}

TEST_F(LanguageModel, stops_at_a_text_searches_for_a_likely_one_and_warns_of_prompts) {
  train("a");
  const CommandLine generate("generate a --max-tokens 30 --json");
  const std::string text = json_of(generate)["text"];
  const std::string stop = text.substr(10, 2);
  const auto cut = json_of(generate + Arguments{"--stop", stop});
  EXPECT_EQ(cut["text"], text.substr(0, text.find(stop)));
  EXPECT_EQ(cut["end"], "stop");
  EXPECT_THAT(messages(generate + Arguments{"--stop", "no such text"}),
              HasSubstr("ended after 30 tokens without the stop text"));
  const auto probability_by = [&](const std::string& search) {
    return json_of("generate a --prompt a --max-tokens 12 --json " + search)["log_probability"]
        .get<double>();
  };
  EXPECT_GE(probability_by("--beam 8"), probability_by("--beam 1"));
  // Samples have the model's probability too, so searches and samples are comparable.
  EXPECT_LT(probability_by("--temperature 0"), 0);
  EXPECT_LT(probability_by("--top-k 1"), 0);
  for (const auto& [prompt, warning] :
       {std::pair<std::string, const char*>{"漢 a", "1 of 3 tokens is not in the vocabulary"},
        {std::string(30, 'a'), "the command line:1: 30 tokens; the model reads 12 of them"}}) {
    EXPECT_THAT(messages({"generate", "a", "--prompt", prompt, "--max-tokens", "3"}),
                HasSubstr(warning));
  }
}

// A line is read after a line end, like a sample without a prompt.
TEST_F(LanguageModel, scores_lines_as_it_would_draw_them) {
  train("a");
  const auto samples = lines_in("generate a --max-tokens 12 --count 50 --json");
  const auto drawn = std::ranges::find_if(samples, [](const nlohmann::json& sample) {
    return sample["text"].get<std::string>().find('\n') == std::string::npos;
  });
  ASSERT_NE(drawn, samples.end());
  here.write("lines", (*drawn)["text"].get<std::string>() + "\n\n" + std::string(60, 'a') +
                          "\n");  // the last is longer than the context
  const auto scored = lines_in("score a --input lines --json");
  ASSERT_EQ(scored.size(), 3U);
  EXPECT_NEAR(scored[0]["log_probability"], (*drawn)["log_probability"], 1e-4);  // single precision
  EXPECT_EQ(scored[0]["tokens"].size(), 12U);
  EXPECT_EQ(scored[1]["log_probability"], 0);
  EXPECT_EQ(scored[2]["tokens"].size(), 60U);
}

TEST_F(LanguageModel, draws_by_products_in_bfloat16_with_nearly_the_same_probabilities) {
  train("a");
  const auto probability = [&](const std::string& options) {
    return lines_in("generate a --max-tokens 1 --temperature 0 --json" +
                    options)[0]["log_probability"]
        .get<double>();
  };
  EXPECT_NE(probability(" --precision bfloat16"), probability(""));
  EXPECT_NEAR(probability(" --precision bfloat16"), probability(""), 0.05);
}

// The scores agree with an evaluation, whose loss is the mean per token.
TEST_F(LanguageModel, scores_pairs_with_the_loss_of_an_evaluation) {
  write_corpus(here / "c");
  here.write("p.yaml", corpus_config("c", "word"));
  output("train p.yaml --run p");
  double log_probability = 0;
  double tokens = 0;
  for (const auto& scored : lines_in("score p --source c/test.en --target c/test.de --json")) {
    log_probability += scored["log_probability"].get<double>();
    tokens += static_cast<double>(scored["tokens"].size());
  }
  EXPECT_NEAR(-log_probability / tokens, json_of("evaluate p --json")["loss"], 1e-5);
  here.write("one", "ab\n");
  std::string line_of_3000 = "ab\n";
  for (int i = 0; i < 3000; ++i) {
    line_of_3000 += "ab ";
  }
  here.write("long", line_of_3000);
  expect_refusals({{"score p --input c/test.en", 2, {}},
                   {"score p --source c/test.en", 2, {}},
                   {"score p --source c/test.en --target one", 1, {"60 sources and 1 targets"}},
                   {"score p --source long --target long", 1, {"long:2: ", "3001 tokens"}}});
}

TEST_F(LanguageModel, is_refused_where_it_cannot_be_trained) {
  for (const auto& [override, says] :
       {std::pair{"task.context=25",
                  "too few positions for windows of 25 tokens (24; allowed: 25 or more)"},
        {"model.family=encoder_decoder", "running text has no source and target"},
        {"model.prefix=full", "running text has no source"},
        {"evaluation.metric=bleu", "bleu is not measured for this task (allowed: loss, perplexity"},
        {"evaluation.beam=2", "evaluation.beam"},
        {"evaluation.stride=25", "allowed: 1 to 24"}}) {
    EXPECT_THAT(config_error(text_config("text"), {override}), HasSubstr(says));
  }
}

TEST_F(LanguageModel, refuses_what_does_not_fit_it_and_a_text_that_is_another_damaged_or_lost) {
  train("a");
  const std::string evaluate = "evaluate a --split validation";
  const std::string searches = "--beam searches and does not sample";
  expect_refusals({{evaluate + " --stride 25", 2, {}},
                   {evaluate + " --beam 2", 2, {}},
                   {"generate a --beam 2 --top-k 3", 2, {searches}},
                   {"generate a --beam 2 --seed 3", 2, {searches}}});
  EXPECT_THAT(complaint("train a.yaml --run a --resume --set training.steps=50 "
                        "--set task.validation_share=0.3"),
              HasSubstr("other data"));
  std::string tokens = content_of(here / "a/tokens/train.tokens");
  tokens[tokens.size() / 2] = static_cast<char>(tokens[tokens.size() / 2] ^ 1);
  here.write("a/tokens/train.tokens", tokens);
  EXPECT_THAT(refusal(1, evaluate),
              AllOf(HasSubstr("a/tokens/train.tokens is damaged"), Not(HasSubstr("--data"))));
  fs::remove_all(here / "a/tokens");
  here.write("lines", "a man\n");
  const std::string lost = "a/tokens/train.tokens is missing, so it is unknown";
  expect_refusals({{"generate a", 1, {lost}},
                   {"score a --input lines", 1, {lost}},
                   {"export a e --as pytorch", 1, {lost}}});
}

}}  // namespace tapehead
