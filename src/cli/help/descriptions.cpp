#include "cli/help/descriptions.hpp"

#include <algorithm>
#include <iterator>

#include "base/words/message.hpp"

namespace gpusel::cli {

namespace {

struct Description {
  std::string_view command;
  std::string_view text;
};

constexpr Description kDescriptions[] = {
    {"recommend",
     to_say("Plans the job on every instance of the catalog, drops what does not fit or is not allowed, and ranks "
            "the rest by cost, speed or a balance of both. Every figure has a range and every price a date; "
            "assumptions and warnings are listed. In a terminal, without --task, it asks for what it needs to know.")},
    {"estimate", to_say("Memory and speed of one job on given GPUs, with their ranges, part by part, in the best "
                        "parallel layout unless you set one. --batch answers a file of requests line by line.")},
    {"compare", to_say("GPUs, instances or several of one side by side, with the best of each row marked. With a "
                       "model, also the job's memory, speed, latency and cost on each.")},
    {"cost", to_say("Costs of hours, days or a whole job under every published term: on demand, spot, reserved and "
                    "savings plans, with storage and traffic, and the usage at which one gets cheaper than another. "
                    "Also prices a saved answer of recommend.")},
    {"fleet",
     to_say("Finds the cheapest mix of instances that serves a request rate within its latency targets, and says "
            "whether that is proven the minimum. The schedule over the day and autoscaler settings follow.")},
    {"verify",
     to_say("Estimates the published measurements that come with gpusel, or those of a file, and prints how far off it "
            "is, for the whole and for parts of it.")},
    {"calibrate",
     to_say(
         "Scales a machine's step times to one measured time between tokens, a benchmark's result file or a training "
         "log, fits the few other coefficients that your measurements affect, and saves them with their intervals in "
         "your own folder; every later answer uses them. --dry-run shows what would be saved, --reset removes it.")},
    {"gpus", to_say("Lists, filters and sorts them; 'gpus show NAME' prints one with the source of each figure.")},
    {"instances",
     to_say("Lists, filters and sorts them with the cheapest price that meets the limits; 'instances show SKU' prints "
            "one with all its offers, --like the nearest equivalents of one elsewhere.")},
    {"models",
     to_say("Lists, filters and sorts them; 'models show NAME' prints one, or what is understood of a file.")},
    {"catalog import",
     to_say("Reads price lists as SkyPilot, gpuhunt, AWS, Azure and Vast.ai publish them, or a table of your own, and "
            "writes a snapshot or a folder of YAML. Rows that cannot be read are reported with their location.")},
    {"catalog update",
     to_say("Fetches the price list of each source with the system's curl and saves newer prices in your own data. A "
            "source that fails is reported and keeps its saved prices; the others are read.")},
    {"catalog sources",
     to_say("Names each list and part of a list, with what it covers, its license and address, and when it was read.")},
    {"catalog lint", to_say("Runs every check over the catalog or your own files. The status is 5 if an error or a "
                            "warning remains that nobody accepted.")},
    {"catalog path", to_say("Shows the built-in catalog, every overlay on top of it, lowest first, and the folder "
                            "whose files are always applied.")},
    {"catalog show", to_say("Finds the record of that name, of any kind, and prints it with the documents it cites.")},
    {"catalog stats", to_say("Counts records, offers and sources, and says how old the prices are.")},
    {"catalog diff",
     to_say("Records that were added, removed or changed, fact by fact. Without names it shows what --catalog and the "
            "overlays change.")},
    {"whatif", to_say("Repeats a question with one or two inputs varied, finds where the winner changes, and ranks the "
                      "inputs by how much they move the cost.")},
    {"completion",
     to_say("Prints the script that a shell loads to complete gpusel's words. The script asks the program itself, so "
            "names in your overlays are completed too. Packages install these scripts.")},
    {"config show", to_say("Every setting in effect, with its value and where it comes from: the command line, a "
                           "variable, a file or the program itself. With a COMMAND, those that apply to it.")},
    {"config path", to_say("The two files that settings are read from, and whether they exist.")},
    {"doctor", to_say("Checks the program, the catalog and its overlays, the age of prices and exchange rates, "
                      "settings, language, terminal, completion and manual, and marks what needs attention.")},
};

}  // namespace

std::string_view description_of(std::string_view command) {
  const auto* found = std::ranges::find(kDescriptions, command, &Description::command);
  return found == std::end(kDescriptions) ? std::string_view{} : found->text;
}

}  // namespace gpusel::cli
