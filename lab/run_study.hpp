// What is looked at in every trained run of a sweep, beside its test.
#pragma once

#include <string>
#include <vector>

namespace tapehead {

struct RunStudy {
  std::vector<std::string> further_splits;  // whose metrics are taken too
  bool heads = false;                       // what each head does
  bool importance = false;                  // the loss without each head
  bool pruning = false;                     // the loss as heads go one by one

  bool operator==(const RunStudy&) const = default;
};

}  // namespace tapehead
