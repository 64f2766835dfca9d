// Gzip: content that was compressed with it, recognised and unpacked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tapehead {

// Whether the content begins as every gzip file does (RFC 1952, section 2.3.1).
bool is_gzip(std::string_view content);

// Unpacks all members, one after another. Throws IoError naming the file when it is damaged or
// ends early.
std::string gunzip(std::string_view content, const std::filesystem::path& path);

}  // namespace tapehead
