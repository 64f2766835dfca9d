#include "apps/commands.hpp"
#include "core/version.hpp"

namespace tapehead {

namespace {

// Text as roff prints it: a hyphen that can be copied, and no line that begins like a macro.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool line_begins = result.empty() || result.back() == '\n';
    if (line_begins && (c == '.' || c == '\'')) {
      result += "\\&";
    }
    result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return result;
}

std::string heading(const std::string& name) {
  std::string title;
  for (const char c : name) {
    title += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return fmt::format(".TH {} 1 \"\" \"tapehead {}\" \"User Commands\"\n", roff(title), version());
}

std::string section(std::string_view title, const std::string& text) {
  return text.empty() ? "" : fmt::format(".SH {}\n{}", title, text);
}

// One paragraph with its words in the margin.
std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", roff(tag), roff(text));
}

std::string options_text(const CLI::App& command, bool positional) {
  const CLI::Formatter formatter;
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() == positional && !option->get_group().empty()) {
      text += tagged(
          formatter.make_option_name(option, positional) + formatter.make_option_opts(option),
          formatter.make_option_desc(option));
    }
  }
  return text;
}

// The command's positional arguments, as its usage line shows them.
std::string usage(const CLI::App& command) {
  std::string words = "tapehead " + command.get_name() + " [OPTION]...";
  const CLI::Formatter formatter;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      words += " " + formatter.make_option_usage(option);
    }
  }
  return roff(words) + "\n";
}

std::string other_pages(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += fmt::format("{}.BR {} (1)", text.empty() ? "" : " ,\n", roff(name));
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

// The program's description begins with its name, as "tapehead: train".
std::string man_page(const CLI::App& program, const std::vector<const CLI::App*>& commands) {
  const std::string described = program.get_description();
  const std::size_t colon = described.find(": ");
  std::string list;
  std::vector<std::string> pages;
  for (const CLI::App* command : commands) {
    list += tagged(command->get_name(), command->get_description());
    pages.push_back("tapehead-" + command->get_name());
  }
  return heading("tapehead") +
         section("NAME", fmt::format("{} \\- {}\n", roff(described.substr(0, colon)),
                                     roff(described.substr(colon + 2)))) +
         section("SYNOPSIS", roff("tapehead COMMAND [ARGUMENT]...") + "\n") +
         section("COMMANDS", list) + section("OPTIONS", options_text(program, false)) +
         section("SEE ALSO", other_pages(pages));
}

std::string man_page_of_command(const CLI::App& command) {
  const std::string name = "tapehead-" + command.get_name();
  return heading(name) +
         section("NAME", fmt::format("{} \\- {}\n", roff(name), roff(command.get_description()))) +
         section("SYNOPSIS", usage(command)) + section("ARGUMENTS", options_text(command, true)) +
         section("OPTIONS", options_text(command, false)) +
         section("SEE ALSO", other_pages({"tapehead"}));
}

}  // namespace tapehead
