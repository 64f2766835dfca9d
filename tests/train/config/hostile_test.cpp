// Documents that attack a parser: each ends in an error with its place, quickly and with a small
// stack.
#include <pthread.h>

#include <chrono>

#include "tests/support/message_of.hpp"
#include "tests/support/testing.hpp"
#include "train/config/document/document.hpp"

namespace tapehead { namespace {

constexpr std::size_t largest = 1 << 20;  // larger documents are rejected unread

std::string repeated(const std::string& unit) {
  std::string text;
  while (text.size() + unit.size() < largest - 10) {
    text += unit;
  }
  return text;
}

std::string numbered_keys(const std::string& before, const std::string& after) {
  std::string text;
  for (int i = 0; text.size() < largest - 30; ++i) {
    text += before + std::to_string(i) + after;
  }
  return text;
}

std::string outcome(const std::string& text) {
  return message_of<ConfigError>([&] { parse_document(text, "a.yaml"); });
}

// Runs `work` in a thread with a stack much smaller than usual.
void with_small_stack(std::function<void()> work) {
  constexpr std::size_t bytes = 256 * 1024;
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
  pthread_t thread{};
  const auto run = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// If parsing is not linear, a document of this size takes minutes.
std::string outcome_in_time(const std::string& text) {
  constexpr double most_seconds = 20;
  std::string result;
  const auto begin = std::chrono::steady_clock::now();
  with_small_stack([&] { result = outcome(text); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), most_seconds) << text.substr(0, 20);
  return result;
}

TEST(ConfigHostile, nothing_that_is_repeated_overflows_or_takes_long) {
  for (const std::string unit :
       {"[",   "{",  "- ",    "? ", "a: ", "[a: ", "{? ",   "a:\n ",  "!a ", "&a ", "*a ",
        "[1,", "1,", "a b\n", "\"", "#",   "%a\n", "---\n", "a: |\n", "[],", ": "}) {
    const std::string result = outcome_in_time(repeated(unit));
    EXPECT_THAT(result, HasSubstr("a.yaml")) << unit;
    EXPECT_LT(result.size(), 500U) << unit;
  }
}

// Counting columns and comparing keys takes linear, not quadratic, time.
TEST(ConfigHostile, many_values_in_a_line_and_many_keys_are_read) {
  for (const std::string& text :
       {"a: [" + repeated("1,") + "]", "a: [" + repeated("[],") + "]", numbered_keys("k", ": 1\n"),
        "{" + numbered_keys("k", ": 1, ") + "}",
        "{" + numbered_keys("\"k", "\": 1, ") + "\"z\": 1}"}) {
    EXPECT_EQ(outcome_in_time(text), "no error") << text.substr(0, 20);
  }
}

TEST(ConfigHostile, documents_are_refused_at_their_place) {
  const std::string deep = repeated("[");
  const std::string nested = R"({"a": )" + deep.substr(deep.size() / 2) +
                             std::string(deep.size() - deep.size() / 2, ']') + "}";
  EXPECT_EQ(outcome_in_time(nested), "a.yaml:1:22: not JSON: nested too deeply");
  std::string aliases = "a0: &a0 [1, 1]\n";
  for (int i = 1; i < 40; ++i) {
    aliases += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_EQ(outcome(aliases), "a.yaml:1:5: &a0: anchors are not used in configs; write values out");
  EXPECT_EQ(outcome(std::string("seed: 1\nmodel: \0x\n", 17)),
            "a.yaml:2:8: a control character (U+0000)");
  EXPECT_EQ(outcome("seed: 1\nmodel: \xC3(\n"), "a.yaml:2:8: not UTF-8 text");
  EXPECT_EQ(outcome("a: " + std::string(largest, 'x')),
            "a.yaml: larger than 1 MiB, so not a config");
}

}}  // namespace tapehead
