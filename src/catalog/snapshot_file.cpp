// Snapshot files: the block of snapshot.cpp with a checksum behind it, mapped read-only.
#include "snapshot_generated.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>

#include "catalog/tables.hpp"
#include "gpusel/base/message.hpp"
#include "gpusel/base/reason.hpp"
#include "gpusel/base/text.hpp"
#include "gpusel/catalog/layers.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::size_t kChecksumBytes = sizeof(XXH64_hash_t);

class MappedFile final : public Block {
 public:
  MappedFile(void* address, std::size_t size) : address_(address), size_(size) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override { munmap(address_, size_); }
  std::span<const unsigned char> bytes() const override {
    return {static_cast<const unsigned char*>(address_), size_ - kChecksumBytes};
  }
  std::span<const unsigned char> checksum() const {
    return {static_cast<const unsigned char*>(address_) + size_ - kChecksumBytes, kChecksumBytes};
  }

 private:
  void* address_;
  std::size_t size_;
};

}  // namespace

std::expected<std::shared_ptr<const Block>, Errors> map_snapshot(const std::string& path) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(
        Errors{{ErrorKind::bad_catalogue,
                say("'{}' is not a usable snapshot: {}", printable(path), why),
                {},
                path.ends_with(".yaml") ? say("--catalog takes a directory or a snapshot, --overlay one file") : ""}});
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return std::unexpected(
        Errors{{ErrorKind::usage, say("cannot read '{}': {}", printable(path), system_reason(errno)), {}, {}}});
  struct stat status{};
  const bool readable = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = readable ? static_cast<std::size_t>(status.st_size) : 0;
  constexpr std::size_t kSmallest = 64;
  void* address = size < kSmallest ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (address == MAP_FAILED) return refuse(say("it is too short"));
  auto mapped = std::make_shared<const MappedFile>(address, size);
  const auto block = mapped->bytes();
  if (!snapshot::SnapshotBufferHasIdentifier(block.data())) return refuse(say("it does not begin like one"));
  const XXH64_hash_t hash = XXH3_64bits(block.data(), block.size());
  if (std::memcmp(&hash, mapped->checksum().data(), kChecksumBytes) != 0) return refuse(say("its checksum is wrong"));
  flatbuffers::Verifier verifier(block.data(), block.size(), kMaxDepth, 10'000'000);
  if (!snapshot::VerifySnapshotBuffer(verifier)) return refuse(say("its structure is damaged"));
  return mapped;
}

std::string with_checksum(std::string bytes) {
  const XXH64_hash_t hash = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&hash), kChecksumBytes);
  return bytes;
}

std::string content_hash(std::string_view bytes) {
  return format("xxh3:{:016x}", static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
}

}  // namespace gpusel::catalog
