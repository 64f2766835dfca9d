// Events: the same bytes as TensorBoard's messages, and text escaped for Markdown.
#include "train/events/event.hpp"
#include "tests/support/event_reader.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { namespace {

std::string hexadecimal(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return digits;
}

TEST(WireMessages, have_the_bytes_of_their_definition) {
  // protobuf.dev/programming-guides/encoding: "A Simple Message", "Length-Delimited Records" and
  // "Submessages".
  EXPECT_EQ(hexadecimal(WireMessage().integer(1, 150).encoded()), "089601");
  EXPECT_EQ(hexadecimal(WireMessage().bytes(2, "testing").encoded()), "120774657374696e67");
  EXPECT_EQ(hexadecimal(WireMessage().message(3, WireMessage().integer(1, 150)).encoded()),
            "1a03089601");
}

WireMessage example_summary() {
  const std::vector<std::string> texts{"a", "b"};
  WireMessage summary;
  add_scalar(summary, "train/loss", 0.1);
  add_texts(summary, "samples", texts);
  return summary;
}

// Bytes serialised by tensorboard 2.21.0 (tensorboard.compat.proto.event_pb2).
TEST(Events, have_the_bytes_of_tensorboard) {
  EXPECT_EQ(hexadecimal(format_event({.seconds = 1.5, .step = 301})),
            "09000000000000f83f10ad021a0d627261696e2e4576656e743a32");
  EXPECT_EQ(hexadecimal(start_event({.seconds = 1.5, .step = 301})),
            "09000000000000f83f10ad023a020801");
  EXPECT_EQ(hexadecimal(summary_event({.seconds = 1.5, .step = 300}, example_summary())),
            "09000000000000f83f10ac022a400a110a0a747261696e2f6c6f737315cdcccc3d0a2b0a0773616d706c65"
            "734216080712041202080242052020202061420520202020624a080a060a0474657874");
}

TEST(Events, are_what_a_reader_expects) {
  const ReadEvent event = to_event(summary_event({.seconds = 1.5, .step = 300}, example_summary()));
  EXPECT_EQ(event.seconds, 1.5);
  EXPECT_EQ(event.step, 300U);
  EXPECT_EQ(event.scalars.at("train/loss"), 0.1F);
  EXPECT_EQ(event.texts.at("samples"), (std::vector<std::string>{"    a", "    b"}));
}

TEST(Events, know_their_step) {
  for (const Index step : {Index{0}, Index{1}, Index{127}, Index{128}, Index{300},
                           std::numeric_limits<Index>::max()}) {
    EXPECT_EQ(step_of_event(format_event({.seconds = 1e9, .step = step})), step);
    EXPECT_EQ(step_of_event(summary_event({.seconds = 1e9, .step = step}, example_summary())),
              step);
  }
  const std::string event = format_event({.seconds = 1e9, .step = 300});
  for (std::size_t size = 0; size <= 11; ++size) {  // a key, 8 bytes, a key and a two-byte value
    EXPECT_EQ(step_of_event(event.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(step_of_event("an event of another program"), std::nullopt);
}

TEST(Events, show_texts_as_code_blocks_of_utf_8) {
  const std::vector<std::string> texts{"# 1\n*2*\r\n", "\xc3\xbc\xff\xe2\x82", ""};
  WireMessage summary;
  add_texts(summary, "a", texts);
  EXPECT_THAT(to_event(summary_event({}, summary)).texts.at("a"),
              ElementsAre("    # 1\n    *2*\r    \n    ",
                          "    \xc3\xbc\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", "    "));
}

}}  // namespace tapehead
