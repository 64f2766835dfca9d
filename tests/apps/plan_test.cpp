// Compares the estimates of `plan` with the training.
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/program_runs.hpp"
#include "tests/support/testing.hpp"
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

nlohmann::json plan_of(const Arguments& arguments, const ProgramDirectory& here) {
  return nlohmann::json::parse(here.output(arguments));
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
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/" + GetParam() + ".yaml";
  const Arguments set{"training.steps=100", "training.warmup=10", "evaluation.max_extra_length=1",
                      "run.report=false"};
  Arguments plan{"plan", config, "--threads", "1", "--json"};
  Arguments train{"train", config, "--threads", "1", "--run", "a"};
  set_options(plan, set);
  set_options(train, set);
  double predicted = 0;
  double measured = 0;
  const auto is_near = [&] { return std::abs(predicted / measured - 1) <= 0.1; };
  for (int pair = 0; pair == 0 || (pair < 6 && !is_near()); ++pair) {
    const ProgramDirectory here;
    predicted += plan_of(plan, here).at("peak_memory_bytes").get<double>();
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

// With two threads and the page at the end.
TEST(PlanCommand, states_a_range_that_holds_the_peak_of_a_small_training) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer keeps freed memory for a while, and so more of it in a long run";
#endif
  const ProgramDirectory here;
  const std::string config = TAPEHEAD_SOURCE_DIR "/configs/copy.yaml";
  const Arguments set{"training.steps=60", "training.warmup=5", "model.d_model=16",
                      "model.layers=1"};
  Arguments plan{"plan", config, "--threads", "2", "--json"};
  Arguments train{"train", config, "--threads", "2", "--run", "a"};
  set_options(plan, set);
  set_options(train, set);
  const auto range = plan_of(plan, here).at("peak_memory_range_bytes");
  Program program(train, here.path());
  const double peak = peak_of(program);
  ASSERT_EQ(program.wait().exit_code, 0);
  EXPECT_LE(range.at(0).get<double>(), peak);
  EXPECT_GE(range.at(1).get<double>(), peak);
}

// The numbers of configs/copy.yaml as counted by `train`; 11 symbols and 3 marks give a vocabulary
// of 14.
TEST(PlanCommand, gives_every_part_and_the_totals) {
  const ProgramDirectory here;
  const auto json =
      plan_of({"plan", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--threads", "1", "--json"}, here);
  double multiply_adds = 0;
  Index parameters = 0;
  for (const auto& part : json.at("parts")) {
    EXPECT_FALSE(part.at("name").get<std::string>().empty());
    EXPECT_GE(part.at("weight_bytes").get<double>(), 4 * part.at("parameters").get<double>());
    EXPECT_GE(part.at("activation_bytes").get<double>(), 0);
    parameters += part.at("parameters").get<Index>();
    multiply_adds += part.at("multiply_adds").get<double>();
  }
  EXPECT_EQ(json.at("parts").size(), 9U);
  EXPECT_EQ(json.at("total").at("parameters"), parameters);
  EXPECT_EQ(parameters, 2 * 14 * 64 + 14 * 64 + 100'096 + 133'632);
  EXPECT_DOUBLE_EQ(json.at("total").at("multiply_adds").get<double>(), multiply_adds);
  EXPECT_GT(json.at("total").at("activation_bytes").get<double>(), 0);
  EXPECT_GT(json.at("step").at("seconds").get<double>(), 0);
  EXPECT_EQ(json.at("steps"), 600);
  EXPECT_EQ(json.at("steps_per_epoch"), 64);
  EXPECT_FALSE(std::filesystem::exists(here / "runs"));
}

// Saves one number per number of the matrices: six attentions with four (64, 64), four feed-forward
// blocks with (256, 64) and (64, 256).
TEST(PlanCommand, knows_what_muon_keeps) {
  const ProgramDirectory here;
  const auto weight_bytes = [&](const std::string& optimizer) {
    Arguments arguments{"plan", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--threads", "1",
                        "--json"};
    set_options(arguments, {"training.optimizer=" + optimizer});
    return plan_of(arguments, here).at("total").at("weight_bytes").get<double>();
  };
  const double numbers = 6 * 4 * 64 * 64 + 4 * 2 * 64 * 256;
  EXPECT_DOUBLE_EQ(weight_bytes("adamw") - weight_bytes("muon"), 4 * numbers);
}

// For n rows of width d: 3 n d² for query, key and value, n d² for the output; one product forward
// and two backward each.
TEST(PlanCommand, tells_what_attention_consists_of) {
  const ProgramDirectory here;
  const auto plan =
      plan_of({"plan", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml", "--threads", "1", "--json"}, here);
  const double rows = plan["step"]["target_tokens"];
  Index found = 0;
  for (const auto& part : plan["parts"]) {
    if (part.contains("attention")) {
      ++found;
      const auto& of = part["attention"];
      const double layers = 2;
      EXPECT_DOUBLE_EQ(of["output"], layers * 3 * rows * 64 * 64);
      EXPECT_DOUBLE_EQ(of["projections"], 3 * of["output"].get<double>());
      EXPECT_DOUBLE_EQ(
          of["projections"].get<double>() + of["pairs"].get<double>() + of["output"].get<double>(),
          part["multiply_adds"]);
    }
  }
  EXPECT_EQ(found, 3);
}

TEST(PlanCommand, prints_a_table) {
  const ProgramDirectory here;
  Arguments arguments = tiny_training("a");
  arguments.erase(arguments.begin() + 2, arguments.begin() + 4);  // --run a
  arguments.front() = "plan";
  EXPECT_THAT(here.output(arguments),
              AllOf(HasSubstr("encoder self-attention, layer 0"),
                    HasSubstr("\n    scores, weighted values"), HasSubstr("decoder feed-forward"),
                    HasSubstr("\n  all "), HasSubstr("time per step"),
                    ContainsRegex("peak memory +[0-9]+ to [0-9]+ MB\n")));
}

TEST(PlanCommand, says_when_the_time_ends_a_training_before_its_steps) {
  const ProgramDirectory here;
  const auto training = [&](const std::string& steps) {
    Arguments arguments = tiny_training("a", {"training.minutes=0.01", "training.steps=" + steps});
    arguments.erase(arguments.begin() + 2, arguments.begin() + 4);  // --run a
    arguments.front() = "plan";
    const std::string table = here.run(arguments).output;
    arguments.emplace_back("--json");
    return std::pair(table, plan_of(arguments, here));
  };
  const auto [table, plan] = training("10000000");
  EXPECT_THAT(table,
              HasSubstr(" of 10000000 steps, until training.minutes ends it after 0.60 s\n"));
  EXPECT_EQ(plan["steps"], 10000000);
  EXPECT_DOUBLE_EQ(plan["training_seconds"].get<double>(), 0.6);  // 0.01 minutes
  EXPECT_THAT(training("6").first, HasSubstr("  6 steps, "));
}

TEST(PlanCommand, and_train_say_that_a_step_has_the_rate_zero) {
  const ProgramDirectory here;
  Arguments train =
      tiny_training("a", {"training.schedule=cosine", "training.warmup=0", "training.steps=1"});
  Arguments plan = train;
  plan.erase(plan.begin() + 2, plan.begin() + 4);  // --run a
  plan.front() = "plan";
  constexpr const char* zero = " 0 in all of 1 step: no weight changes\n";
  EXPECT_THAT(here.run(plan).output, HasSubstr(zero));
  EXPECT_THAT(here.run(train).errors, HasSubstr(zero));
}

// copy.yaml has four heads.
TEST(PlanCommand, warns_once_of_heads_that_are_copies_as_train_does) {
  const ProgramDirectory here;
  const auto warnings = [&](const Arguments& overrides) {
    Arguments arguments = tiny_training("a", overrides, {"--overwrite"});
    const std::string trained = here.run(arguments).errors;
    EXPECT_EQ(content_of(here / "a/log.txt").find(" are copies ") == std::string::npos,
              trained.find(" are copies ") == std::string::npos);
    arguments.erase(arguments.begin() + 2, arguments.begin() + 4);  // --run a
    arguments.pop_back();
    arguments.front() = "plan";
    const std::string planned = here.run(arguments).errors;
    const std::size_t begin = planned.find("all heads are copies of one head");
    if (begin == std::string::npos) {
      EXPECT_EQ(trained.find(" are copies "), std::string::npos) << trained;
      return std::string();
    }
    const std::string warning = planned.substr(begin, planned.find('\n', begin) - begin);
    EXPECT_EQ(planned.find(" are copies ", begin + warning.size()), std::string::npos);
    EXPECT_THAT(trained, HasSubstr(warning));
    return warning;
  };
  EXPECT_THAT(
      warnings({"attention.sharing=identity"}),
      HasSubstr(" in encoder_self (4 heads of width 16, sharing: identity), decoder_self (4 "
                "heads of width 16, sharing: identity), cross (4 heads of width 16, "
                "sharing: identity): "));
  EXPECT_THAT(warnings({"cross.head_weights=tied"}),
              HasSubstr(" in cross (4 heads of width 4, head_weights: tied): "));
  EXPECT_EQ(warnings({"attention.sharing=identity", "model.heads=1"}), "");
  EXPECT_EQ(warnings({"attention.sharing=identity", "attention.input=narrow"}), "");
}

TEST(PlanCommand, refuses_what_train_refuses_in_the_same_words) {
  const ProgramDirectory here;
  for (const std::string wrong :
       {"model.heads=5", "model.d_modell=8", "training.warmup=900", "model.max_positions=4"}) {
    Arguments arguments{"plan", TAPEHEAD_SOURCE_DIR "/configs/copy.yaml"};
    set_options(arguments, {wrong});
    const ProgramResult planned = here.run(arguments);
    arguments.front() = "train";
    const ProgramResult trained = here.run(arguments);
    EXPECT_NE(planned.exit_code, 0) << wrong;
    EXPECT_EQ(planned.exit_code, trained.exit_code) << wrong;
    EXPECT_EQ(planned.errors, trained.errors) << wrong;
  }
}

}}  // namespace tapehead
