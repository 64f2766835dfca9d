// Expects that a gradient check found exactly one thing.
#pragma once

#include "core/gradcheck/gradcheck.hpp"
#include "tests/support/testing.hpp"

namespace tapehead { inline namespace TAPEHEAD_PRECISION {

inline void expect_verdict(const GradcheckReport& report, Verdict verdict, WrongKind kind,
                           const std::string& message) {
  ASSERT_EQ(report.findings.size(), 1U) << report.message();
  EXPECT_EQ(name_of(report.findings[0].verdict), name_of(verdict)) << report.message();
  EXPECT_EQ(name_of(report.findings[0].kind), name_of(kind)) << report.message();
  EXPECT_THAT(report.message(), HasSubstr(message));
}

inline void expect_verdict(const GradcheckReport& report, Verdict verdict,
                           const std::string& message) {
  expect_verdict(report, verdict, WrongKind::none, message);
}

inline void expect_wrong(const GradcheckReport& report, WrongKind kind,
                         const std::string& message) {
  expect_verdict(report, Verdict::wrong, kind, message);
}

}}  // namespace tapehead::TAPEHEAD_PRECISION
