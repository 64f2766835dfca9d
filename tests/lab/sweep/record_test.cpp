// The stored plan of a sweep is read back, and rejected if it contradicts itself.
#include "core/files/json_text.hpp"
#include "lab/sweep/directory.hpp"

#include "core/files/files.hpp"
#include "tests/support/io_error.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

// Two cells of one axis with one run each.
SweepPlan plan() {
  SweepPlan plan{.config = "c.yaml",
                 .axes = {"model.heads"},
                 .cells = {{"2"}, {"4"}},
                 .runs = {{.cell = 0, .name = "two", .overrides = {"model.heads=2"}, .config = {}},
                          {.cell = 1, .name = "four", .overrides = {}, .config = {}}},
                 .metric = Metric::bleu,
                 .split = "test",
                 .show = {"parameters"}};
  plan.runs[1].config.seed = 18446744073709551615U;  // the largest seed
  return plan;
}

TEST(SweepRecord, comes_back_as_it_was_written) {
  const TemporaryDirectory here;
  SweepPlan written = plan();
  written.show.push_back("cross.largest");
  write_sweep_plan(here.path(), written);
  const SweepPlan back = read_sweep_plan(here.path());
  EXPECT_EQ(back.show, (std::vector<std::string>{"parameters", "cross.confidence"}));
  EXPECT_EQ(back.axes, plan().axes);
  EXPECT_EQ(back.metric, Metric::bleu);
  ASSERT_EQ(back.runs.size(), 2U);
  EXPECT_EQ(back.runs[0].overrides, plan().runs[0].overrides);
  EXPECT_EQ(back.runs[1].cell, 1U);
  EXPECT_EQ(back.runs[1].config.seed, plan().runs[1].config.seed);
}

TEST(SweepRecord, that_contradicts_itself_is_refused) {
  const TemporaryDirectory here;
  write_sweep_plan(here.path(), plan());
  const Json good = Json::parse(read_file(here / "sweep.json"));
  for (const auto& [place, value] :
       std::vector<std::pair<std::string, Json>>{{"/metric", "beauty"},
                                                 {"/metric", 3},
                                                 {"/axes", "model.heads"},
                                                 {"/axes/0", 7},
                                                 {"/cells", Json::object()},
                                                 {"/cells/0", Json::array()},
                                                 {"/cells/0/0", nullptr},
                                                 {"/runs/0/cell", 2},  // of two cells
                                                 {"/runs/0/cell", -1},
                                                 {"/runs/0/cell", 1e300},
                                                 {"/runs/0/name", "../elsewhere"},
                                                 {"/runs/0/name", ".."},
                                                 {"/runs/0/seed", -1},
                                                 {"/runs/0/overrides", "x"},
                                                 {"/show/0", 1},
                                                 {"/split", nullptr}}) {
    Json changed = good;
    changed[Json::json_pointer(place)] = value;
    std::ofstream(here / "sweep.json") << changed;
    EXPECT_THAT(io_error_of([&] { read_sweep_plan(here.path()); }),
                AllOf(HasSubstr("sweep.json"), HasSubstr("writes the plan again")))
        << place << " " << value;
  }
}

}}  // namespace tapehead
