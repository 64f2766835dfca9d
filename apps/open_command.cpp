// tapehead open RUN: answers command lines about a run, whose model stays loaded between them.
#include <fcntl.h>
#include <sys/mman.h>
#include <cerrno>

#include "apps/commands.hpp"
#include "apps/line_command.hpp"
#include "core/files/json_text.hpp"
#include "train/output/logging.hpp"

namespace tapehead {

namespace {

struct OpenArguments {
  fs::path run;
  std::string checkpoint;
};

// The descriptor that a call of the system gave. Throws IoError if the call failed.
int given(int descriptor) {
  if (descriptor < 0) {
    throw IoError("cannot open a stream in memory: {}", std::strerror(errno));
  }
  return descriptor;
}

// While it exists, a standard stream reads or writes a file in memory.
class StreamInMemory : NotCopied {
 public:
  explicit StreamInMemory(int stream, std::string_view content = "")
      : stream_(stream),
        before_(given(::fcntl(stream, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)), "a standard stream"),
        memory_(given(::memfd_create("tapehead", MFD_CLOEXEC)), "memory") {
    memory_.write_at(0, content);
    ::dup2(memory_.descriptor(), stream_);
  }
  ~StreamInMemory() { ::dup2(before_.descriptor(), stream_); }

  std::string text() {
    std::fflush(stdout);
    ::lseek(memory_.descriptor(), 0, SEEK_SET);
    return memory_.read_to_end();
  }

 private:
  int stream_;
  OpenFile before_;
  OpenFile memory_;
};

struct Request {
  std::vector<std::string> arguments;
  std::string input;
};

Request request_in(const std::string& line) {
  const std::string where = "the request";
  const Json json = parse_json(line, where);
  const JsonObject object(json, where);
  for (const auto& [name, value] : json.items()) {
    if (name != "arguments" && name != "input") {
      throw ConfigError("{}: unknown member {}; there are arguments and input", where, shown(name));
    }
  }
  Request request{.arguments = object.texts("arguments"),
                  .input = object.has("input") ? object.text("input") : ""};
  constexpr std::array<std::string_view, 7> about_a_model{
      "attention", "classify", "fill", "generate", "score", "tokenize", "translate"};
  if (request.arguments.empty() || std::ranges::count(about_a_model, request.arguments[0]) == 0) {
    throw ConfigError("{}: the first of the arguments must be one of {}", where,
                      fmt::join(about_a_model, ", "));
  }
  return request;
}

// Runs a command with streams of its own.
Json answer_to(const std::string& line) {
  StreamInMemory errors(STDERR_FILENO);
  StreamInMemory output(STDOUT_FILENO);
  start_logging();
  RankEnd end;
  try {
    Request request = request_in(line);
    request.arguments.insert(request.arguments.begin(), "tapehead");
    const StreamInMemory input(STDIN_FILENO, request.input);
    end = run_command(std::move(request.arguments), alone());
  } catch (const std::exception& error) {
    end = {.exit_code = 2, .message = error.what()};
  }
  const int exit_code = alone().end(end);  // says what failed
  return {{"exit_code", exit_code}, {"output", output.text()}, {"errors", errors.text()}};
}

void answer_requests(const OpenArguments& arguments) {
  kept<KeptRun>(arguments.run, arguments.checkpoint);
  const OpenFile input(given(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)),
                       "standard input");
  TextReader requests(input.descriptor(), "standard input");
  for (auto lines = requests.next(1); !lines.empty(); lines = requests.next(1)) {
    write_exactly(json_text(answer_to(lines.front())) + '\n');
    flush_output();
  }
}

}  // namespace

const Command open_command(175, [](CLI::App& program) {
  const auto [command, arguments] = add_command<OpenArguments>(
      program, "open", "Answer command lines about a run, each a line of JSON on standard input",
      answer_requests);
  command.add_option("run", arguments.run, "Run directory")->required();
  add_checkpoint_option(command, arguments.checkpoint);
});

}  // namespace tapehead
