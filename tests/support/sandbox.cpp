#include "support/sandbox.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

#include "support/cannot_run.hpp"

namespace gpusel::test {

bool is_started_itself() {
  std::ifstream program(GPUSEL_PROGRAM, std::ios::binary);
  std::string magic(4, '\0');
  program.read(magic.data(), 4);
  if (magic ==
      "\x7f"
      "ELF")
    return true;
  cannot_run("the program is started by another one here, which needs more than it does");
  return false;
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(GPUSEL_COUNTS_LINES)

namespace {

constexpr std::uint32_t kMayWrite = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

constexpr int kNetworkAndProcesses[] = {
    SYS_socket,  SYS_socketpair, SYS_connect, SYS_bind,     SYS_listen,  SYS_accept,
    SYS_accept4, SYS_sendto,     SYS_sendmsg, SYS_recvfrom, SYS_recvmsg, SYS_clone,
    SYS_clone3,  SYS_fork,       SYS_vfork,   SYS_execveat, SYS_ptrace,  SYS_io_uring_setup,
    SYS_bpf,     SYS_mount,      SYS_unshare, SYS_setns,    SYS_kill,    SYS_process_vm_writev};
constexpr int kWriting[] = {SYS_creat,     SYS_rename,   SYS_renameat,  SYS_renameat2, SYS_unlink,   SYS_unlinkat,
                            SYS_mkdir,     SYS_mkdirat,  SYS_rmdir,     SYS_link,      SYS_linkat,   SYS_symlink,
                            SYS_symlinkat, SYS_chmod,    SYS_fchmod,    SYS_fchmodat,  SYS_chown,    SYS_fchown,
                            SYS_lchown,    SYS_fchownat, SYS_truncate,  SYS_ftruncate, SYS_mknod,    SYS_mknodat,
                            SYS_utimensat, SYS_setxattr, SYS_fsetxattr, SYS_openat2,   SYS_fallocate};

/// Where a call that writes has the path, and where the folder that it is seen from; the folder alone: itself.
struct Written {
  int call;
  int folder;
  int path;
};
constexpr int kNone = -1;
constexpr Written kWritten[] = {
    {SYS_creat, kNone, 0},     {SYS_rename, kNone, 0},    {SYS_rename, kNone, 1},   {SYS_renameat, 0, 1},
    {SYS_renameat, 2, 3},      {SYS_renameat2, 0, 1},     {SYS_renameat2, 2, 3},    {SYS_unlink, kNone, 0},
    {SYS_unlinkat, 0, 1},      {SYS_mkdir, kNone, 0},     {SYS_mkdirat, 0, 1},      {SYS_rmdir, kNone, 0},
    {SYS_link, kNone, 1},      {SYS_linkat, 2, 3},        {SYS_symlink, kNone, 1},  {SYS_symlinkat, 1, 2},
    {SYS_chmod, kNone, 0},     {SYS_fchmod, 0, kNone},    {SYS_fchmodat, 0, 1},     {SYS_chown, kNone, 0},
    {SYS_fchown, 0, kNone},    {SYS_lchown, kNone, 0},    {SYS_fchownat, 0, 1},     {SYS_truncate, kNone, 0},
    {SYS_ftruncate, 0, kNone}, {SYS_mknod, kNone, 0},     {SYS_mknodat, 0, 1},      {SYS_utimensat, 0, 1},
    {SYS_setxattr, kNone, 0},  {SYS_fsetxattr, 0, kNone}, {SYS_fallocate, 0, kNone}};

using Program = std::vector<sock_filter>;

std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); }

void load(Program& program, std::size_t offset) {
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
}
void end(Program& program, std::uint32_t how) { program.push_back(BPF_STMT(BPF_RET | BPF_K, how)); }
/// What follows, `steps` long, is for this value only.
void unless(Program& program, std::uint32_t value, std::uint8_t steps) {
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps));
}

void forbid(Program& program, int call) {
  unless(program, static_cast<std::uint32_t>(call), 1);
  end(program, SECCOMP_RET_KILL_PROCESS);
}

/// Opening, where the flags are the argument of that number.
void forbid_writing(Program& program, int call, std::size_t flags) {
  unless(program, static_cast<std::uint32_t>(call), 4);
  load(program, offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kMayWrite, 1, 0));
  end(program, SECCOMP_RET_ALLOW);
  end(program, SECCOMP_RET_KILL_PROCESS);
}

/// Once, of the name that lies there: the address means nothing in the program that it becomes.
void forbid_other_programs(Program& program, const char* name) {
  const auto address = reinterpret_cast<std::uint64_t>(name);
  unless(program, SYS_execve, 6);
  load(program, offsetof(seccomp_data, args));
  unless(program, low(address), 3);
  load(program, offsetof(seccomp_data, args) + sizeof(std::uint32_t));
  unless(program, high(address), 1);
  end(program, SECCOMP_RET_ALLOW);
  end(program, SECCOMP_RET_KILL_PROCESS);
}

void confine(const char* name, bool may_write) {
  Program program;
  load(program, offsetof(seccomp_data, arch));
  unless(program, AUDIT_ARCH_X86_64, 1);
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0));
  end(program, SECCOMP_RET_KILL_PROCESS);
  load(program, offsetof(seccomp_data, nr));
  for (const int call : kNetworkAndProcesses) forbid(program, call);
  if (!may_write)
    for (const int call : kWriting) forbid(program, call);
  if (!may_write) forbid_writing(program, SYS_openat, 2);
  if (!may_write) forbid_writing(program, SYS_open, 1);
  forbid_other_programs(program, name);
  end(program, SECCOMP_RET_ALLOW);
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    _exit(126);
}

}  // namespace

void alone(const char* program) { confine(program, true); }
void alone_and_reading(const char* program) { confine(program, false); }

std::vector<std::string> written_by(const Call& call) {
  if (call.number == SYS_open && (call.arguments[1] & kMayWrite) != 0) return {call.path(kNone, 0)};
  if (call.number == SYS_openat && (call.arguments[2] & kMayWrite) != 0) return {call.path(0, 1)};
  if (call.number == SYS_openat2) return {call.path(0, 1)};
  std::vector<std::string> paths;
  for (const Written& one : kWritten)
    if (call.number == one.call) paths.push_back(call.path(one.folder, one.path));
  return paths;
}

bool can_sandbox() {
  if (!is_started_itself()) return false;
  if (ask({"--version"}, {.before_start = alone}).status == 0) return true;
  cannot_run("this kernel takes no filter of system calls");
  return false;
}

#else

void alone(const char*) {}
void alone_and_reading(const char*) {}
std::vector<std::string> written_by(const Call&) { return {}; }
bool can_sandbox() {
  cannot_run("system calls are filtered on x86-64 alone, and not where a sanitizer or a count of lines makes its own");
  return false;
}

#endif

}  // namespace gpusel::test
