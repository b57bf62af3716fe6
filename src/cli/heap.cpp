#include "cli/heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace gpusel::cli {

namespace {

constexpr int kHeapKept = 1 << 28;
constexpr int kHeapStep = 1 << 20;
/// Of x86-64, and of AArch64 with pages of 4 KiB: elsewhere they are larger, and none fits here.
constexpr std::size_t kLargePage = 1 << 21;
/// What the block of a large page has besides, as the heap's free end lies before it.
constexpr std::size_t kBefore = 1 << 20;

constexpr std::uintptr_t next_multiple(std::uintptr_t value, std::uintptr_t step) {
  return (value + step - 1) / step * step;
}

bool is_limited(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// The block lies around a large page that begins at `large`, whoever gave it.
bool is_around(std::uintptr_t block, std::size_t bytes, std::uintptr_t large) {
  return block <= large && large + kLargePage <= block + bytes;
}

/// Refused by older kernels and by those that are told not to: page by page it is, then.
void have(std::uintptr_t begin, std::uintptr_t large) {
  (void)madvise(reinterpret_cast<void*>(large), kLargePage, MADV_HUGEPAGE);
  (void)madvise(reinterpret_cast<void*>(begin), large + kLargePage - begin, MADV_POPULATE_WRITE);
}

/// Addresses up to where a large page can begin are passed over: never touched, and so never had. Given back they would
/// be what the next allocations get.
void begin_at_large_page() {
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t large = next_multiple(end, kLargePage);
  static void* passed_over = std::malloc(large - end);
  constexpr std::size_t kTaken = kLargePage + kBefore;
  void* block = std::malloc(kTaken);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = next_multiple(reinterpret_cast<std::uintptr_t>(block), page);
  if (block != nullptr && is_around(begin, kTaken - page, large))
    have(begin, large);
  else
    std::free(passed_over);
  std::free(block);
}

}  // namespace

void set_up_heap() {
  mallopt(M_TRIM_THRESHOLD, kHeapKept);
  mallopt(M_MMAP_THRESHOLD, kHeapKept);
}

void fill_heap() {
  static bool filled = false;
  if (filled || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return;
  filled = true;
  mallopt(M_TOP_PAD, kHeapStep);
  begin_at_large_page();
}

void spare_heap() { mallopt(M_TOP_PAD, 0); }

}  // namespace gpusel::cli
