// The sources of every report page: the files in lab/report/ and the charting library D3, which are
// embedded in the program when it is built (cmake/embed.cmake).
#pragma once

#include <string_view>

namespace tapehead {

extern const std::string_view report_frame;    // lab/report/page.html
extern const std::string_view report_style;    // lab/report/page.css
extern const std::string_view report_script;   // lab/report/*.js
extern const std::string_view report_library;  // d3.min.js of Debian's node-d3

}  // namespace tapehead
