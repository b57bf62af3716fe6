#include "show/job/ways_json.hpp"

namespace gpusel::show {

void tell_ways(JsonOut& out, std::span<const answer::Way> ways) {
  if (ways.empty()) return;
  out.list("what_would_work", ways, [&](const answer::Way& way) {
    out.object(JsonOut::kItem, [&] {
      out.text("flags", way.flags);
      out.figure("needed_gib", in_gib(way.need.needed));
      out.figure("usable_gib", in_gib(way.need.available));
      out.figure("fit_probability", way.need.chance());
      if (way.rate > 0)
        out.object("throughput", [&] {
          out.figure("value", way.rate);
          out.text("unit", way.unit);
        });
      else
        out.null("throughput");
    });
  });
}

void tell_largest(JsonOut& out, const answer::Largest& largest) {
  out.object("largest", [&] {
    out.text("flag", format("--{}", largest.flag));
    out.whole("value", largest.value);
    out.text("limited_by", largest.by_model ? "model" : "memory");
  });
}

}  // namespace gpusel::show
