// Files that are written whole or not at all, several together, and folders in which one run is alone.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "base/io/file.hpp"
#include "support/program.hpp"

namespace file_test {

using namespace gpusel;
using test::read_file;
using test::scratch_directory;
using test::scratch_file;
namespace fs = std::filesystem;

namespace {

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("a file that is written anew keeps its rights, a new one has those of the umask") {
  const std::string folder = scratch_directory(), path = folder + "/file";
  REQUIRE(write_whole(path, "one"));
  struct stat state{};
  REQUIRE(stat(path.c_str(), &state) == 0);
  const mode_t mask = umask(0);
  umask(mask);
  CHECK((state.st_mode & 0777U) == (0666U & ~mask));
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  REQUIRE(write_whole(path, "two"));
  REQUIRE(stat(path.c_str(), &state) == 0);
  CHECK((state.st_mode & 0777U) == 0640);
  CHECK(read_file(path) == "two");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a link is replaced by the file, and what it led to stays") {
  const std::string folder = scratch_directory(), precious = scratch_file("precious", "mine");
  fs::create_symlink(precious, folder + "/link");
  REQUIRE(write_whole(folder + "/link", "new"));
  CHECK(read_file(precious) == "mine");
  CHECK_FALSE(fs::is_symlink(folder + "/link"));
  CHECK(read_file(folder + "/link") == "new");
}

TEST_CASE("of files that belong together none is changed where one cannot be written") {
  const std::string folder = scratch_directory(), a = folder + "/a", b = folder + "/b";
  REQUIRE(write_whole(a, "old"));
  fs::create_directory(b);
  const FileText files[] = {{a, "new"}, {b, "new"}};
  const Status failed = write_together(files, "unfinished");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::io);
  CHECK(failed.error().message.find(b) != std::string::npos);
  CHECK(read_file(a) == "old");
  CHECK(files_in(folder) == 2);
  fs::remove(b);
  CHECK(write_together(files, "unfinished"));
  CHECK(read_file(a) + read_file(b) == "newnew");
  CHECK(files_in(folder) == 2);
  CHECK(write_together({}, {}));
}

TEST_CASE("a set that breaks off halfway says which of its files are new") {
  const std::string folder = scratch_directory(), a = folder + "/a", b = folder + "/b", gone = folder + "/gone";
  REQUIRE(write_whole(a, "old"));
  fs::create_directory(gone);  // cannot be unlinked
  const FileText files[] = {{a, "new"}, {b, "new"}};
  const Status failed = write_together(files, {}, {&gone, 1});
  REQUIRE_FALSE(failed);
  CHECK(read_file(a) == "old");
  CHECK(read_file(b) == "new");
  const std::string hint = failed.error().hint;
  CHECK(hint.find("new already: '" + b + "'; the others are as they were") != std::string::npos);
}

TEST_CASE("one run writes into a folder, or any number read it") {
  const std::string folder = scratch_directory();
  using For = FolderLock::For;
  {
    const FolderLock one(folder, For::reading), other(folder, For::reading);
    CHECK_FALSE(one.busy());
    CHECK_FALSE(other.busy());
    CHECK(FolderLock(folder, For::writing).busy());
  }
  const FolderLock writer(folder, For::writing);
  CHECK_FALSE(writer.busy());
  CHECK(FolderLock(folder, For::writing).busy());
  CHECK(FolderLock(folder, For::reading).busy());
  CHECK_FALSE(FolderLock("/nonexistent", For::writing).busy());
}

TEST_CASE("what is no file is not opened, and why it is not is told") {
  const std::string folder = scratch_directory(), pipe = folder + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(InputFile::open(folder).error() == "it is a directory");
  CHECK(InputFile::open(pipe).error() == "it is not a regular file");
  CHECK(InputFile::open(folder + "/none").error() == "No such file or directory");
  CHECK(InputFile::open("/dev/null"));
  const auto file = InputFile::open(scratch_file("file", "text"));
  REQUIRE(file);
  CHECK(file->size() == 4);
  CHECK(read_text(*file, "file", 10).value() == "text");
  CHECK(read_text(*InputFile::open(scratch_file("file", "text")), "file", 3).error().message.find("larger than") !=
        std::string::npos);
}

}  // namespace file_test
