// The tokenizers of parallel text: nothing is lost silently, and impossible requests give an error
// with place and remedy.
#include "datasets/text/parallel_tokenizers.hpp"

#include "core/text.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

class ParallelTokenizers : public TestWithParam<TokenizerKind> {
 protected:
  ParallelTokenizers() {
    options_.tokenizer = GetParam();
    options_.train_source = "t.en";
    options_.train_target = "t.de";
    options_.vocabulary = 20;
  }

  // Makes tokenizers with the same lines on both sides.
  Tokenizers make(const std::vector<std::string>& lines) const {
    return make_parallel_tokenizers({.source = lines, .target = lines}, options_);
  }
  std::string complaint(const std::vector<std::string>& lines) const {
    return message_of<DataError>([&] { make(lines); });
  }
  static void expect_written_back(const Tokenizers& tokenizers,
                                  const std::vector<std::string>& lines) {
    for (const std::string& line : lines) {
      for (const auto& side : {tokenizers.source, tokenizers.target}) {
        EXPECT_THAT(side->encode(line), Not(Contains(unknown_id))) << line;
        EXPECT_EQ(side->decode(side->encode(line)), line);
      }
    }
  }

  ParallelTextOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Pieces, ParallelTokenizers,
                         Values(TokenizerKind::bpe, TokenizerKind::unigram), [](const auto& kind) {
                           return kind.param == TokenizerKind::bpe ? "bpe" : "unigram";
                         });

TEST_P(ParallelTokenizers, letters_inside_marks_are_known) {
  options_.vocabulary = 17;  // 3 marks, 13 characters and the space
  const std::vector<std::string> lines{"ab ba", "x<s>y </s>", "<unk>qr", "ba ab"};
  expect_written_back(make(lines), lines);
}

TEST_P(ParallelTokenizers, a_character_that_cannot_be_written_is_refused_with_its_place) {
  options_.vocabulary = 10;
  const std::pair<std::string, std::string> reserved[]{{"\u2585", "unknown text"},
                                                       {"\u2581", "a space"}};
  for (const auto& [character, reason] : reserved) {
    EXPECT_THAT(complaint({"ab ba", "ba ab", "zoo " + character + " q", character + "ba ab"}),
                AllOf(HasSubstr("t.en:3: "), HasSubstr("`" + shown(character) + "` 2 times"),
                      HasSubstr(reason), HasSubstr("task.character_coverage")));
  }
  options_.vocabulary = 7;
  EXPECT_THAT(complaint({"ab ba", "ba ab", std::string("a\0b", 3)}),
              AllOf(HasSubstr("t.en:3: "), HasSubstr("a NUL byte")));
}

TEST_P(ParallelTokenizers, a_tab_is_a_space) {
  options_.vocabulary = 6;  // 3 marks, 2 letters and the space
  const Tokenizers made = make({"ab ba", "ba\tab", "\tab\t"});
  for (const auto& side : {made.source, made.target}) {
    EXPECT_EQ(side->encode("ba\tab"), side->encode("ba ab"));
    EXPECT_EQ(side->decode(side->encode("\tba\t ab")), "ba ab");
  }
}

TEST_P(ParallelTokenizers, with_less_coverage_it_alone_becomes_unknown_and_is_told) {
  options_.character_coverage = 0.999;
  options_.vocabulary = 10;
  const Logged logged;
  const Tokenizers made = make({"ab ba", "zoo \u2585 q", "ba ab"});
  EXPECT_THAT(made.source->encode("zoo q"), Not(Contains(unknown_id)));
  EXPECT_THAT(logged.text(), HasSubstr("`\u2585` 1 time, first at t.en:2"));
  EXPECT_THAT(logged.text(), HasSubstr("they become unknown tokens"));
}

TEST_P(ParallelTokenizers, long_runs_without_a_space_train) {
  std::string run;
  for (int i = 0; i < 40000; ++i) {  // bpe fails at 32,700 characters, every kind at 65,536
    run += "あ";
  }
  options_.vocabulary = 8;
  options_.max_length = 100000;
  const std::vector<std::string> lines{"ab ba", run};
  expect_written_back(make(lines), lines);
}

TEST_P(ParallelTokenizers, are_not_trained_on_what_is_dropped_in_any_case) {
  options_.max_length = 3;
  options_.vocabulary = 6;  // 3 marks, 2 characters and the space
  const Tokenizers made = make({"a b", "q q q q", "b a"});
  EXPECT_THAT(made.source->encode("q"), Contains(unknown_id));
  EXPECT_THAT(complaint({"q q q q", ""}), HasSubstr("t.en: none of the 2 pairs can be trained on"));
}

TEST_P(ParallelTokenizers, the_sizes_that_are_possible_are_named_by_side_and_are_possible) {
  options_.joint_vocabulary = false;
  const AlignedText text{.source = {"abc def ghi", "ab cd ef gh"}, .target = {"x y", "y x"}};
  const auto complain = [&](Index vocabulary) {
    options_.vocabulary = vocabulary;
    return message_of<DataError>([&] { make_parallel_tokenizers(text, options_); });
  };
  EXPECT_THAT(complain(6),
              AllOf(HasSubstr("source side, t.en: cannot train"),
                    HasSubstr("marks alone take 13 entries; set task.vocabulary to 13 or more"),
                    Not(HasSubstr("target side"))));
  EXPECT_THAT(complain(12), AllOf(HasSubstr("source side"), HasSubstr("target side, t.de"),
                                  HasSubstr("one that suits both")));
  options_.joint_vocabulary = true;
  EXPECT_THAT(complain(5), AllOf(HasSubstr("t.en and t.de: "), HasSubstr("to 15 or more")));
  EXPECT_EQ(complain(15), "no error");
}

TEST_P(ParallelTokenizers, text_without_a_character_is_refused) {
  EXPECT_THAT(complaint({"", "  "}), HasSubstr("none of the 2 pairs"));
  options_.character_coverage = 0.99;
  EXPECT_THAT(complaint({"\u2585"}), HasSubstr("they contain no text"));
}

}}  // namespace tapehead
