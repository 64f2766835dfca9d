// What is told before a training: the estimates of `plan`, compared with the training, and the
// gradients that `gradcheck` checks.
#include "tests/support/program_runs.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

// The program's peak resident memory in bytes, polled until it ends.
double peak_of(const Program& program) {
  double peak = 0;
  while (true) {
    const std::string status = content_of("/proc/" + std::to_string(program.id()) + "/status");
    const std::size_t at = status.find("VmHWM:");
    if (at == std::string::npos) {
      return peak;
    }
    // The last value counts: before exec, the process is a copy of this one.
    peak = 1024 * std::stod(status.substr(at + 6));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// `plan` for the config of a `train` command.
Arguments planned(Arguments train, const Arguments& options = {}) {
  train.front() = "plan";
  const auto run = std::ranges::find(train, "--run");
  train.erase(run, run + 2);
  return train + options;
}

class Plan : public TestWithParam<std::string> {};

// One thread, because with several threads the overlap of their work varies. 100 steps teach the
// model where outputs end, and max_extra_length limits outputs. The plan does not include the final
// page. The peak varies by a few percent (huge pages), so if plan and training differ too much, the
// means of up to six pairs are compared.
TEST_P(Plan, predicts_the_peak_memory_within_a_tenth) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps freed memory for a while, and so more of it in a long run";
#endif
  Arguments train{"train",     TAPEHEAD_SOURCE_DIR "/configs/" + GetParam() + ".yaml",
                  "--threads", "1",
                  "--run",     "a"};
  set_options(train, {"training.steps=100", "training.warmup=10", "evaluation.max_extra_length=1",
                      "run.report=false"});
  double predicted = 0;
  double measured = 0;
  const auto is_near = [&] { return std::abs(predicted / measured - 1) <= 0.1; };
  for (int pair = 0; pair == 0 || (pair < 6 && !is_near()); ++pair) {
    const ProgramDirectory here;
    predicted += here.json_of(planned(train, {"--json"})).at("peak_memory_bytes").get<double>();
    Program program(train, here.path());
    measured += peak_of(program);
    ASSERT_EQ(program.wait().exit_code, 0);
  }
  EXPECT_NEAR(predicted / measured, 1, 0.1) << predicted << " and " << measured;
}

INSTANTIATE_TEST_SUITE_P(Shipped, Plan,
                         Values("copy", "grammar", "induction", "previous_token", "recall",
                                "reverse", "two_offsets"),
                         [](const auto& test) { return test.param; });

class PlanCommand : public ProgramRuns {
 protected:
  static inline const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
};

// With two threads and the page at the end.
TEST_F(PlanCommand, states_a_range_that_holds_the_peak_of_a_small_training) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps freed memory for a while, and so more of it in a long run";
#endif
  Arguments train{"train", config, "--threads", "2", "--run", "a"};
  set_options(train,
              {"training.steps=60", "training.warmup=5", "model.d_model=16", "model.layers=1"});
  const auto range = json_of(planned(train, {"--json"})).at("peak_memory_range_bytes");
  Program program(train, here.path());
  const double peak = peak_of(program);
  ASSERT_EQ(program.wait().exit_code, 0);
  EXPECT_LE(range.at(0).get<double>(), peak);
  EXPECT_GE(range.at(1).get<double>(), peak);
}

// The numbers of configs/copy.yaml as counted by `train`; 11 symbols and 3 marks give a vocabulary
// of 14.
TEST_F(PlanCommand, gives_every_part_and_the_totals) {
  const Arguments command{"plan", config, "--threads", "1", "--json"};
  const auto json = json_of(command);
  const double rows = json["step"]["target_tokens"];
  double multiply_adds = 0;
  Index parameters = 0;
  Index attentions = 0;
  for (const auto& part : json.at("parts")) {
    EXPECT_FALSE(part.at("name").get<std::string>().empty());
    EXPECT_GE(part.at("weight_bytes").get<double>(), 4 * part.at("parameters").get<double>());
    EXPECT_GE(part.at("activation_bytes").get<double>(), 0);
    parameters += part.at("parameters").get<Index>();
    multiply_adds += part.at("multiply_adds").get<double>();
    // For n rows of width d: 3 n d² for query, key and value, n d² for the output; one product
    // forward and two backward each.
    if (part.contains("attention")) {
      ++attentions;
      const double output = part["attention"]["output"];
      const double projections = part["attention"]["projections"];
      const double pairs = part["attention"]["pairs"];
      const double layers = 2;
      EXPECT_DOUBLE_EQ(output, layers * 3 * rows * 64 * 64);
      EXPECT_DOUBLE_EQ(projections, 3 * output);
      EXPECT_DOUBLE_EQ(projections + pairs + output, part["multiply_adds"]);
    }
  }
  EXPECT_EQ(attentions, 3);
  EXPECT_EQ(json.at("parts").size(), 9U);
  EXPECT_EQ(json.at("total").at("parameters"), parameters);
  EXPECT_EQ(parameters, 2 * 14 * 64 + 14 * 64 + 100'096 + 133'632);
  EXPECT_DOUBLE_EQ(json.at("total").at("multiply_adds").get<double>(), multiply_adds);
  EXPECT_GT(json.at("total").at("activation_bytes").get<double>(), 0);
  EXPECT_GT(json.at("step").at("seconds").get<double>(), 0);
  EXPECT_EQ(json.at("steps"), 600);
  EXPECT_EQ(json.at("steps_per_epoch"), 64);
  EXPECT_FALSE(std::filesystem::exists(here / "runs"));
  // Muon saves one number per number of the matrices: six attentions with four (64, 64), four
  // feed-forward blocks with (256, 64) and (64, 256).
  const auto weight_bytes = [&](const std::string& optimizer) {
    const Arguments chosen{"--set", "training.optimizer=" + optimizer};
    return json_of(command + chosen).at("total").at("weight_bytes").get<double>();
  };
  const double numbers = 6 * 4 * 64 * 64 + 4 * 2 * 64 * 256;
  EXPECT_DOUBLE_EQ(weight_bytes("adamw") - weight_bytes("muon"), 4 * numbers);
}

TEST_F(PlanCommand, prints_a_table_and_knows_when_the_time_ends_a_training) {
  EXPECT_THAT(output(planned(tiny_training("a"))),
              AllOf(HasSubstr("encoder self-attention, layer 0"),
                    HasSubstr("\n    scores, weighted values"), HasSubstr("decoder feed-forward"),
                    HasSubstr("\n  all "), HasSubstr("time per step"),
                    ContainsRegex("peak memory +[0-9]+ to [0-9]+ MB\n")));
  const auto plan = json_of(planned(
      tiny_training("a", {"training.minutes=0.01", "training.steps=10000000"}), {"--json"}));
  EXPECT_EQ(plan["steps"], 10000000);
  EXPECT_DOUBLE_EQ(plan["training_seconds"].get<double>(), 0.6);  // 0.01 minutes
  // Both commands say that the rate of the only step is zero.
  const Arguments train =
      tiny_training("a", {"training.schedule=cosine", "training.warmup=0", "training.steps=1"});
  constexpr const char* zero = " 0 in all of 1 step: no weight changes\n";
  EXPECT_THAT(run(planned(train)).output, HasSubstr(zero));
  EXPECT_THAT(run(train).errors, HasSubstr(zero));
}

// copy.yaml has four heads.
TEST_F(PlanCommand, warns_once_of_heads_that_are_copies_as_train_does) {
  struct Case {
    Arguments overrides;
    std::string where;  // empty: no warning
  };
  for (const auto& [overrides, where] : std::vector<Case>{
           {{"attention.sharing=identity"},
            " in encoder_self (4 heads of width 16, sharing: identity), decoder_self (4 heads of "
            "width 16, sharing: identity), cross (4 heads of width 16, sharing: identity): "},
           {{"cross.head_weights=tied"}, " in cross (4 heads of width 4, head_weights: tied): "},
           {{"attention.sharing=identity", "model.heads=1"}, ""},
           {{"attention.sharing=identity", "attention.input=narrow"}, ""}}) {
    const Arguments train = tiny_training("a", overrides);
    const std::string trained = run(train + Arguments{"--overwrite"}).errors;
    const std::string plan = run(planned(train)).errors;
    for (const std::string& text : {plan, trained, content_of(here / "a/log.txt")}) {
      EXPECT_EQ(text.find(" are copies ") != std::string::npos, !where.empty()) << text;
    }
    const std::size_t begin = std::min(plan.find("all heads are copies of one head"), plan.size());
    const std::string warning = plan.substr(begin, plan.find('\n', begin) - begin);
    EXPECT_THAT(warning, HasSubstr(where));
    EXPECT_EQ(plan.find(" are copies ", begin + warning.size()), std::string::npos);
    EXPECT_THAT(trained, HasSubstr(warning));
  }
}

TEST_F(PlanCommand, refuses_what_train_refuses_in_the_same_words) {
  for (const std::string wrong :
       {"model.heads=5", "model.d_modell=8", "training.warmup=900", "model.max_positions=4"}) {
    const ProgramResult plan = run({"plan", config, "--set", wrong});
    const ProgramResult train = run({"train", config, "--set", wrong});
    EXPECT_NE(plan.exit_code, 0) << wrong;
    EXPECT_EQ(plan.exit_code, train.exit_code) << wrong;
    EXPECT_EQ(plan.errors, train.errors) << wrong;
  }
}

class GradcheckCommand : public PlanCommand {
 protected:
  const Arguments gradcheck{"gradcheck", config};
};

TEST_F(GradcheckCommand, prints_a_row_for_each_parameter_and_leaves_options_that_are_set_alone) {
  EXPECT_THAT(output(gradcheck), AllOf(HasSubstr("made small by "), HasSubstr(" model.d_model=16"),
                                       HasSubstr("direction error  verdict\n"),
                                       HasSubstr("decoder.layers.1.cross.query.weight   "),
                                       HasSubstr("all gradients are right\n")));
  EXPECT_THAT(output(gradcheck + Arguments{"--set", "model.d_model=12", "--set", "model.heads=3",
                                           "--only", "decoder.norm.gain"}),
              AllOf(HasSubstr("decoder.norm.gain"), HasSubstr("(12)"), Not(HasSubstr("d_model="))));
}

// Layers that differ, from a config and after pruning.
TEST_F(GradcheckCommand, takes_any_config_that_trains) {
  output(tiny_training("a", {"model.layers=3", "attention.heads=[2,1,2]", "training.steps=2",
                             "training.warmup=1", "evaluation.decode_examples=2"}));
  output("prune a b --head encoder.layers.2.self.0 --head decoder.layers.0.cross.1");
  for (const std::string run : {"a", "b"}) {
    EXPECT_THAT(output("gradcheck " + run + "/config.yaml --only *.cross.output.bias"),
                HasSubstr("all gradients are right"));
  }
}

TEST_F(GradcheckCommand, checks_only_the_parameters_asked_for) {
  const auto json = json_of(gradcheck + Arguments{"--only", "encoder.*.norm.*", "--json"});
  EXPECT_TRUE(json.at("ok"));
  EXPECT_EQ(json.at("parameters").size(), 8U);  // 2 layers x 2 norms x (gain, bias)
  for (const auto& parameter : json.at("parameters")) {
    EXPECT_THAT(parameter.at("name"), MatchesRegex("encoder\\..*\\.norm\\.(gain|bias)"));
    EXPECT_EQ(parameter.at("shape"), nlohmann::json::array({16}));
    EXPECT_LT(parameter.at("error"), 1e-6);
    EXPECT_EQ(parameter.at("verdict"), "correct");
  }
}

// Without heads in cross-attention, the encoder has no effect on the loss.
TEST_F(GradcheckCommand, is_not_content_with_checking_nothing) {
  const ProgramResult result =
      run(gradcheck + Arguments{"--set", "attention.heads=0", "--only", "encoder.*"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.output, Not(HasSubstr("all gradients are right")));
  EXPECT_THAT(result.errors, AllOf(HasSubstr("--only encoder.*: nothing to check"),
                                   HasSubstr("only attentions without heads would use them")));
}

}}  // namespace tapehead
