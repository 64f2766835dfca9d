// A training on three hosts, which are namespaces of this machine at one switch: it has the bits of
// one process. A host that vanishes ends it, and the other hosts resume it.
#include <sys/prctl.h>

#include <map>

#include "tests/support/launched.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/proof.hpp"
#include "tests/support/tiny_training.hpp"

namespace tapehead { namespace {

namespace fs = std::filesystem;

// Starts a host. $1: its name, $2: its address, $3: a process at the switch. A killed host leaves
// nothing, because its first process is sshd, and its namespaces have no names.
const std::string start_host = R"(set -e
hostname $1
echo 4 >/proc/sys/net/ipv4/tcp_retries2 # else mpirun waits 15 minutes for a host that vanished
ip link set lo up
ip link add eth0 type veth peer name $1 netns $3
nsenter --target $3 --net ip link set $1 master switch up
ip address add $2/24 dev eth0
ip link set eth0 up
exec unshare --pid --fork --kill-child --mount-proc sh -c '
  mount -t tmpfs none /run
  mkdir /run/sshd
  echo "root:*:1::::::" >shadow # sshd lets in nobody whose account is locked
  mount --bind shadow /etc/shadow
  exec /usr/sbin/sshd -D -e -f /dev/null -h $PWD/key -o AuthorizedKeysFile=$PWD/key.pub \
    -o StrictModes=no -o UsePAM=no -o PidFile=none 2>&1')";

std::string address_of(int number) { return fmt::format("10.213.77.1{}", number); }

// A host that is up. Its end kills all that runs on it.
class Host {
 public:
  Host(int number, pid_t at_switch, const fs::path& directory)
      : unshare_({"--net", "--uts", "/bin/sh", "-c", start_host, "sh",
                  fmt::format("host{}", number), address_of(number), std::to_string(at_switch)},
                 directory, "/usr/bin/unshare", [] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }) {
    const bool listens = wait_until(
        [&] { return unshare_.output().find("listening on 0.0.0.0") != std::string::npos; });
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", unshare_.id()));
    if (!listens || !(children >> sshd_)) {
      unshare_.kill(SIGKILL);
      throw std::runtime_error(unshare_.output() + unshare_.wait().errors);
    }
    processes_ = fs::read_symlink(fmt::format("/proc/{}/ns/pid", sshd_));
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  ~Host() {
    ::kill(sshd_, SIGKILL);
    unshare_.wait();
  }

  pid_t sshd() const { return sshd_; }

  // The commands that run on it, except sshd.
  std::vector<std::string> commands() const {
    std::vector<std::string> commands;
    std::error_code gone;
    for (const auto& process : fs::directory_iterator("/proc")) {
      if (fs::read_symlink(process.path() / "ns/pid", gone) == processes_) {
        commands.push_back(content_of(process.path() / "comm"));
      }
    }
    std::erase(commands, "sshd\n");
    return commands;
  }

 private:
  Program unshare_;
  pid_t sshd_ = 0;
  fs::path processes_;  // their namespace
};

// A switch, itself a namespace, and the hosts at it that are up, by their numbers.
struct Network {
  Network() {
    const ProgramResult keys = run_shell("ssh-keygen -q -t ed25519 -N '' -f key", here.path());
    if (keys.exit_code != 0 || !wait_until([&] { return at_switch.output() == "up\n"; })) {
      throw std::runtime_error(keys.errors + at_switch.wait().errors);
    }
    for (int number = 0; number < 3; ++number) {
      hosts.try_emplace(number, number, at_switch.id(), here.path());
    }
  }

  // Starts a training with a rank on each host.
  Program launched(const Arguments& training, const Arguments& variables = {}) const {
    std::string addresses;
    for (const auto& [number, host] : hosts) {
      addresses += address_of(number) + " slots=1\n";
    }
    // Without its own interval, ssh waits for hours for a host that vanished.
    const std::string agent =
        "ssh -q -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "
        "-o ServerAliveInterval=2 -i " +
        (here / "key").string();
    const std::string settings = fmt::format(
        "--target {} --net --uts --pid --mount env OMPI_MCA_btl=tcp,self "
        "OMPI_MCA_orte_default_hostfile={} OMPI_MCA_orte_tmpdir_base={}",
        hosts.begin()->second.sshd(), here.write("hosts", addresses), here.path().string());
    return {CommandLine(settings) + Arguments{"OMPI_MCA_plm_rsh_agent=" + agent} + variables +
                launch(openmpi, static_cast<int>(hosts.size()), program_for_openmpi,
                       training + Arguments{"--threads", "1"}),
            here.path(), "/usr/bin/nsenter"};
  }

  // Takes a host away so that no other host is told.
  void lose(int number) {
    constexpr std::string_view unplug = "nsenter --target {} --net ip link set host{} down";
    EXPECT_EQ(run_shell(fmt::format(unplug, at_switch.id(), number), here.path()).errors, "");
    hosts.erase(number);
  }

  TemporaryDirectory here;
  Program at_switch{{"--net", "/bin/sh", "-c",
                     "ip link add switch type bridge && ip link set switch up && echo up && cat"},
                    here.path(),
                    "/usr/bin/unshare"};
  std::map<int, Host> hosts;
};

// Null if this machine can be a network, else the reason why not.
const char* why_no_network(const fs::path& here) {
  if (::geteuid() != 0) {
    return "only root can make a network";
  }
  for (const std::string file : {"/bin/ip", "/usr/sbin/sshd", "/usr/bin/ssh-keygen"}) {
    if (!fs::exists(file)) {
      return "iproute2 or OpenSSH is missing; ./dev prove network installs both";
    }
  }
  const std::string try_all =
      "unshare --net --uts --pid --fork --mount-proc sh -c '"
      "ip link add host0 type veth && ip link add switch type bridge && mount -t tmpfs none /run'";
  return run_shell(try_all, here).exit_code == 0 ? nullptr
                                                 : "no namespaces and links for a network";
}

class ProveNetwork : public OpenMpiRuns {
 protected:
  void SetUp() override {
    OpenMpiRuns::SetUp();
    const char* reason = IsSkipped() ? nullptr : why_no_network(path());
    if (reason != nullptr) {
      GTEST_SKIP() << reason;
    }
  }

  Arguments training(const std::string& run) const {
    return tiny_training(here / run, {"training.steps=100"});
  }

  // Loses a host in the middle of a training, and has the others resume it. What the training said.
  std::string errors_without(int lost, const Arguments& options, const Arguments& variables) {
    fs::remove_all(here / "run");
    Network network;
    Program program = network.launched(training("run") + options, variables);
    const std::size_t steps = 12 + choices_.below(60);
    EXPECT_TRUE(wait_until(
        [&] { return lines_of(content_of(here / "run/metrics.jsonl")).size() >= steps; }));
    network.lose(lost);
    // Each wait is shorter than the default deadline.
    for (const auto& [number, host] : network.hosts) {
      EXPECT_TRUE(wait_until([&] { return host.commands().empty(); }))
          << PrintToString(host.commands());
    }
    if (HasFailure()) {
      program.kill(SIGKILL);
    }
    const ProgramResult result = program.wait();
    EXPECT_NE(result.exit_code, 0);
    const ProgramResult resumed = network.launched(resumed_training(here / "run")).wait();
    EXPECT_EQ(resumed.exit_code, 0) << resumed.errors;
    expect_same_runs(here / "whole", here / "run");
    return result.errors;
  }

 private:
  Choices choices_{0};
};

TEST_F(ProveNetwork, of_three_hosts_leaves_the_run_of_one_process) {
  here.output(training("whole"));
  const Network network;
  Program program = network.launched(training("run"));
  for (const auto& [number, host] : network.hosts) {
    EXPECT_TRUE(
        wait_until([&] { return std::ranges::count(host.commands(), "tapehead-openmp\n") == 1; }));
  }
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  expect_same_runs(here / "whole", here / "run");
  tell_figures("network: three hosts leave the run of one process");
}

// A host is missed by ranks, or by the launcher with the options of docs/more-machines.md (here in
// less time). Only those end what is left of the launcher without its own host.
TEST_F(ProveNetwork, without_a_host_that_vanished_ends_and_loses_nothing) {
  if (proof_figures() == nullptr) {
    GTEST_SKIP() << "takes minutes; ./dev prove network runs it";
  }
  const CommandLine alive(
      "OMPI_MCA_oob_tcp_keepalive_time=2 OMPI_MCA_oob_tcp_keepalive_intvl=1 "
      "OMPI_MCA_oob_tcp_keepalive_probes=2");
  here.output(training("whole"));
  for (int number = 0; number < 12; ++number) {
    const int lost = number % 3;
    SCOPED_TRACE(number);
    if (lost == 0) {
      errors_without(lost, {}, alive);
    } else if (number % 2 == 0) {
      EXPECT_THAT(errors_without(lost, {}, alive), HasSubstr("on node " + address_of(lost)));
    } else {
      EXPECT_THAT(
          errors_without(lost, {"--deadline", "1.5"}, {}),
          HasSubstr(fmt::format("within the deadline of 1.5 s from rank {0} (host{0})", lost)));
    }
  }
  tell_figures("network: 12 trainings ended when one of three hosts vanished; the others resumed");
}

}}  // namespace tapehead
