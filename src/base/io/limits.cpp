#include "base/io/limits.hpp"

#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel {

namespace {

/// What a file that is no plain text begins with.
struct Magic {
  std::string_view bytes;
  std::string_view what;
};
constexpr Magic kMagics[] = {
    {"\xFF\xFE", to_say("it is UTF-16; save it as UTF-8")},
    {"\xFE\xFF", to_say("it is UTF-16; save it as UTF-8")},
    {"\x1F\x8B", to_say("it is compressed with gzip; unpack it first")},
    {"PK\x03\x04", to_say("it is a zip archive; unpack it first")},
    {"\x28\xB5\x2F\xFD", to_say("it is compressed with zstd; unpack it first")},
};

}  // namespace

std::string too_many_values() { return say("more than {} values", human_number(kMaxValues)); }
std::string too_many_columns() { return say("more than {} columns", human_number(kMaxColumns)); }

std::string_view not_text(std::string_view begin) {
  for (const Magic& magic : kMagics)
    if (begin.starts_with(magic.bytes)) return magic.what;
  return {};
}

}  // namespace gpusel
