// What the makers of tasks share: kept tokenizers, and splits that have nothing in common.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "core/types.hpp"
#include "datasets/tokenizers/tokenizer.hpp"

namespace tapehead {

// The tokenizers of a run: those in its directory, or new ones, which are then saved there. An
// empty directory is none.
Tokenizers kept_tokenizers(const std::filesystem::path& directory,
                           const std::function<Tokenizers()>& make);

// One tokenizer for both sides whose entries the task itself knows. Throws IoError when the
// directory keeps another one.
Tokenizers kept_joint_tokenizer(const std::filesystem::path& directory,
                                const std::shared_ptr<const Tokenizer>& expected);

// The split that something belongs to, by its hash: 80 % to train, 10 % each to validation and
// test, so that no two splits share anything.
std::string_view split_of(std::uint64_t hash);

// Calls `attempt` with 0, 1, 2, ... until it has returned true `count` times. Throws DataError,
// with `complaint`, after 10,000 misses in a row: then there is hardly anything to be found.
void collect(Index count, std::string_view complaint, const std::function<bool(Index)>& attempt);

}  // namespace tapehead
