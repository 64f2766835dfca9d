// Runs the unittest scripts for the package python/tapehead (training, reading and using runs) and
// shows the tracebacks of failures.
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

void expect_passes(const std::string& script) {
  const TemporaryDirectory here;
  const ProgramResult result =
      run_script("/usr/bin/env",
                 {"PYTHONPATH=" TAPEHEAD_SOURCE_DIR "/python", "/usr/bin/python3", "-B",
                  TAPEHEAD_SOURCE_DIR "/tests/python/" + script},
                 here.path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.errors.find("\nOK"), std::string::npos) << result.errors;
}

TEST(Python, trains_and_reads_runs) { expect_passes("run_test.py"); }

TEST(Python, uses_models) { expect_passes("use_test.py"); }

TEST(Python, takes_values_of_numpy_and_pandas_and_shows_frames) { expect_passes("values_test.py"); }

TEST(Python, keeps_runs_open) { expect_passes("open_test.py"); }

TEST(Python, shows_results_in_notebooks) { expect_passes("shown_test.py"); }

TEST(Python, gives_what_heads_do_with_a_text) { expect_passes("attention_test.py"); }

TEST(Python, shows_a_run_on_a_live_page) { expect_passes("show_test.py"); }

TEST(Python, says_what_is_wrong) { expect_passes("errors_test.py"); }

TEST(Python, has_a_notebook_that_runs) { expect_passes("notebook_test.py"); }

TEST(Python, has_the_json_that_its_page_describes) { expect_passes("docs_test.py"); }

}}  // namespace tapehead
