#include "support/traced.hpp"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "support/cannot_run.hpp"
#include "support/sandbox.hpp"

namespace gpusel::test {

namespace {

namespace fs = std::filesystem;

constexpr int kMayNot = 126;
constexpr int kStopAtCall = SIGTRAP | 0x80;  // as PTRACE_O_TRACESYSGOOD marks it

void be_traced() {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int ending : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(ending, SIG_DFL);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kMayNot);
}

/// Its state is left there for the one that waits for its end.
bool has_ended(pid_t child) {
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WSTOPPED | WNOWAIT) != 0 ||
         state.si_code == CLD_EXITED || state.si_code == CLD_KILLED || state.si_code == CLD_DUMPED;
}

/// None where it stops on its way back.
std::optional<Call> call_of(pid_t child) {
  __ptrace_syscall_info info{};
  if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
    return std::nullopt;
  Call call{.number = static_cast<int>(info.entry.nr), .process = child};
  std::copy(std::begin(info.entry.args), std::end(info.entry.args), call.arguments.begin());
  return call;
}

#ifdef __x86_64__
/// Before a call: nothing is asked of the kernel, or less. After it: what the program is told.
void change(pid_t child, const Fault& fault) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, child, nullptr, &registers);
  if (fault.error != 0) registers.orig_rax = static_cast<unsigned long long>(-1);
  if (fault.shortened) registers.rdx = (registers.rdx + 1) / 2;
  ptrace(PTRACE_SETREGS, child, nullptr, &registers);
}
void answer(pid_t child, const Fault& fault) {
  user_regs_struct registers{};
  ptrace(PTRACE_GETREGS, child, nullptr, &registers);
  registers.rax = static_cast<unsigned long long>(-static_cast<long long>(fault.error));
  ptrace(PTRACE_SETREGS, child, nullptr, &registers);
}
#else
void change(pid_t, const Fault&) {}
void answer(pid_t, const Fault&) {}
#endif

void step_through(pid_t child, const AtCall& at_call, const FaultAt& fault_at) {
  int calls = 0;
  Fault fault;
  for (bool first = true; !has_ended(child); first = false) {
    int state = 0;
    waitpid(child, &state, 0);
    int passed_on = 0;
    if (first) {
      ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    } else if (WSTOPSIG(state) != kStopAtCall) {
      passed_on = WSTOPSIG(state);
    } else if (auto call = call_of(child)) {
      call->index = calls++;
      if (const int sent = at_call ? at_call(*call) : 0; sent != 0) kill(child, sent);
      fault = fault_at ? fault_at(*call) : Fault{};
      if (fault.error != 0 || fault.shortened) change(child, fault);
    } else if (const Fault behind = std::exchange(fault, {}); behind.error != 0) {
      answer(child, behind);
    }
    ptrace(PTRACE_SYSCALL, child, nullptr, passed_on);
  }
}

fs::path of_process(pid_t process) { return fs::path("/proc") / std::to_string(process); }

}  // namespace

std::string Call::path(int folder, int path) const {
  const int open_folder = folder < 0 ? AT_FDCWD : static_cast<int>(arguments.at(static_cast<std::size_t>(folder)));
  const fs::path from =
      fs::read_symlink(of_process(process) / (open_folder == AT_FDCWD ? "cwd" : "fd/" + std::to_string(open_folder)));
  if (path < 0) return from;
  std::ifstream memory(of_process(process) / "mem", std::ios::binary);
  memory.seekg(static_cast<std::streamoff>(arguments.at(static_cast<std::size_t>(path))));
  std::string text;
  std::getline(memory, text, '\0');
  return (from / text).lexically_normal();
}

namespace {

Run stepped(const std::vector<std::string>& words, const AtCall& at_call, const FaultAt& fault_at, Setting setting) {
  setting.environment.emplace("ASAN_OPTIONS", "detect_leaks=0:abort_on_error=1");  // LeakSanitizer would trace it too
  setting.before_start = [confine = setting.before_start](const char* program) {
    be_traced();
    if (confine) confine(program);
  };
  setting.meanwhile = [&](pid_t child) { step_through(child, at_call, fault_at); };
  return ask(words, setting);
}

}  // namespace

Run traced(const std::vector<std::string>& words, const AtCall& at_call, Setting setting) {
  return stepped(words, at_call, {}, std::move(setting));
}

Run faulty(const std::vector<std::string>& words, const FaultAt& fault_at, Setting setting) {
  return stepped(words, {}, fault_at, std::move(setting));
}

bool can_trace() {
  if (!is_started_itself()) return false;
  int calls = 0;
  const auto count = [&](const Call&) { return ++calls, 0; };
  if (traced({"--version"}, count).status == 0 && calls > 0) return true;
  cannot_run("this machine lets no program trace another");
  return false;
}

}  // namespace gpusel::test
