// Events: the same checksums, records and messages as TensorBoard's, the records that remain after
// each kind of damage, and text escaped for Markdown.
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
  const std::string summary = summary_event({.seconds = 1.5, .step = 300}, example_summary());
  EXPECT_EQ(hexadecimal(summary),
            "09000000000000f83f10ac022a400a110a0a747261696e2f6c6f737315cdcccc3d0a2b0a0773616d706c65"
            "734216080712041202080242052020202061420520202020624a080a060a0474657874");
  const ReadEvent event = to_event(summary);
  EXPECT_EQ(event.seconds, 1.5);
  EXPECT_EQ(event.step, 300U);
  EXPECT_EQ(event.scalars.at("train/loss"), 0.1F);
  EXPECT_THAT(event.texts.at("samples"), ElementsAre("    a", "    b"));
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

const std::string two_records = to_record("first") + to_record("second");

TEST(Records, are_read_as_they_were_written) {
  // Bytes from RecordWriter of tensorboard 2.21.0 (tensorboard.summary.writer.record_writer).
  const std::string_view record("\x08\0\0\0\0\0\0\0\xff\x86\x24\x0ftapehead\xa5\x04\x4d\xc3", 24);
  EXPECT_EQ(to_record("tapehead"), record);
  const Records records = read_records(two_records);
  EXPECT_THAT(records.contents, ElementsAre("first", "second"));
  EXPECT_THAT(records.rest, IsEmpty());
  EXPECT_FALSE(records.damaged);
  EXPECT_THAT(read_records("").contents, IsEmpty());
  EXPECT_THAT(read_records(to_record("")).contents, ElementsAre(""));
}

TEST(Records, end_anywhere_and_show_every_flipped_bit) {
  const std::size_t first = to_record("first").size();
  for (std::size_t size = first; size < two_records.size(); ++size) {
    const std::string bytes = two_records.substr(0, size);
    const Records records = read_records(bytes);
    EXPECT_THAT(records.contents, ElementsAre("first")) << size;
    EXPECT_EQ(records.rest, std::string_view(bytes).substr(first));
    EXPECT_FALSE(records.damaged);
  }
  for (std::size_t bit = 8 * first; bit < 8 * two_records.size(); ++bit) {
    std::string bytes = two_records;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const Records records = read_records(bytes);
    EXPECT_THAT(records.contents, ElementsAre("first")) << bit;
    EXPECT_TRUE(records.damaged);
  }
}

TEST(Crc32c, equals_the_examples_of_its_standard) {
  std::string ascending(32, '\0');
  std::iota(ascending.begin(), ascending.end(), '\0');
  // RFC 3720, appendix B.4; the first value is the check value in CRC catalogues.
  const std::vector<std::pair<std::string, std::uint32_t>> examples{
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {ascending, 0x46dd794e},
      {{ascending.rbegin(), ascending.rend()}, 0x113fdb5c},
      {"", 0}};
  for (const auto& [bytes, checksum] : examples) {
    EXPECT_EQ(crc32c(bytes), checksum);
  }
}

}}  // namespace tapehead
