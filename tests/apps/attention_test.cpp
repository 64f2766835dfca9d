// `tapehead attention`: the numbers of every head for a text, in each output form and model family.
#include "core/files/json_text.hpp"
#include "core/files/tensor_file.hpp"
#include "tests/support/browser.hpp"
#include "tests/support/program_runs.hpp"
#include "tests/support/text_training.hpp"

namespace tapehead { namespace {

class AttentionOfText : public SharedRuns<AttentionOfText> {
 public:
  static void prepare() { here->output(tiny_training("a")); }

 protected:
  static std::string output(const Arguments& arguments) {
    return here->output(Arguments{"attention"} + arguments);
  }
  static Json json(const Arguments& arguments) {
    return Json::parse(output(arguments + Arguments{"--json"}));
  }
};

const Arguments text_of_a{"a", "1 2 3"};
const Arguments without_head{"--without", "decoder.layers.0.cross.0"};

TEST_F(AttentionOfText, says_what_each_head_does_and_what_comes_out) {
  const Json said = json(text_of_a);
  EXPECT_EQ(said["format"], "tapehead attention");
  EXPECT_EQ(said["version"], 1);
  EXPECT_EQ(said["source_tokens"], Json({"1", "2", "3", "</s>"}));
  EXPECT_EQ(said["generated"], true);
  ASSERT_EQ(said["attentions"].size(), 3U);
  EXPECT_EQ(said["attentions"][2]["attention"], "decoder.layers.0.cross");
  EXPECT_EQ(said["attentions"][2]["queries"], "target");
  EXPECT_EQ(said["attentions"][2]["keys"], "source");
  for (const Json& attention : said["attentions"]) {
    const auto queries = said[attention["queries"].get<std::string>() + "_tokens"].size();
    const auto keys = said[attention["keys"].get<std::string>() + "_tokens"].size();
    EXPECT_EQ(attention["heads"].size(), 4U);
    for (const Json& head : attention["heads"]) {
      EXPECT_EQ(head["weights"].size(), queries);
      EXPECT_EQ(head["weights"][0].size(), keys);
      EXPECT_EQ(head["outputs"].size(), queries);
      EXPECT_EQ(head["outputs"][0].size(), 4U);  // d_model 16, 4 heads
    }
  }
  const Arguments target{"--target", said["target"]};
  EXPECT_THAT(output(text_of_a + target), Not(HasSubstr("output:")));
  EXPECT_EQ(json(text_of_a + target)["attentions"], said["attentions"]);
  EXPECT_EQ(json(text_of_a + Arguments{"--target", "5"})["target_tokens"], Json({"<s>", "5"}));
}

TEST_F(AttentionOfText, has_the_same_bits_in_each_form) {
  const Arguments asked = text_of_a + Arguments{"--without", "decoder.layers.0.cross.2", "--walk",
                                                "decoder.layers.0.cross.1"};
  const Json all = json(asked);
  output(asked + Arguments{"--output", "all.json"});
  EXPECT_EQ(Json::parse(content_of(*here / "all.json")), all);
  const Json few = json(asked + Arguments{"--output", "a.safetensors"});
  EXPECT_EQ(few["attentions"][0]["heads"], 4);
  const TensorFile file(*here / "a.safetensors");
  EXPECT_EQ(Json::parse(file.metadata("tapehead")), few);
  EXPECT_EQ(file.entry("logits").shape, file.entry("without.logits").shape);
  std::size_t tensors = 2;
  const auto expect_same = [&](const std::string& name, const Json& rows) {
    const TensorEntry& entry = file.entry(name);
    std::vector<float> numbers(entry.bytes.size() / sizeof(float));
    copy_values(entry, numbers);
    std::vector<float> printed;
    for (const Json& row : rows) {
      for (const Json& one : row) {
        printed.push_back(one.is_null() ? -std::numeric_limits<float>::infinity()
                                        : one.get<float>());
      }
    }
    EXPECT_EQ(numbers, printed) << name;
    ++tensors;
  };
  for (const Json& step : all["walk"]["steps"]) {
    expect_same("walk." + step["step"].get<std::string>(), step["values"]);
  }
  for (const Json& attention : all["attentions"]) {
    const auto name = attention["attention"].get<std::string>();
    for (std::size_t head = 0; head < attention["heads"].size(); ++head) {
      for (const std::string kind : {"queries", "keys", "values", "weights", "scores", "outputs"}) {
        expect_same(fmt::format("{}.{}.{}", name, head, kind), attention["heads"][head][kind]);
      }
    }
  }
  EXPECT_EQ(file.entries().size(), tensors);
}

TEST_F(AttentionOfText, shows_every_matrix_on_the_way_of_a_head) {
  const Arguments walk = text_of_a + Arguments{"--walk", "decoder.layers.0.cross.1"};
  const Json said = json(walk);
  const Json& steps = said["walk"]["steps"];
  std::map<std::string, Json> step;
  for (const Json& one : steps) {
    step[one["step"]] = one;
  }
  EXPECT_EQ(said["walk"]["keys"], said["source_tokens"]);
  EXPECT_EQ(said["walk"]["queries"], said["target_tokens"]);
  const Json& head = said["attentions"][2]["heads"][1];
  for (const auto& [of_walk, of_head] : {std::pair("query", "queries"),
                                         {"key", "keys"},
                                         {"value", "values"},
                                         {"weights", "weights"},
                                         {"scaled", "scores"},
                                         {"output", "outputs"}}) {
    EXPECT_EQ(step[of_walk]["values"], head[of_head]) << of_walk;
  }
  EXPECT_EQ(step["key_input"]["rows"], "key");
  EXPECT_EQ(step["products"]["columns"], "key");
  EXPECT_EQ(step["output_weight"]["shape"], Json({16, 16}));
  EXPECT_THAT(
      output(walk),
      AllOf(HasSubstr("K = X_K W_K + b_K   4 x 4   "), HasSubstr("S = P / √4   "),
            HasSubstr("A = softmax: exp of each number of S"), Not(HasSubstr("query  head 0"))));
  output(walk + Arguments{"--output", "a.html"});
  EXPECT_THAT(content_of(*here / "a.html"),
              HasSubstr("\"walk\":{\"head\":\"decoder.layers.0.cross.1\""));
  EXPECT_THAT(here->run({"attention", "a", "1", "--walk", "decoder.layers.0.cross.7"}).errors,
              HasSubstr("decoder.layers.0.cross"));
}

TEST_F(AttentionOfText, shows_tables_and_writes_a_page) {
  const std::string text = output(text_of_a);
  EXPECT_THAT(text, AllOf(HasSubstr("encoder.layers.0.self\n"), HasSubstr("query  head 0"),
                          HasSubstr("row  reads  predicts, %"), HasSubstr("output: ")));
  here->write("line", "1 2 3\n");
  EXPECT_EQ(output({"a", "--input", "line"}), text);
  EXPECT_THAT(output(text_of_a + Arguments{"--output", "a.html"}), HasSubstr("a.html\n"));
  EXPECT_THAT(content_of(*here / "a.html"), HasSubstr("\"source_tokens\":[\"1\",\"2\",\"3\""));
}

TEST_F(AttentionOfText, page_has_the_predictions_with_and_without_heads) {
  const Json said = json(text_of_a + without_head);
  output(text_of_a + without_head + Arguments{"--output", "a.html"});
  const Json page = visit(*here / "a.html", R"(
    const texts = (selector) => [...document.querySelectorAll('#predictions ' + selector)].map((one) => one.textContent);
    return {columns: texts('th'), cells: texts('td'), remarks: texts('.remark')};)");
  EXPECT_EQ(page["columns"],
            Json({"row", "reads", "label", "predicts", "without decoder.layers.0.cross.0"}));
  ASSERT_EQ(page["cells"].size(), 5 * said["predictions"].size());
  const auto shown = [](const Json& prediction) {
    const Json& best = prediction["best"][0];
    return fmt::format("{} {:.1f} %", best["token"].get<std::string>(),
                       100 * best["probability"].get<double>());
  };
  EXPECT_EQ(page["cells"][3], shown(said["predictions"][0]));
  EXPECT_EQ(page["cells"][4], shown(said["without"]["predictions"][0]));
  EXPECT_THAT(page["remarks"][1].get<std::string>(),
              HasSubstr(said["without"]["target"].get<std::string>()));
}

TEST_F(AttentionOfText, shows_what_comes_out_without_heads_or_if_they_look_by_distance) {
  const Arguments by_distance = text_of_a + without_head + Arguments{"--with-pattern", "4 5"};
  const Json said = json(by_distance);
  const Json& predictions = said["without"]["predictions"];
  EXPECT_EQ(said["without"]["pattern"], "4 5");
  EXPECT_EQ(predictions.size(), said["predictions"].size());
  EXPECT_NE(predictions, said["predictions"]);
  const Json without = json(text_of_a + without_head)["without"];
  EXPECT_EQ(without["predictions"].size(), said["predictions"].size());
  EXPECT_NE(without["predictions"], said["predictions"]);
  EXPECT_NE(without["predictions"], predictions);
  EXPECT_EQ(without["heads"].size(), 1U);
  EXPECT_THAT(output(text_of_a + without_head),
              AllOf(HasSubstr("without, %"), HasSubstr("without decoder.layers.0.cross.0: ")));
  EXPECT_THAT(output(by_distance), AllOf(HasSubstr("by distance, %"),
                                         HasSubstr("by distance decoder.layers.0.cross.0: ")));
}

TEST_F(AttentionOfText, reads_running_text_masks_and_classes) {
  here->output(text_training(*here, "causal"));
  const Json causal = json({"causal", "a man"});
  EXPECT_EQ(causal["target_tokens"].size(), 6U);  // a mark or line end, and five characters
  EXPECT_EQ(causal["predictions"].size(), 5U);
  EXPECT_EQ(causal["said_tokens"].back(), "");
  here->output(text_training(*here, "masked", {"model.family=encoder", "model.max_positions=25"}));
  const Json masked = json({"masked", "a m<mask>n"});
  EXPECT_EQ(masked["source_tokens"][4], "<mask>");
  ASSERT_EQ(masked["predictions"].size(), 1U);
  EXPECT_EQ(masked["predictions"][0]["row"], 4);
  EXPECT_EQ(json({"masked", "a man"})["predictions"].size(), 0U);
  here->output(labelled_training(*here, "classes"));
  const Json classes = json({"classes", "a sunny day"});
  EXPECT_EQ(classes["predictions"].size(), 1U);
  EXPECT_EQ(classes["target"], classes["predictions"][0]["best"][0]["token"]);
  EXPECT_EQ(here->run({"attention", "classes", "a hot wind"}).errors, "");
  const std::string longer = "a hot wind" + std::string(600, ' ') + "came";
  here->output(labelled_training(*here, "short", {"task.max_length=3"}));
  EXPECT_THAT(here->run({"attention", "short", longer}).errors,
              HasSubstr("the text is longer than task.max_length"));
}

// The fixture's model never ends this output.
TEST_F(AttentionOfText, of_an_output_that_fills_all_positions_says_that_it_is_cut) {
  here->output({"import", TAPEHEAD_FIXTURES "/pretrained/marian", "--run", "m", "--token-texts"});
  const ProgramResult seen = here->run({"attention", "m", "v2 v9 v3", "--json"});
  ASSERT_EQ(seen.exit_code, 0) << seen.errors;
  EXPECT_THAT(seen.errors, HasSubstr("warning: the output was cut before its end"));
  const std::string positions = content_of(*here / "m/config.yaml");
  const Json said = Json::parse(seen.output);
  EXPECT_THAT(positions,
              HasSubstr(fmt::format("max_positions: {}\n", said["target_tokens"].size())));
  const ProgramResult given =
      here->run({"attention", "m", "v2 v9 v3", "--target", said["target"], "--json"});
  EXPECT_EQ(given.errors, "");
  EXPECT_EQ(Json::parse(given.output)["attentions"], said["attentions"]);
}

}}  // namespace tapehead
