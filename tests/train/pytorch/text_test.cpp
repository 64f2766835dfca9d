// The texts that generated Python is made of: parts with conditions, expressions, names,
// docstrings.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "core/errors.hpp"
#include "tests/support/message_of.hpp"
#include "train/pytorch/expression.hpp"
#include "train/pytorch/known_options.hpp"
#include "train/pytorch/part.hpp"
#include "train/pytorch/python_text.hpp"

namespace tapehead { namespace {

TEST(PythonPart, keeps_the_lines_whose_conditions_hold) {
  const PartValues values{.conditions = {{"yes", true}, {"no", false}}, .places = {}};
  EXPECT_EQ(fill_part("a\n#if yes\nb\n#else\nc\n#end\n", values), "a\nb\n");
  EXPECT_EQ(fill_part("#if no\nb\n#if yes\nc\n#end\n#else\nd\n#end\n", values), "d\n");
  EXPECT_EQ(fill_part("#if no and yes or not no\nb\n#end\n", values), "b\n");
  EXPECT_EQ(fill_part("  #if no or yes and not yes\nb\n  #end\n", values), "");
  EXPECT_THROW(fill_part("#if maybe\n#end\n", values), std::logic_error);
}

TEST(PythonPart, fills_places) {
  const PartValues values{.conditions = {},
                          .places = {{"name", "Layer"}, {"lines", "one\ntwo"}, {"nothing", ""}}};
  EXPECT_EQ(fill_part("class $name(nn.Module):\n", values), "class Layer(nn.Module):\n");
  EXPECT_EQ(fill_part("    $lines\n", values), "    one\n    two\n");
  EXPECT_EQ(fill_part("a\n\n    $nothing\nb$nothing\n", values), "a\n\nb\n");
  EXPECT_THROW(fill_part("$other\n", values), std::logic_error);
}

TEST(PythonExpression, is_on_one_line_if_it_fits) {
  const Expression call{.open = "f(", .items = {{.open = "a=1"}, {.open = "b=2"}}, .close = ")"};
  EXPECT_EQ(text_of(call, 12, 0), "f(a=1, b=2)");  // 11 columns and a comma
  EXPECT_EQ(text_of(call, 11, 0), "f(\n    a=1,\n    b=2,\n)");
  const Expression list{.open = "[", .items = {call}, .close = "]", .after = "for _ in range(2)"};
  EXPECT_EQ(text_of(list, 80, 0), "[f(a=1, b=2) for _ in range(2)]");
  EXPECT_EQ(text_of(list, 20, 0), "[\n    f(a=1, b=2)\n    for _ in range(2)\n]");
}

TEST(KnownOptions, refuses_others_by_name) {
  using Options = std::vector<ChangedOption>;
  const auto complaint = [](const ChangedOption& option) {
    return message_of<ConfigError>([&] { expect_known({option}); });
  };
  EXPECT_NO_THROW(expect_known(Options{{"model", "norm", "rms_norm"},
                                       {"cross", "pattern", "[[window 2 0 top_k 1], [full]]"},
                                       {"cross", "shared_as", "[a, \"b\"]"}}));
  EXPECT_EQ(complaint({"model", "norm", "no_such_norm"}),
            "model.norm: no_such_norm: there is no PyTorch for it yet");
  EXPECT_EQ(complaint({"cross", "score", "[[dot, other]]"}),
            "cross.score: [[dot, other]]: there is no PyTorch for it yet");
  EXPECT_EQ(complaint({"model", "no_such_option", "3"}),
            "model.no_such_option: 3: there is no PyTorch for it yet");
}

TEST(PythonText, ends_no_docstring_and_escapes_nothing_by_accident) {
  EXPECT_EQ(docstring_text("shared_as: \"b\""), "shared_as: \"b\"");
  EXPECT_EQ(docstring_text("a\\n"), "a\\\\n");
  EXPECT_EQ(docstring_text("a\\\"b"), "a\\\\\"b");
  EXPECT_EQ(docstring_text("a\"\"\"b"), "a\\\"\\\"\\\"b");
}

TEST(PythonText, mentions_whole_names_that_are_no_members) {
  EXPECT_TRUE(mentions("y = split(x)", "split"));
  EXPECT_TRUE(mentions("(-inf)", "inf"));
  EXPECT_FALSE(mentions("y = x.split(2) + splits", "split"));
}

TEST(PythonText, wraps_between_words) {
  EXPECT_EQ(wrapped({"aa", "bb", "cc"}, 5, 2), "aa bb\n  cc");
  EXPECT_EQ(wrapped({"longer", "b"}, 3, 0), "longer\nb");
}

}}  // namespace tapehead
