// The directory of a sweep: what is resumed, removed and rejected; its plan is read back, and
// rejected if it contradicts itself.
#include "lab/sweep/directory.hpp"

#include "core/files/files.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

TEST(SweepDirectory, what_killed_processes_left_is_removed_and_a_lock_behind_a_link_is_refused) {
  const TemporaryDirectory here;
  lock_sweep(here / "s");
  for (const char* name : {"sweep.json.1-1.tmp", ".shared-0123456789abcdef.tmp", "notes"}) {
    write_file_atomically(here / "s" / name, "");
  }
  lock_sweep(here / "s");
  EXPECT_TRUE(fs::exists(here / "s" / "notes"));
  for (const fs::directory_entry& entry : fs::directory_iterator(here / "s")) {
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  }
  fs::rename(here / "s" / ".sweep.lock", here / "victim");
  const std::string before = read_file(here / "victim");
  fs::create_symlink("../victim", here / "s" / ".sweep.lock");
  EXPECT_THAT(io_error_of([&] { lock_sweep(here / "s"); }),
              HasSubstr(".sweep.lock: it is a symbolic link"));
  EXPECT_EQ(read_file(here / "victim"), before);
}

// Two cells of one axis with one run each.
SweepPlan plan() {
  SweepPlan plan{
      .config = "c.yaml",
      .axes = {"model.heads"},
      .cells = {{"2"}, {"4"}},
      .runs = {{.cell = 0, .name = "two", .overrides = {"model.heads=2"}, .config = {}},
               {.cell = 1, .name = "four", .overrides = {}, .config = {}}},
      .metric = Metric::bleu,
      .split = "test",
      .show = {"parameters"},
      .chapters = {{.question = "Why?", .points = {{"2", ""}, {"4", ""}}, .maps = "cross"}}};
  plan.runs[1].config.seed = 18446744073709551615U;  // the largest seed
  return plan;
}

TEST(SweepRecord, comes_back_as_it_was_written_or_is_refused_if_it_contradicts_itself) {
  const TemporaryDirectory here;
  SweepPlan written = plan();
  written.show.push_back("cross.largest");
  write_sweep_plan(here.path(), written);
  const SweepPlan back = read_sweep_plan(here.path());
  EXPECT_THAT(back.show, ElementsAre("parameters", "cross.confidence"));
  EXPECT_EQ(back.axes, written.axes);
  ASSERT_EQ(back.chapters.size(), 1U);
  EXPECT_EQ(back.chapters[0].question, "Why?");
  EXPECT_EQ(back.chapters[0].points[1].name, "4");
  EXPECT_EQ(back.chapters[0].maps, "cross");
  EXPECT_EQ(back.metric, Metric::bleu);
  ASSERT_EQ(back.runs.size(), 2U);
  EXPECT_EQ(back.runs[0].overrides, written.runs[0].overrides);
  EXPECT_EQ(back.runs[1].cell, 1U);
  EXPECT_EQ(back.runs[1].config.seed, written.runs[1].config.seed);

  const Json good = Json::parse(read_file(here / "sweep.json"));
  const std::vector<std::pair<std::string, Json>> changes{{"/metric", "beauty"},
                                                          {"/metric", 3},
                                                          {"/axes", "model.heads"},
                                                          {"/axes/0", 7},
                                                          {"/cells", Json::object()},
                                                          {"/cells/0", Json::array()},
                                                          {"/cells/0/0", nullptr},
                                                          {"/runs/0/cell", 2},  // of two cells
                                                          {"/runs/0/cell", -1},
                                                          {"/runs/0/cell", 1e300},
                                                          {"/runs/0/name", ".."},
                                                          {"/runs/0/name", "../elsewhere"},
                                                          {"/runs/0/overrides", "x"},
                                                          {"/runs/0/seed", -1},
                                                          {"/show/0", 1},
                                                          {"/chapters", "Why?"},
                                                          {"/chapters/0/maps", nullptr},
                                                          {"/split", nullptr}};
  for (const auto& [place, value] : changes) {
    Json changed = good;
    changed[Json::json_pointer(place)] = value;
    std::ofstream(here / "sweep.json") << changed;
    EXPECT_THAT(io_error_of([&] { read_sweep_plan(here.path()); }),
                AllOf(HasSubstr("sweep.json"), HasSubstr("writes the plan again")))
        << place << " " << value;
  }
  Json older = good;
  older.erase("chapters");
  std::ofstream(here / "sweep.json") << older;
  EXPECT_TRUE(read_sweep_plan(here.path()).chapters.empty());
}

}}  // namespace tapehead
