#include "base/words/reason.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/words/message.hpp"

namespace gpusel {

std::string system_reason(int error) {
  // What happens to files of people; the rest as the system says it.
  static constexpr std::pair<int, std::string_view> kReasons[] = {
      {ENOENT, to_say("No such file or directory")},
      {EACCES, to_say("Permission denied")},
      {EPERM, to_say("Operation not permitted")},
      {EISDIR, to_say("Is a directory")},
      {ENOTDIR, to_say("Not a directory")},
      {EEXIST, to_say("File exists")},
      {ENOTEMPTY, to_say("Directory not empty")},
      {EROFS, to_say("Read-only file system")},
      {ENOSPC, to_say("No space left on device")},
      {EDQUOT, to_say("Disk quota exceeded")},
      {EFBIG, to_say("File too large")},
      {ENAMETOOLONG, to_say("File name too long")},
      {ELOOP, to_say("Too many levels of symbolic links")},
      {EMFILE, to_say("Too many open files")},
      {EINVAL, to_say("Invalid argument")},
      {EIO, to_say("Input/output error")},
      {EBADF, to_say("it is closed")},
  };
  const auto* const known = std::ranges::find(kReasons, error, &std::pair<int, std::string_view>::first);
  return known == std::end(kReasons) ? std::string(std::strerror(error)) : say_text(known->second);
}

}  // namespace gpusel
