// Captures the log during its lifetime, then restores the default logger.
#pragma once

#include "core/prelude.hpp"

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace tapehead {

class Logged {
 public:
  Logged() {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "logged", std::make_shared<spdlog::sinks::ostream_sink_st>(text_)));
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;
  ~Logged() { spdlog::set_default_logger(before_); }

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

}  // namespace tapehead
