// Config files: the shipped configs load, missing files are named, and the reference is up to date.
#include "tests/support/temporary_directory.hpp"
#include "tests/support/testing.hpp"
#include "train/config/config.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

const fs::path root = TAPEHEAD_SOURCE_DIR;

std::string load_error(const fs::path& file) {
  try {
    load_config(file);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ConfigFiles, the_shipped_configs_load) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(root / "configs")) {
    if (entry.path().extension() != ".yaml") {
      continue;
    }
    EXPECT_EQ(load_error(entry.path()), "accepted");
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(ConfigFiles, overrides_and_origins_come_with_the_file) {
  const fs::path file = root / "configs" / "copy.yaml";
  const LoadedConfig loaded = load_config(file, {"seed=77"});
  EXPECT_EQ(loaded.config.seed, 77U);
  EXPECT_EQ(loaded.origins.at("seed"), "--set");
  EXPECT_THAT(loaded.origins.at("task.name"), HasSubstr(file.string() + ":"));
}

TEST(ConfigFiles, a_file_that_is_not_there_is_named_with_the_nearest) {
  const std::string file = (root / "configs" / "cpoy.yaml").string();
  EXPECT_EQ(load_error(file), file + ": no such file; did you mean " +
                                  (root / "configs" / "copy.yaml").string() + "?");
  EXPECT_EQ(load_error("/nowhere/a.yaml"), "/nowhere/a.yaml: no such file");
  EXPECT_EQ(load_error(""), ": no such file");
}

TEST(ConfigFiles, a_directory_is_no_config) {
  EXPECT_THAT(load_error(root / "configs"), EndsWith("configs: a directory, not a config file"));
}

// read(2) at the start of this file fails with EIO.
TEST(ConfigFiles, a_file_that_cannot_be_read_is_not_an_empty_or_missing_one) {
  EXPECT_EQ(load_error("/proc/self/mem"), "/proc/self/mem: cannot be read: Input/output error");
  const TemporaryDirectory here;
  fs::create_symlink("loop.yaml", here / "loop.yaml");
  EXPECT_THAT(load_error(here / "loop.yaml"),
              EndsWith("loop.yaml: cannot be read: Too many levels of symbolic links"));
}

TEST(ConfigFiles, endless_input_is_refused) {
  EXPECT_EQ(load_error("/dev/zero"), "/dev/zero: larger than 1 MiB, so not a config");
}

TEST(ConfigFiles, the_reference_is_fresh) {
  std::ifstream stream(root / "docs" / "config.md");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_TRUE(page == config_reference())
      << "docs/config.md is stale: run ./dev config --reference > docs/config.md";
}

}}  // namespace tapehead
