#include "catalog/update/update.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>

#include "base/io/own_file.hpp"
#include "base/text/text.hpp"
#include "base/words/message.hpp"
#include "catalog/update/list_market.hpp"
#include "catalog/update/pages.hpp"

namespace gpusel::catalog {

namespace {

namespace fs = std::filesystem;

/// A list that has so few of the rows it had is no list of today.
constexpr double kLostRows = 0.7;
constexpr double kMovedMedian = 3;
constexpr std::size_t kMostRemarks = 100;

Error update_error(std::string message, std::string hint = {}) {
  return {ErrorKind::io, std::move(message), {}, std::move(hint)};
}

Status make_folder_for_writing(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return std::unexpected(
        update_error(say("cannot make the folder '{}': {}", printable(folder), system_reason(failed.value()))));
  if (access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return std::unexpected(update_error(say("cannot write '{}': {}", printable(folder), system_reason(errno))));
}

class Updater {
 public:
  Updater(const UpdateRequest& request, const Catalog& base, const Catalog& all)
      : request_(request), base_(base), all_(all) {}

  std::expected<std::vector<ListUpdate>, Errors> run() {
    if (!request_.dry_run)
      if (Status made = make_folder_for_writing(request_.folder); !made) return std::unexpected(Errors{made.error()});
    if (request_.files.empty())
      if (Status made = make_folder_for_writing(request_.work_folder); !made)
        return std::unexpected(Errors{made.error()});
    const FolderLock alone_there(request_.work_folder, FolderLock::For::writing);
    const FolderLock alone(request_.folder, FolderLock::For::writing);
    if (alone.busy() || alone_there.busy())
      return std::unexpected(Errors{update_error(say("another gpusel is updating the catalog"), say("try again"))});
    auto kept = kept_in(request_.folder);
    if (!kept) return std::unexpected(std::move(kept.error()));
    kept_ = std::move(*kept);
    std::vector<ListUpdate> updates;
    for (std::size_t i = 0; i < request_.parts.size(); ++i) updates.push_back(one(i));
    if (changed_ && !request_.dry_run)
      if (Status written = write_kept_lists(request_.folder, kept_, new_files_); !written)
        return std::unexpected(Errors{written.error()});
    return updates;
  }

 private:
  ListUpdate one(std::size_t index) {
    const ListPart& part = request_.parts[index];
    ListUpdate update;
    update.id = part.id();
    update.address = mirrored(request_.mirror, part.address());
    if (!has_key(part, update)) return update;
    const auto pages = pages_of(index);
    if (!pages) {
      update.reason = pages.error().message;
      return update;
    }
    update.bytes = pages->bytes;
    if (pages->unchanged)
      keep_as_it_is(update);
    else
      read(part, *pages, update);
    std::error_code failed;
    if (request_.files.empty())
      for (const std::string& file : pages->files) fs::remove(file, failed);
    return update;
  }

  std::string key_of(const ListPart& part) const {
    const std::string& name = part.list->key_variable;
    return name.empty() ? name : request_.environment(name);
  }

  /// Whether all is there to ask for a list; says in `update` what is not.
  bool has_key(const ListPart& part, ListUpdate& update) const {
    const std::string& name = part.list->key_variable;
    if (name.empty() || !request_.files.empty() || !request_.mirror.empty()) return true;
    const std::string key = key_of(part);
    if (key.empty()) {
      update.outcome = request_.named ? ListOutcome::failed : ListOutcome::no_key;
      update.reason = say("it needs a key: set {}", name);
    } else if (std::ranges::any_of(key, [](unsigned char c) { return c < 0x20 || c == 0x7F; })) {
      update.reason = say("the key in {} is not one line of text", name);
    }
    return update.reason.empty();
  }

  Result<Pages> pages_of(std::size_t index) {
    const ListPart& part = request_.parts[index];
    if (!request_.files.empty()) {
      Pages given;
      given.files = request_.files;
      return given;
    }
    return fetch_pages({.part = part,
                        .mirror = request_.mirror,
                        .key = key_of(part),
                        .had = state_of(part),
                        .folder = request_.work_folder,
                        .progress = [&](std::uint64_t got, std::uint64_t size) {
                          if (request_.progress) request_.progress(index, got, size);
                        }});
  }

  KeptList* kept_of(const std::string& id) {
    const auto found = std::ranges::find(kept_, id, &KeptList::id);
    return found == kept_.end() ? nullptr : &*found;
  }

  /// What to ask the server for changes since. Another program may read more of the same list.
  PageState state_of(const ListPart& part) {
    const KeptList* kept = kept_of(part.id());
    if (kept == nullptr || kept->program != request_.program) return {};
    return kept->address == mirrored(request_.mirror, part.address()) ? kept->state : PageState{};
  }

  void keep_as_it_is(ListUpdate& update) {
    KeptList* kept = kept_of(update.id);
    update.outcome = ListOutcome::unchanged;
    update.as_of = kept->as_of;
    update.imported = kept->rows;
    update.rows = kept->rows;
    changed_ = changed_ || kept->read != request_.today;
    kept->read = request_.today;
  }

  Date day_of(const ListPart& part, const Pages& pages) const {
    if (!request_.files.empty()) return request_.as_of;
    if (!part.list->day_key.empty()) return pages.day;
    return part.list->day == ListDay::read ? request_.today : Date{};
  }

  void read(const ListPart& part, const Pages& pages, ListUpdate& update) {
    const ListReading reading{.part = part,
                              .files = pages.files,
                              .as_of = day_of(part, pages),
                              .trust = request_.trust,
                              .base = base_,
                              .all = all_};
    auto list = part.list->machines ? read_machines(reading) : read_tokens(reading);
    if (!list) {
      update.reason = list.error().message;
      return;
    }
    update.as_of = list->as_of;
    update.rows = list->rows;
    update.imported = list->imported;
    update.kept_out = list->kept_out;
    update.changes = list->changes;
    update.remarks = std::move(list->remarks);
    if (update.remarks.size() > kMostRemarks) update.remarks.resize(kMostRemarks);
    if (update.reason = doubt(part, *list); !update.reason.empty()) {
      update.outcome = ListOutcome::kept_out;
      return;
    }
    update.outcome = ListOutcome::updated;
    keep(part, pages, std::move(*list));
  }

  /// Why a list as a whole is kept out; empty where it is not.
  std::string doubt(const ListPart& part, const ReadList& list) {
    if (request_.trust) return {};
    const KeptList* before = kept_of(part.id());
    const auto rows = static_cast<double>(list.imported);
    if (before != nullptr && rows < kLostRows * static_cast<double>(before->rows))
      return say("it has {} rows, and had {}: --trust takes it", list.imported, before->rows);
    const double median = before != nullptr ? before->median : 0;
    const double moved = median > 0 && list.median > 0 ? list.median / median : list.against_known;
    if (moved <= 0 || (moved < kMovedMedian && moved > 1 / kMovedMedian)) return {};
    return median > 0 ? say("its median price went from {:.4g} to {:.4g} USD per GPU and hour: --trust takes it",
                            median, list.median)
                      : say("its prices are {:.3g} times those of the catalog: --trust takes it", moved);
  }

  void keep(const ListPart& part, const Pages& pages, ReadList list) {
    KeptList kept{.id = part.id(),
                  .files = {},
                  .address = mirrored(request_.mirror, part.address()),
                  .program = request_.program,
                  .state = pages.state,
                  .read = request_.today,
                  .as_of = list.as_of,
                  .rows = list.imported,
                  .offers = list.offers,
                  .median = list.median};
    std::string stem = "list-" + part.id();
    std::ranges::replace(stem, '/', '_');
    for (YamlFile& file : list.files) {
      const std::string hash = content_hash(file.text);
      kept.files.push_back(format("{}-{}{}", stem, hash.substr(hash.find(':') + 1), file.name));
      texts_.push_back(std::move(file.text));
      new_files_.push_back({(fs::path(request_.folder) / kept.files.back()).string(), texts_.back()});
    }
    changed_ = true;
    if (KeptList* before = kept_of(part.id()))
      *before = std::move(kept);
    else
      kept_.push_back(std::move(kept));
  }

  const UpdateRequest& request_;
  const Catalog& base_;
  const Catalog& all_;
  std::vector<KeptList> kept_;
  std::deque<std::string> texts_;
  std::vector<FileText> new_files_;
  bool changed_ = false;
};

}  // namespace

std::expected<std::vector<ListUpdate>, Errors> update_lists(const UpdateRequest& request, const Catalog& base,
                                                            const Catalog& all) {
  return Updater(request, base, all).run();
}

}  // namespace gpusel::catalog
