// The page of a report: one HTML file that contains all it needs and loads nothing.
#pragma once

#include "core/files/json_text.hpp"

namespace tapehead {

// The sources of every page, embedded when the program is built (cmake/embed.cmake).
extern const std::string_view report_frame;    // lab/report/page.html
extern const std::string_view report_style;    // lab/report/page.css
extern const std::string_view report_script;   // lab/report/*.js
extern const std::string_view report_library;  // D3: d3.min.js of Debian's node-d3

// `report`: as report_run() makes it; "name" becomes the title.
std::string report_page(const Json& report);

// JSON that is safe inside a <script> element: no character of it begins a tag or a comment.
std::string json_for_page(const Json& json);

// Text that is safe between tags.
std::string text_for_page(std::string_view text);

}  // namespace tapehead
