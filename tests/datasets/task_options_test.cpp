// The options of a task: a value of any of the option structs.
#include "datasets/make_task.hpp"
#include "datasets/synthetic/symbols.hpp"
#include "datasets/text/parallel_options.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/synthetic_tasks.hpp"

namespace tapehead { namespace {

TEST(TaskOptions, a_copy_is_a_value_of_its_own_and_another_kind_begins_with_its_defaults) {
  TaskOptions options("two_offsets");
  task_option(options, "first_offset") = 4;
  TaskOptions copy = options;
  task_option(copy, "first_offset") = 5;
  copy.as<SyntheticOptions>().vocabulary = 7;
  EXPECT_EQ(task_option(options, "first_offset"), 4);
  EXPECT_EQ(options.as<SyntheticOptions>().vocabulary, SyntheticOptions{}.vocabulary);
  TaskOptions chosen;
  chosen.as<SyntheticOptions>().vocabulary = 7;
  chosen.choose(task_kind("copy"));
  EXPECT_EQ(chosen.as<SyntheticOptions>().vocabulary, 7);
  chosen.choose(task_kind("sort"));
  EXPECT_EQ(chosen.kind().name, "sort");
  EXPECT_EQ(chosen.as<SyntheticOptions>().vocabulary, SyntheticOptions{}.vocabulary);
  EXPECT_EQ(chosen.find<ParallelTextOptions>(), nullptr);
  EXPECT_THROW(chosen.as<ParallelTextOptions>(), std::logic_error);
}

TEST(TaskKinds, each_has_a_name_and_a_row_for_each_file) {
  std::set<std::string_view> names;
  for (const TaskKind* kind : task_kinds()) {
    EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
    TaskOptions options(*kind);
    std::vector<std::string> files;
    for (const Row& row : rows_of(options)) {
      const std::string option(row.field.name);
      if (row.field.file_order != 0 && option.starts_with("further_")) {
        task_option<std::vector<std::string>>(options, option) = {"path"};
        files.push_back(option + "[0]");
      } else if (row.field.file_order != 0) {
        task_option<std::string>(options, option) = "path";
        files.push_back(option);
      }
    }
    EXPECT_THAT(mapped(data_files(options), &DataFile::option), UnorderedElementsAreArray(files))
        << kind->name;
    EXPECT_NE(files.empty(), kind->name.ends_with("text") || kind->name == "bigrams");
  }
  EXPECT_THAT(message_of<ConfigError>([] { task_kind("translation"); }),
              StartsWith("no task translation; there are copy, reverse, sort, "));
}

TEST(TaskKinds, the_files_of_a_split_stand_together) {
  TaskOptions options("parallel_text");
  auto& text = options.as<ParallelTextOptions>();
  text.train_tsv = text.validation_source = text.validation_target = text.test_tsv = "path";
  text.validation_types = "path";
  EXPECT_THAT(mapped(data_files(options), &DataFile::option),
              ElementsAre("train_tsv", "validation_source", "validation_target", "test_tsv",
                          "validation_types"));
}

TEST(TaskKinds, each_file_of_a_list_has_a_name_of_its_own) {
  TaskOptions options("parallel_text");
  auto& text = options.as<ParallelTextOptions>();
  text.further_sources = {"a.en", "b.en"};
  text.further_types = {"", "b.type"};
  std::vector<std::string> names;
  for (const DataFile& file : data_files(options)) {
    names.push_back(file.option + " " + *file.path);
    *file.path = "found/" + *file.path;
  }
  EXPECT_THAT(names, ElementsAre("further_sources[0] a.en", "further_sources[1] b.en",
                                 "further_types[1] b.type"));
  EXPECT_THAT(text.further_sources, ElementsAre("found/a.en", "found/b.en"));
  EXPECT_THAT(text.further_types, ElementsAre("", "found/b.type"));
}

}}  // namespace tapehead
