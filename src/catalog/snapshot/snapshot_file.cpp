// Snapshot files: the block of snapshot.cpp with a checksum behind it.
#include "snapshot_generated.h"

#include <xxhash.h>

#include <cstring>
#include <memory>

#include "base/io/file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/records/layers.hpp"
#include "catalog/snapshot/tables.hpp"

namespace gpusel::catalog {

namespace {

constexpr std::size_t kChecksumBytes = sizeof(XXH64_hash_t);

/// A copy of our own: of a mapped file, whoever writes into it changes or takes away what has been checked.
class FileBlock final : public Block {
 public:
  explicit FileBlock(std::size_t size) : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}
  std::span<char> all() { return {bytes_.get(), size_}; }
  std::span<const unsigned char> bytes() const override {
    return {reinterpret_cast<const unsigned char*>(bytes_.get()), size_ - kChecksumBytes};
  }
  const char* checksum() const { return bytes_.get() + size_ - kChecksumBytes; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_;
};

/// As many bytes as there is room for; fewer where the file has become shorter since.
std::size_t read_into(std::span<char> room, const InputFile& file) {
  std::size_t done = 0;
  ssize_t got = 0;
  while (done < room.size() && (got = file.read(room.subspan(done))) > 0) done += static_cast<std::size_t>(got);
  return done;
}

}  // namespace

std::expected<std::shared_ptr<const Block>, Errors> read_snapshot_file(const std::string& path) {
  const auto refuse = [&](std::string why) {
    return std::unexpected(
        Errors{{ErrorKind::bad_catalogue,
                say("'{}' is not a usable snapshot: {}", printable(path), why),
                {},
                path.ends_with(".yaml") ? say("--catalog takes a directory or a snapshot, --overlay one file") : ""}});
  };
  const auto file = InputFile::open(path);
  if (!file)
    return std::unexpected(
        Errors{{ErrorKind::usage, say("cannot read '{}': {}", printable(path), file.error()), {}, {}}});
  const std::uint64_t size = file->size();
  constexpr std::uint64_t kSmallest = 64;
  constexpr std::uint64_t kLargest = std::uint64_t{2} << 30;  // the format's own: its offsets have 31 bits
  if (size < kSmallest) return refuse(say("it is too short"));
  if (size > kLargest) return refuse(say("it is larger than {:.0f} GiB", kLargest / 1024.0 / 1024 / 1024));
  auto read = std::make_shared<FileBlock>(size);
  if (read_into(read->all(), *file) != size) return refuse(say("it is too short"));
  const auto block = read->bytes();
  if (!snapshot::SnapshotBufferHasIdentifier(block.data())) return refuse(say("it does not start like one"));
  const XXH64_hash_t hash = XXH3_64bits(block.data(), block.size());
  if (std::memcmp(&hash, read->checksum(), kChecksumBytes) != 0) return refuse(say("its checksum is wrong"));
  flatbuffers::Verifier verifier(block.data(), block.size(), kMaxDepth, 10'000'000);
  if (!snapshot::VerifySnapshotBuffer(verifier)) return refuse(say("its structure is damaged"));
  return read;
}

std::string with_checksum(std::string bytes) {
  const XXH64_hash_t hash = XXH3_64bits(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&hash), kChecksumBytes);
  return bytes;
}

Author snapshot_author(std::string_view bytes) {
  constexpr std::string_view kIdentifier = "GPSL";
  constexpr std::size_t kBefore = 4;
  if (bytes.size() < kBefore + kIdentifier.size() + kChecksumBytes || !bytes.substr(kBefore).starts_with(kIdentifier))
    return Author::other;
  const XXH64_hash_t hash = XXH3_64bits(bytes.data(), bytes.size() - kChecksumBytes);
  const bool whole = std::memcmp(&hash, bytes.data() + bytes.size() - kChecksumBytes, kChecksumBytes) == 0;
  return whole ? Author::program : Author::edited;
}

}  // namespace gpusel::catalog
