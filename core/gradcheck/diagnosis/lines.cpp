#include "core/gradcheck/diagnosis/lines.hpp"

namespace tapehead {

Lines rows_of(const Shape& shape) {
  const Index count = shape.rank() == 0 ? 1 : shape[0];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, [length](Index line, Index place) { return line * length + place; }};
}

Lines columns_of(const Shape& shape) {
  const Index count = shape[shape.rank() - 1];
  const Index length = count == 0 ? 0 : shape.size() / count;
  return {count, length, [count](Index line, Index place) { return place * count + line; }};
}

}  // namespace tapehead
