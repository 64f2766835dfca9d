#include "nn/attention_site.hpp"

#include <fmt/format.h>

namespace tapehead {

std::string_view name_of(StackName stack) {
  return stack == StackName::encoder ? "encoder" : "decoder";
}

std::string AttentionSite::text() const {
  return fmt::format("{}.layers.{}.{}", name_of(stack()), layer, is_self() ? "self" : "cross");
}

}  // namespace tapehead
