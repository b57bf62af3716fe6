#include "support/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace gpusel::test {

namespace {

std::atomic<std::int64_t> made{0};
std::atomic<std::int64_t> failing{-1};
std::atomic<bool> lasts{false};

bool runs_out() {
  const std::int64_t now = made.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t at = failing.load(std::memory_order_relaxed);
  return at >= 0 && (lasts.load(std::memory_order_relaxed) ? now >= at : now == at);
}

}  // namespace

void run_out_after(std::int64_t allocations, bool lasting) {
  lasts = lasting;
  failing = allocations;
  made = 0;
}

std::int64_t allocations_made() { return made; }

}  // namespace gpusel::test

// The other forms of new and delete come down to these.
void* operator new(std::size_t size) {
  void* const memory = gpusel::test::runs_out() ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
