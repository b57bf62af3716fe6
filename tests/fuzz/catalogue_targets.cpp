// Catalogues: YAML in a folder, YAML on top of what there is, snapshots.
#include "base/text/text.hpp"
#include "catalog/lint/lint.hpp"
#include "catalog/snapshot/tables.hpp"
#include "fuzz/ground.hpp"
#include "fuzz/readers.hpp"

namespace gpusel::fuzz {

namespace {

/// What is kept and opened again is the same, byte for byte.
void check_kept(const catalog::Catalog& catalog) {
  const std::string bytes = catalog::write_snapshot(catalog);
  const auto again = catalog::open_snapshot(file_of("kept.snapshot", bytes));
  must(again.has_value(), "a catalogue that was kept cannot be opened");
  must(catalog::write_snapshot(*again) == bytes, "a catalogue that was kept is another one");
}

}  // namespace

void feed_catalogue(std::string_view bytes) {
  const std::string file = file_of("catalogue/fed.yaml", bytes);
  const std::string folder = file.substr(0, file.rfind('/'));
  const auto alone = catalog::load_directory(folder);
  if (!alone) return check(alone.error());
  check_kept(*alone);
  catalog::LintOptions options;
  options.today = kToday;
  for (const catalog::Finding& finding : catalog::lint(*alone, {}, options).findings)
    must(!finding.message.empty(), "lint says nothing");
  const auto over = catalog::load(in_place(folder));
  if (!over) return check(over.error());
  use(*over);
}

void feed_overlay(std::string_view bytes) {
  const std::string file = file_of("overlay.yaml", bytes);
  if (const auto documents = catalog::read_documents(file); !documents) return check(documents.error());
  catalog::LoadOptions options = in_place(GPUSEL_SOURCE_DIR "/tests/data/market");
  options.overlays = {file};
  const auto catalog = catalog::load(options);
  if (!catalog) return check(catalog.error());
  use(*catalog);
}

/// As it is, and with a checksum that is right: nobody would get past it by chance.
void feed_snapshot(std::string_view bytes) {
  for (const std::string& file : {std::string(bytes), catalog::with_checksum(std::string(bytes))}) {
    const std::string path = file_of("fed.snapshot", file);
    const auto own = catalog::open_snapshot(path);
    if (!own) {
      check(own.error());
      continue;
    }
    check_kept(*own);
    const auto catalog = catalog::load(in_place(path));
    if (!catalog) return check(catalog.error());
    use(*catalog);
  }
}

std::vector<std::string> made_snapshots() {
  const auto lean = catalog::load_directory(GPUSEL_SOURCE_DIR "/tests/fuzz/seeds/catalogue");
  if (!lean) throw std::runtime_error(lean.error().front().where + ": " + lean.error().front().message);
  std::string bytes = catalog::write_snapshot(*lean);
  bytes.resize(bytes.size() - sizeof(std::uint64_t));  // the checksum, which the target adds
  return {bytes};
}

}  // namespace gpusel::fuzz
