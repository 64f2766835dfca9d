// Pages as text: what stands in them cannot break out of its place.
#include "lab/report/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tapehead {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Json = nlohmann::ordered_json;

TEST(ReportPage, json_ends_no_script_and_means_the_same) {
  const Json json = {{"token", "</script><!-- & -->"}, {"number", 0.5}};
  const std::string text = json_for_page(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(text), json);
}

TEST(ReportPage, text_that_is_not_utf8_is_shown_as_far_as_it_goes) {
  EXPECT_EQ(json_for_page("a\xff"), "\"a\xef\xbf\xbd\"");  // U+FFFD
}

TEST(ReportPage, text_is_no_markup) { EXPECT_EQ(text_for_page("<b>\"&"), "&lt;b&gt;&quot;&amp;"); }

TEST(ReportPage, whatever_stands_in_the_report_is_put_there_as_it_is) {
  const std::string page = report_page({{"name", "a</title>"}, {"token", "@style@"}});
  EXPECT_THAT(page, HasSubstr("<title>a&lt;/title&gt; · tapehead</title>"));
  EXPECT_THAT(page, HasSubstr("\"token\":\"@style@\""));
  EXPECT_THAT(page, Not(HasSubstr("@report@")));
}

TEST(ReportPage, is_whole_by_itself) {
  const std::string page = report_page({{"name", "a"}});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, HasSubstr("d3js.org v5"));  // the library's own first line
  for (const std::string reference : {"src=\"", "href=\"http", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr("<script " + reference)));
    EXPECT_THAT(page, Not(HasSubstr("<link " + reference)));
  }
}

}  // namespace
}  // namespace tapehead
