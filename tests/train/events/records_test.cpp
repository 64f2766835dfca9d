// Records: TensorBoard's bytes, and the records that remain after each kind of damage.
#include "tests/support/event_reader.hpp"
#include "tests/support/testing.hpp"
#include "train/events/event.hpp"

namespace tapehead { namespace {

const std::string two_records = to_record("first") + to_record("second");

TEST(Records, a_record_has_the_bytes_of_tensorboard) {
  // Bytes from RecordWriter of tensorboard 2.21.0 (tensorboard.summary.writer.record_writer).
  const std::string_view record("\x08\0\0\0\0\0\0\0\xff\x86\x24\x0ftapehead\xa5\x04\x4d\xc3", 24);
  EXPECT_EQ(to_record("tapehead"), record);
}

TEST(Records, are_read_as_they_were_written) {
  const Records records = read_records(two_records);
  EXPECT_THAT(records.contents, ElementsAre("first", "second"));
  EXPECT_THAT(records.rest, IsEmpty());
  EXPECT_FALSE(records.damaged);
  std::string_view bytes = two_records;
  EXPECT_EQ(take_record(bytes), "first");
  EXPECT_EQ(take_record(bytes), "second");
  EXPECT_THAT(read_records("").contents, IsEmpty());
  EXPECT_THAT(read_records(to_record("")).contents, ElementsAre(""));
}

TEST(Records, a_file_may_end_anywhere) {
  const std::size_t first = to_record("first").size();
  for (std::size_t size = first; size < two_records.size(); ++size) {
    const std::string bytes = two_records.substr(0, size);
    const Records records = read_records(bytes);
    EXPECT_THAT(records.contents, ElementsAre("first")) << size;
    EXPECT_EQ(records.rest, std::string_view(bytes).substr(first));
    EXPECT_FALSE(records.damaged);
  }
}

TEST(Records, every_flipped_bit_is_seen) {
  const std::size_t first = to_record("first").size();
  for (std::size_t bit = 8 * first; bit < 8 * two_records.size(); ++bit) {
    std::string bytes = two_records;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    const Records records = read_records(bytes);
    EXPECT_THAT(records.contents, ElementsAre("first")) << bit;
    EXPECT_TRUE(records.damaged);
  }
}

}}  // namespace tapehead
