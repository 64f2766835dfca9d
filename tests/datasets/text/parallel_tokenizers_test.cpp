// The tokenizers of parallel text: nothing is lost silently, and impossible requests give an error
// with place and remedy.
#include "datasets/text/parallel_options.hpp"

#include "core/text.hpp"
#include "tests/support/logged.hpp"
#include "tests/support/message_of.hpp"

namespace tapehead { namespace {

using Lines = std::vector<std::string>;

class ParallelTokenizers : public TestWithParam<TokenizerKind> {
 protected:
  ParallelTokenizers() {
    options_.tokenizer = GetParam();
    options_.train_source = "t.en";
    options_.train_target = "t.de";
  }

  // Makes tokenizers with the same lines on both sides.
  Tokenizers make(const Lines& lines) const {
    return make_parallel_tokenizers({.source = lines, .target = lines}, options_);
  }
  std::string complaint(const Lines& lines) const {
    return message_of<DataError>([&] { make(lines); });
  }

  ParallelTextOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Pieces, ParallelTokenizers,
                         Values(TokenizerKind::bpe, TokenizerKind::unigram),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(ParallelTokenizers, write_letters_inside_marks_and_long_runs_without_a_space_back) {
  std::string run;
  for (int i = 0; i < 40000; ++i) {  // bpe fails at 32,700 characters, every kind at 65,536
    run += "あ";
  }
  options_.max_length = 100000;
  for (const auto& [vocabulary, lines] :
       {std::pair<Index, Lines>{17,  // 3 marks, 13 characters and the space
                                {"ab ba", "x<s>y </s>", "<unk>qr", "ba ab"}},
        {8, {"ab ba", run}}}) {
    options_.vocabulary = vocabulary;
    const Tokenizers made = make(lines);
    for (const std::string& line : lines) {
      for (const auto& side : {made.source, made.target}) {
        EXPECT_THAT(side->encode(line), Not(Contains(unknown_id))) << line;
        EXPECT_EQ(side->decode(side->encode(line)), line);
      }
    }
  }
}

TEST_P(ParallelTokenizers, a_character_that_cannot_be_written_is_refused_with_its_place) {
  options_.vocabulary = 10;
  for (const auto& [character, reason] :
       {std::pair<std::string, std::string>{"\u2585", "unknown text"}, {"\u2581", "a space"}}) {
    EXPECT_THAT(complaint({"ab ba", "ba ab", "zoo " + character + " q", character + "ba ab"}),
                AllOf(HasSubstr("t.en:3: "), HasSubstr("`" + shown(character) + "` 2 times"),
                      HasSubstr(reason), HasSubstr("task.character_coverage")));
  }
  options_.vocabulary = 7;
  EXPECT_THAT(complaint({"ab ba", "ba ab", std::string("a\0b", 3)}),
              AllOf(HasSubstr("t.en:3: "), HasSubstr("a NUL byte")));
  options_.vocabulary = 20;
  EXPECT_THAT(complaint({"", "  "}), HasSubstr("none of the 2 pairs"));
  options_.character_coverage = 0.99;
  EXPECT_THAT(complaint({"\u2585"}), HasSubstr("the lines contain no text"));
}

TEST_P(ParallelTokenizers, with_less_coverage_it_alone_becomes_unknown_and_is_told) {
  options_.character_coverage = 0.999;
  options_.vocabulary = 10;
  const Logged logged;
  const Tokenizers made = make({"ab ba", "zoo \u2585 q", "ba ab"});
  EXPECT_THAT(made.source->encode("zoo q"), Not(Contains(unknown_id)));
  EXPECT_THAT(logged.text(), AllOf(HasSubstr("`\u2585` 1 time, first at t.en:2"),
                                   HasSubstr("they become unknown tokens")));
}

TEST_P(ParallelTokenizers, are_not_trained_on_what_is_dropped_and_take_a_tab_for_a_space) {
  options_.vocabulary = 6;  // 3 marks, 2 letters and the space
  const Tokenizers tabs = make({"ab ba", "ba\tab", "\tab\t"});
  for (const auto& side : {tabs.source, tabs.target}) {
    EXPECT_EQ(side->encode("ba\tab"), side->encode("ba ab"));
    EXPECT_EQ(side->decode(side->encode("\tba\t ab")), "ba ab");
  }
  options_.max_length = 3;
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
                                  HasSubstr("a size that suits both")));
  options_.joint_vocabulary = true;
  EXPECT_THAT(complain(5), AllOf(HasSubstr("t.en and t.de: "), HasSubstr("to 15 or more")));
  EXPECT_EQ(complain(15), "no error");
}

}}  // namespace tapehead
