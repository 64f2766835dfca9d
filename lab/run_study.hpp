// What is studied in every trained run of a sweep, besides its test.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace tapehead {

struct RunStudy {
  std::vector<std::string> further_splits;  // whose metrics are computed too
  bool heads = false;                       // what each head does
  bool importance = false;                  // the loss without each head
  bool pruning = false;                     // the loss as heads are removed one by one

  bool operator==(const RunStudy&) const = default;

  // Whether it includes everything that the other requests.
  bool covers(const RunStudy& other) const {
    return std::ranges::all_of(other.further_splits,
                               [&](const std::string& name) {
                                 return std::ranges::find(further_splits, name) !=
                                        further_splits.end();
                               }) &&
           heads >= other.heads && importance >= other.importance && pruning >= other.pruning;
  }
};

}  // namespace tapehead
