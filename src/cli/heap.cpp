#include "cli/heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
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

constexpr std::uintptr_t next_multiple(std::uintptr_t value, std::uintptr_t step) {
  return (value + step - 1) / step * step;
}

/// What the heap has is passed over up to where a large page can begin; it is never touched, and so never had.
void pass_over(std::size_t bytes) {
  static void* passed = nullptr;
  if (passed == nullptr) passed = std::malloc(bytes);
}

}  // namespace

void set_up_heap() {
  mallopt(M_TRIM_THRESHOLD, kHeapKept);
  mallopt(M_MMAP_THRESHOLD, kHeapKept);
}

void fill_heap() {
  mallopt(M_TOP_PAD, kHeapStep);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const std::uintptr_t large = next_multiple(end, kLargePage);
  pass_over(large - end);
  constexpr std::size_t kTaken = 2 * kLargePage + kHeapStep;
  void* block = std::malloc(kTaken);
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = next_multiple(reinterpret_cast<std::uintptr_t>(block), page);
  // A kernel that refuses is an older one, and gives page by page.
  if (block != nullptr && begin <= large) {
    (void)madvise(reinterpret_cast<void*>(begin), kTaken - page, MADV_HUGEPAGE);
    (void)madvise(reinterpret_cast<void*>(begin), large + kLargePage - begin, MADV_POPULATE_WRITE);
  }
  std::free(block);
}

void spare_heap() { mallopt(M_TOP_PAD, 0); }

}  // namespace gpusel::cli
