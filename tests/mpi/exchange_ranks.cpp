// A rank that exchanges bytes through MPI and may have a fault. Usage, under mpirun: exchange_ranks
// MODE [RANK]. `act` has the modes. RANK has the fault.
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <random>
#include <thread>

#include "core/files/input_output.hpp"
#include "mpi/mpi_ranks.hpp"

namespace tapehead { namespace {

constexpr double deadline = 1;  // in the modes about time

struct Message {
  Index from;
  Index to;
  std::vector<std::byte> bytes;
};

// The messages of a round, equal on every rank: up to three from each rank to each rank in random
// order. Some are empty, some so long that libraries send them in parts.
std::vector<Message> draw_messages(std::mt19937_64& draws, Index ranks) {
  const std::vector<std::size_t> sizes{0, 1, 7, 4096, 65537, 300001};
  std::vector<Message> messages;
  for (Index i = 0; i < 3 * ranks * ranks; ++i) {
    Message message{.from = static_cast<Index>(draws() % static_cast<std::size_t>(ranks)),
                    .to = static_cast<Index>(draws() % static_cast<std::size_t>(ranks)),
                    .bytes = std::vector<std::byte>(sizes[draws() % sizes.size()])};
    std::minstd_rand bytes(static_cast<unsigned>(draws()));
    for (std::byte& byte : message.bytes) {
      byte = static_cast<std::byte>(bytes());
    }
    messages.push_back(std::move(message));
  }
  return messages;
}

void exchange_messages(Ranks& ranks, const std::vector<Message>& messages) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  std::vector<std::vector<std::byte>> received(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& message = messages[i];
    if (message.from == ranks.rank()) {
      outgoing.push_back({message.to, message.bytes});
    }
    if (message.to == ranks.rank()) {
      received[i].resize(message.bytes.size());
      incoming.push_back({message.from, received[i]});
    }
  }
  ranks.exchange(outgoing, incoming);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].to == ranks.rank() && received[i] != messages[i].bytes) {
      throw DataError("message " + std::to_string(i) + " is not what was sent");
    }
  }
}

void random_rounds(Ranks& ranks) {
  std::mt19937_64 draws(1);
  for (int round = 0; round < 5; ++round) {
    exchange_messages(ranks, draw_messages(draws, ranks.count()));
  }
}

// Passes a byte from the last rank down to the first: each rank waits for the next higher one.
void pass_byte(Ranks& ranks) {
  std::byte byte{};
  if (ranks.rank() + 1 < ranks.count()) {
    ranks.exchange({}, std::vector<Incoming>{{ranks.rank() + 1, {&byte, 1}}});
  }
  if (!ranks.first()) {
    ranks.exchange(std::vector<Outgoing>{{ranks.rank() - 1, {&byte, 1}}}, {});
  }
}

void sleep_for(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// The action of a mode, between two sets of random rounds. Returns the exit code.
int act(Ranks& ranks, const std::string& mode, bool faulty) {
  if (mode == "stop") {
    if (faulty) {
      ::raise(SIGSTOP);
    }
    pass_byte(ranks);
  } else if (mode == "throw" && faulty) {
    throw IoError("no space for a test");
  } else if (mode == "throw-alike") {
    throw ConfigError("no good for any rank");
  } else if (mode == "exit" && faulty) {
    std::_Exit(3);
  } else if (mode == "work") {
    // The other ranks wait longer than the deadline plus the time to answer (a second each), but
    // not longer than these plus their own working time.
    sleep_for(faulty ? 4 * deadline : 1.5 * deadline);
  } else if (mode == "linger") {
    // One rank works longer than the deadline while the others wait.
    sleep_for(faulty ? 4 * deadline : 0);
  } else if (mode == "signal") {
    return 128 + SIGTERM;
  } else if (mode != "no-fault" && mode != "throw" && mode != "exit") {
    throw std::invalid_argument("unknown mode " + mode);
  }
  return 0;
}

int run(Ranks& ranks, const std::string& mode, Index faulty) {
  random_rounds(ranks);
  const int exit_code = act(ranks, mode, ranks.rank() == faulty);
  random_rounds(ranks);
  if (mode == "signal" && ranks.first()) {
    sleep_for(2 * deadline);  // like rank 0 while it saves a checkpoint alone
    write_message("rank 0 is done\n");
  }
  return exit_code;
}

RankEnd run_rank(Ranks& ranks, const std::string& mode, Index faulty) {
  try {
    return {.exit_code = run(ranks, mode, faulty)};
  } catch (const ConfigError& error) {
    return {.exit_code = 2, .message = error.what()};
  } catch (const RankError& error) {
    return {.exit_code = 1, .message = error.what(), .by_others = true};
  } catch (const std::exception& error) {
    return {.exit_code = 1, .message = error.what()};
  }
}

}}  // namespace tapehead

int main(int argc, char** argv) {
  using namespace tapehead;
  ::alarm(60);  // ends the process in any case
  MpiRanks ranks;
  const std::string mode = argc > 1 ? argv[1] : "no-fault";
  const Index faulty = argc > 2 ? std::atoi(argv[2]) : -1;
  if (mode == "stop" || mode == "work" || mode == "linger" || mode == "signal") {
    ranks.set_deadline(deadline);
  }
  return ranks.end(run_rank(ranks, mode, faulty));
}
