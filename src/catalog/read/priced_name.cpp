#include "catalog/read/priced_name.hpp"

#include <algorithm>

#include "base/text/text.hpp"
#include "base/values/number.hpp"
#include "base/words/message.hpp"

namespace gpusel::catalog {

namespace {

std::string pair_of(const Instance& instance, std::string_view name) {
  return format("{}/{}", instance.provider, name);
}

class NameReader {
 public:
  NameReader(std::string_view name, const Catalog& catalog)
      : name_(name), folded_(fold_name(name)), catalog_(catalog) {}

  Result<PricedName> read() {
    if (const auto provider = catalog_.provider(name_)) {
      out_.kind = Priced::provider;
      mark([&](const Instance& one) { return one.provider == (*provider)->id; });
      return std::move(out_);
    }
    out_.kind = Priced::gpu;
    const std::string gpu = fold_gpu_name(name_);
    const auto has_gpu = [&](const Instance& one) {
      const Gpu* of = catalog_.gpu_of(one);
      return of != nullptr && goes_by(*of, gpu);
    };
    if (mark(has_gpu)) {
      find_namesake();
      return std::move(out_);
    }
    if (catalog_.has_instance(name_)) {
      const auto instance = catalog_.instance(name_);
      if (!instance) return std::unexpected(instance.error());
      out_.kind = Priced::instance;
      mark([&](const Instance& one) { return &one == *instance; });
      return std::move(out_);
    }
    return family();
  }

 private:
  template <class IsMeant>
  bool mark(IsMeant is_meant) {
    const auto instances = catalog_.instances();
    out_.instances.assign(instances.size(), false);
    for (std::size_t i = 0; i < instances.size(); ++i) out_.instances[i] = is_meant(instances[i]);
    return std::find(out_.instances.begin(), out_.instances.end(), true) != out_.instances.end();
  }

  /// A family or an instance with the name of a GPU.
  void find_namesake() {
    for (const Instance& one : catalog_.instances()) {
      const bool family = fold_name(one.family) == folded_;
      if (!family && fold_name(one.sku) != folded_) continue;
      out_.also = pair_of(one, family ? one.family : one.sku);
      return;
    }
  }

  Result<PricedName> family() {
    const Instance* first = nullptr;
    const Instance* other = nullptr;
    out_.kind = Priced::family;
    mark([&](const Instance& one) {
      if (one.family.empty() || (fold_name(one.family) != folded_ && fold_name(pair_of(one, one.family)) != folded_))
        return false;
      if (first == nullptr) first = &one;
      if (first->provider != one.provider) other = &one;
      return true;
    });
    if (other != nullptr)
      return usage_error(say("two providers have a family '{}'", shorten(name_, 60)), {},
                         say("write '{}' or '{}'", pair_of(*first, name_), pair_of(*other, name_)));
    if (first != nullptr) return std::move(out_);
    const Hint near = nearest();
    return usage_error(say("'{}' is not a provider, GPU, family or instance", shorten(name_, 60)), {},
                       near.or_else(say("write aws, h100, aws/p4d or p4d.24xlarge")));
  }

  Hint nearest() const {
    std::vector<std::string_view> known;
    for (const Provider& provider : catalog_.providers()) known.push_back(provider.id);
    for (const Gpu& gpu : catalog_.gpus()) known.push_back(gpu.id);
    for (const Instance& instance : catalog_.instances()) {
      known.push_back(instance.sku);
      if (!instance.family.empty()) known.push_back(instance.family);
    }
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return did_you_mean(name_, known);
  }

  std::string_view name_;
  std::string folded_;
  const Catalog& catalog_;
  PricedName out_;
};

/// Whether each word of `name` is one of `words`; the first that is not decides, however long the name is.
bool is_made_of(std::string_view name, const std::vector<std::string_view>& words) {
  while (true) {
    const auto end = name.find('-');
    if (std::find(words.begin(), words.end(), trim(name.substr(0, end))) == words.end()) return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace

bool goes_by(const Gpu& gpu, std::string_view folded) {
  if (is_made_of(folded, split(gpu.id, '-'))) return true;
  for (const std::string_view alias : gpu.aliases)
    if (fold_gpu_name(alias) == folded) return true;
  return false;
}

Result<NameOnTerm> name_on_term(std::string_view subject, const Catalog& catalog) {
  const auto colon = subject.rfind(':');
  if (colon == std::string_view::npos || catalog.has_instance(subject)) return NameOnTerm{subject, std::nullopt};
  const std::string_view word = trim(subject.substr(colon + 1));
  const auto term = from_text<Term>(lower(word));
  if (term) return NameOnTerm{trim(subject.substr(0, colon)), term};
  const Hint near = did_you_mean(word, enum_names<Term>);
  return usage_error(say("no term '{}'", shorten(word, 40)), {}, near.or_else(say("write spot")));
}

Result<PricedName> priced_name(std::string_view subject, const Catalog& catalog) {
  const auto parts = name_on_term(subject, catalog);
  if (!parts) return std::unexpected(parts.error());
  auto read = NameReader(parts->name, catalog).read();
  if (read) read->term = parts->term;
  return read;
}

std::string in_words(const PricedName& name, std::size_t prices) {
  const std::string count = human_number(static_cast<double>(prices));
  std::string text;
  switch (name.kind) {
    case Priced::provider: text = say("{} prices of that provider", count); break;
    case Priced::gpu: text = say("{} prices of instances with that GPU", count); break;
    case Priced::family: text = say("{} prices of that family", count); break;
    case Priced::instance: text = say("{} prices of that instance", count); break;
  }
  return name.also.empty() ? text : text + say("; of {} alone: write {}", name.also, name.also);
}

}  // namespace gpusel::catalog
