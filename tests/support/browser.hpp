// Opens a page in headless Chromium and returns the drawn page and its errors.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/support/child_process.hpp"
#include "tests/support/program.hpp"
#include "tests/support/testing.hpp"

namespace tapehead {

struct Browsing {
  int width = 1280;
  bool dark = false;
  bool scroll_bars = false;  // desktop scroll bars, which narrow the content
  bool fingers = false;      // the pointer is coarse
};

// Opens a copy of the page. Once the page has drawn itself, the copy runs `script` (the body of a
// JavaScript function), whose result is returned. Every visit also checks that the page reports no
// errors and makes no network calls.
inline nlohmann::json visit(const std::filesystem::path& page, const std::string& script,
                            const Browsing& browsing = {}) {
  static constexpr const char* program = "/usr/bin/chromium-headless-shell";
  if (::access(program, X_OK) != 0) {
    throw std::runtime_error(fmt::format(
        "{} is not there, and pages cannot be looked at without: `./dev deps test` installs it",
        program));
  }
  const TemporaryDirectory here;
  std::string text = content_of(page);
  const std::size_t end = text.rfind("</body>");
  if (end == std::string::npos) {
    throw std::runtime_error(fmt::format("{} is no page", page.string()));
  }
  text.insert(end, fmt::format("<script>document.body.append(Object.assign(document.createElement("
                               "'pre'), {{id: 'visited', textContent: encodeURIComponent("
                               "JSON.stringify((() => {{{}}})()))}}));</script>",
                               script));
  std::ofstream(here / "page.html", std::ios::binary) << text;
  ChildProcess child([&] {
    ::dup2(::creat((here / "dom").c_str(), 0600), STDOUT_FILENO);
    ::dup2(::creat((here / "log").c_str(), 0600), STDERR_FILENO);
    const std::string size = fmt::format("--window-size={},900", browsing.width);
    const std::string scheme =
        fmt::format("--blink-settings=preferredColorScheme={},primaryPointerType={}",
                    browsing.dark ? 0 : 1, browsing.fingers ? 2 : 4);  // coarse or fine
    const char* const bars =
        browsing.scroll_bars ? "--disable-features=OverlayScrollbar" : "--hide-scrollbars";
    const std::string data = fmt::format("--user-data-dir={}", (here / "profile").string());
    const std::string address = "file://" + (here / "page.html").string();
    ::execl(program, program, "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
            "--virtual-time-budget=5000", bars, size.c_str(), scheme.c_str(), data.c_str(),
            "--dump-dom", address.c_str(), nullptr);
    return 98;
  });
  EXPECT_EQ(child.wait(), 0);
  const std::string log = content_of(here / "log");
  EXPECT_EQ(log.find("CONSOLE"), std::string::npos) << log;
  const std::string dom = content_of(here / "dom");
  const std::string mark = "<pre id=\"visited\">";
  const std::size_t begin = dom.rfind(mark);
  if (begin == std::string::npos) {
    throw std::runtime_error("the script did not come to its end:\n" + log);
  }
  std::string found;
  for (std::size_t i = begin + mark.size(); i < dom.size() && dom[i] != '<'; ++i) {
    if (dom[i] == '%') {
      found += static_cast<char>(std::stoi(dom.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      found += dom[i];
    }
  }
  return nlohmann::json::parse(found);
}

// Expects these members among those of the script's result.
inline void expect_members(const nlohmann::json& found, const nlohmann::json& expected) {
  for (const auto& [name, value] : expected.items()) {
    EXPECT_EQ(found.at(name), value) << name;
  }
}

}  // namespace tapehead
