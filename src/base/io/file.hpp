// Files: read without waiting for ever, written whole or not at all.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "base/values/error.hpp"

namespace gpusel {

/// /dev/stdin and what a shell makes of <(…): pipes that this program was handed on its command line. In a file such a
/// name is a mistake or a trap.
bool is_device_name(std::string_view path);

/// After a read or write that failed: waits until `events` (of poll) can be had, where whoever shares the file has
/// made it one that does not wait. False: it failed for another reason.
bool wait_for(int file, short events);

/// Waits for whoever reads. False: not all of it was taken, for the reason in errno.
bool write_all(int file, std::string_view bytes);

/// A file open for reading. A named pipe or a device could keep a command for ever; what is no regular file is read
/// only where the shell has handed it over, below /dev and /proc.
class InputFile {
 public:
  /// Error: why it cannot be read, as a person is told.
  static std::expected<InputFile, std::string> open(const std::string& path);
  /// Stays open when this object goes.
  static InputFile standard_input();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;
  ~InputFile();

  /// How many bytes came, 0 at the end; below 0 where reading failed, for the reason in errno.
  ssize_t read(std::span<char> into) const;
  /// Bytes of a regular file; 0: nobody knows.
  std::uint64_t size() const;
  /// Whose it is; nobody's where that is not known.
  uid_t owner() const;

 private:
  InputFile(int file, bool owned) : file_(file), owned_(owned) {}

  int file_;
  bool owned_;
};

/// Whether something is there, or the disk does not tell: reading says why, so that nothing is passed over unseen.
bool may_be_there(const std::string& path);

/// The rest of a file as text; refuses more than `max_bytes`. Errors call it `name`.
Result<std::string> read_text(const InputFile& file, const std::string& name, std::size_t max_bytes);

/// Writes a file beside `path`, makes sure it is on the disk, and puts it in the place of `path`. What was
/// there before stays until then, whatever happens in between.
Status write_whole(const std::string& path, std::string_view bytes);

/// That a file stands in; "." for a bare name.
std::string folder_of(const std::string& path);

struct FileText {
  std::string path;
  std::string_view bytes;
};

/// Files that mean something only together, in one folder: all of them are on the disk under other names before the
/// first gets its own. `unfinished`, unless it is empty, stands in the place of the first until the others are in
/// theirs and the `obsolete` ones are gone, so that a folder that was left halfway, by a loss of power, can be told
/// from a whole one.
Status write_together(std::span<const FileText> files, std::string_view unfinished,
                      std::span<const std::string> obsolete = {});

/// Whether a file's name is one under which files are written before they get their own.
bool is_pending_name(std::string_view name);

/// Keeps other runs of this program out of a folder: one writes, or any number read. It ends with this object, and
/// with the process. A file system without locks lets everybody in.
class FolderLock {
 public:
  enum class For : std::uint8_t { reading, writing };
  FolderLock(const std::string& folder, For purpose);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  /// Another run is writing, or this one would write and another reads.
  bool busy() const { return busy_; }

 private:
  int folder_;
  bool busy_ = false;
};

}  // namespace gpusel
