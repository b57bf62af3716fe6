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
     to_say(
         "Plans the job on every instance of the catalogue, drops what does not fit or is not allowed, and ranks the "
         "rest by cost, speed or a balance of both. Every figure has a range, every price a date, every assumption "
         "and warning is named. In a terminal, without --task, it asks for what it needs to know.")},
    {"estimate",
     to_say(
         "Memory, speed and their ranges of one job on given GPUs, part by part, with the split over the GPUs that is "
         "best unless one is given. With --batch a file of requests is answered line by line.")},
    {"compare", to_say("Two to eight GPUs, instances or several of one in columns, differences marked. With --model "
                       "and --task, the job's memory, speed and cost on each follow.")},
    {"cost",
     to_say(
         "Hours, days or a whole job under every term that is published: on demand, spot, reserved and savings plans, "
         "with storage and traffic, and from which use on the one is cheaper than the other. A saved answer of "
         "recommend may be priced instead.")},
    {"fleet",
     to_say(
         "Chooses kinds and numbers of instances that serve a stated rate of requests within their latency targets at "
         "the least cost, and says how far from proven the minimum is. The day's course and numbers for autoscalers "
         "follow.")},
    {"verify",
     to_say("Estimates the published measurements that come with gpusel, or those of a file, and prints how far off it "
            "is, for the whole and for parts of it.")},
    {"calibrate",
     to_say(
         "Scales the steps of a machine to one measured time between tokens or to a benchmark's result file, fits the "
         "few other coefficients that your measurements have a say in, and keeps them with their intervals in your own "
         "folder, where every later answer takes them from. --dry-run shows what would be kept, --reset removes it.")},
    {"gpus", to_say("Lists, filters and sorts them; 'gpus show NAME' prints one with the source of each figure.")},
    {"instances",
     to_say("Lists, filters and sorts them with the cheapest price that meets the limits; 'instances show SKU' prints "
            "one with all its offers, --like the nearest equivalents of one elsewhere.")},
    {"models",
     to_say("Lists, filters and sorts them; 'models show NAME' prints one, or what is understood of a file.")},
    {"catalog import",
     to_say("Reads price lists as SkyPilot, gpuhunt, AWS, Azure and Vast.ai publish them, or a table of your own, and "
            "writes a snapshot or a folder of YAML. What cannot be read is said with its place.")},
    {"catalog update",
     to_say("Asks each source for its price list with the system's curl and keeps what is younger in your own data. A "
            "source that fails is named, what was kept of it stays, and the others are read.")},
    {"catalog sources",
     to_say("Names each list and part of a list, with what it covers, its licence and address, and when it was read.")},
    {"catalog lint",
     to_say(
         "Runs every check over the catalogue or over files of your own. The status is 5 where an error or a warning "
         "is left that nobody accepted.")},
    {"catalog path",
     to_say("Names the built-in catalogue and every file laid over it, lowest first, and the folder whose files always "
            "are.")},
    {"catalog show",
     to_say("Finds the record of that name, whatever its kind, and prints it with the documents it cites.")},
    {"catalog stats", to_say("Counts records, offers and sources, and says how old the prices are.")},
    {"catalog diff",
     to_say("Records that were added, removed or changed, fact by fact. Without names it shows what --catalog and the "
            "overlays change.")},
    {"whatif",
     to_say("Asks the same question again and again with one or two inputs varied, finds where the winner changes, and "
            "ranks the inputs by how far they move the cost.")},
    {"completion",
     to_say("Prints the script that a shell loads to complete gpusel's words. The script asks the program itself, so "
            "that the names in your overlays are completed too. Installed packages bring the scripts along.")},
    {"config show", to_say("Every setting in effect, with its value and where it comes from: the command line, a "
                           "variable, a file or the program itself. With a COMMAND, those that apply to it.")},
    {"config path", to_say("The two files that settings are read from, and whether they are there.")},
    {"doctor",
     to_say("Looks at the program, the catalogue and what is laid over it, the age of prices and exchange rates, "
            "settings, language, terminal, completion and manual. What needs attention is marked.")},
};

}  // namespace

std::string_view description_of(std::string_view command) {
  const auto* found = std::ranges::find(kDescriptions, command, &Description::command);
  return found == std::end(kDescriptions) ? std::string_view{} : found->text;
}

}  // namespace gpusel::cli
