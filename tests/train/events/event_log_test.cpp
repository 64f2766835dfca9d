// The event log: numbers written as scalars, and old event files after a resume.
#include "train/events/event_log.hpp"
#include "core/files/json_text.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

class EventLogs : public Test {
 protected:
  // Logs the steps from `from` to `to`, as after a resume.
  void train(Index from, Index to) {
    truncate_event_files(here.path(), from);
    EventLog log(here.path(), from, "seed: 1\n");
    for (Index step = from + 1; step <= to; ++step) {
      log.write(Json{{"step", step}, {"loss", 1.0 / static_cast<double>(step)}});
    }
  }
  std::vector<std::uint64_t> steps() const {
    return mapped(measured(read_events(here.path())), &ReadEvent::step);
  }
  fs::path last_file() const { return *event_files_of(here.path()).rbegin(); }

  TemporaryDirectory here;
};

TEST_F(EventLogs, every_number_of_a_line_is_a_scalar) {
  EventLog log(here.path(), 0, "seed: 1\n");
  EXPECT_THAT(event_files_of(here.path()), IsEmpty());
  log.write(Json{{"step", 1}, {"loss", 0.1}, {"tokens", 7}, {"note", "a"}, {"list", {1, 2}}});
  EXPECT_THAT(read_events(here.path()), SizeIs(4)) << "a line is in the file at once";
  log.write(Json{{"step", 1},
                 {"split", "validation"},
                 {"bleu", 12.5},
                 {"perplexity", std::numeric_limits<double>::infinity()}},
            {"a", "b"});
  const std::vector<ReadEvent> events = read_events(here.path());
  ASSERT_THAT(events, SizeIs(5));
  EXPECT_EQ(events[0].format, "brain.Event:2");
  EXPECT_TRUE(events[1].start);
  EXPECT_EQ(events[1].step, 1U);
  EXPECT_EQ(events[2].step, 0U);
  EXPECT_THAT(events[2].texts.at("config"), ElementsAre("    seed: 1\n    "));
  EXPECT_THAT(events[3].scalars, ElementsAre(Pair("train/loss", 0.1F), Pair("train/tokens", 7)));
  EXPECT_THAT(events[4].scalars,
              ElementsAre(Pair("validation/bleu", 12.5F),
                          Pair("validation/perplexity", std::numeric_limits<float>::infinity())));
  EXPECT_THAT(events[4].texts.at("validation/samples"), ElementsAre("    a", "    b"));
}

TEST_F(EventLogs, a_resume_removes_later_events) {
  train(0, 6);
  train(4, 9);
  EXPECT_THAT(event_files_of(here.path()), SizeIs(2));
  EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
  const std::string first = content_of(*event_files_of(here.path()).begin());
  train(8, 10);
  EXPECT_EQ(content_of(*event_files_of(here.path()).begin()), first);
  EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  const ReadEvent start = read_event_file(last_file()).at(1);
  EXPECT_TRUE(start.start);
  EXPECT_EQ(start.step, 9U);
  train(4, 5);
  EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(event_files_of(here.path()), SizeIs(4));
  const std::string last = content_of(last_file());
  train(5, 5);  // is finished
  EXPECT_THAT(event_files_of(here.path()), SizeIs(4));
  EXPECT_EQ(content_of(last_file()), last);
}

TEST_F(EventLogs, of_a_file_begun_too_late_only_its_format_stays) {
  train(0, 3);
  train(2, 4);
  const fs::path file = last_file();
  for (const Index step : {2, 1}) {
    train(step, 4);
    const std::vector<ReadEvent> events = read_event_file(file);
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_EQ(events[0].format, "brain.Event:2");
  }
  EXPECT_THAT(steps(), ElementsAre(1, 2, 3, 4));
}

TEST_F(EventLogs, a_file_that_ends_anywhere_or_is_damaged_is_continued) {
  train(0, 3);
  const fs::path file = last_file();
  const std::string whole = content_of(file);
  for (std::size_t size = whole.size(); size > 0; size -= std::min<std::size_t>(size, 13)) {
    const Logged logged;
    std::ofstream(file, std::ios::binary) << whole.substr(0, size);
    truncate_event_files(here.path(), 9);
    for (const ReadEvent& event : read_events(here.path())) {  // throws for an incomplete event
      EXPECT_LE(event.step, 3U);
    }
    EXPECT_EQ(logged.text(), "");
  }
  EXPECT_THAT(read_event_file(file), IsEmpty());
  std::string damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  std::ofstream(file, std::ios::binary) << damaged;
  const Logged logged;
  truncate_event_files(here.path(), 3);
  EXPECT_THAT(logged.text(),
              HasSubstr("an event is damaged; this event and all that follow are left out"));
  EXPECT_THAT(steps(), ElementsAre(1, 2));
}

TEST_F(EventLogs, are_in_order_though_the_clock_is_set_back_and_need_a_directory) {
  const fs::path future = here / (std::string(event_file_prefix) + "9999999999999");
  std::ofstream(future) << "";
  const fs::path next = next_event_file(here.path());
  EXPECT_LT(future, next);
  EXPECT_FALSE(fs::exists(next));
  EventLog log(here / "none", 0, "");
  EXPECT_EQ(io_error_of([&] { log.write(Json{{"step", 1}, {"loss", 1}}); }),
            "cannot read " + (here / "none").string() + ": No such file or directory");
}

}}  // namespace tapehead
