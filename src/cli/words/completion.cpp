// gpusel completion SHELL: the script that makes a shell ask `gpusel __complete`.
#include <algorithm>
#include <memory>

#include "base/words/message.hpp"
#include "cli/commands.hpp"

namespace gpusel::cli {

namespace {

struct Shell {
  std::string_view name;
  std::string_view script;
};

constexpr Shell kShells[] = {{"bash", R"script(# bash completion for gpusel
_gpusel() {
  local line=${COMP_LINE:0:COMP_POINT} words=() part i
  # Bash splits words at = and : too: what no space parts is one word again, up to the cursor.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${line%%[![:space:]]*}
    line=${line#"$part"}
    if ((i == 0)) || [[ -n $part ]]; then words+=(""); fi
    if ((i == COMP_CWORD)); then part=$line; else part=${COMP_WORDS[i]}; fi
    line=${line#"$part"}
    words[-1]+=${part//[\"\'\\]/}
  done
  local word=${words[-1]} known=() files=0 candidate
  # Readline replaces only what stands behind the last = or : that it splits at.
  local fixed=${COMP_WORDBREAKS//[^=:]/}
  if [[ -n $fixed ]]; then fixed=${word%"${word##*["$fixed"]}"}; fi
  COMPREPLY=()
  mapfile -t known < <("${words[0]/#\~/$HOME}" __complete -- "${words[@]:1}" 2>/dev/null)
  for candidate in "${known[@]}"; do
    case $candidate in
      :files) files=1 ;;
      :nospace) compopt -o nospace 2>/dev/null ;;
      *)
        candidate=${candidate%%$'\t'*}
        candidate=${candidate#"$fixed"}
        if [[ $candidate == *[!A-Za-z0-9_.,:=/+@%-]* ]]; then printf -v candidate %q "$candidate"; fi
        COMPREPLY+=("$candidate")
        ;;
    esac
  done
  if ((files)); then
    compopt -o filenames 2>/dev/null
    local path=$word
    if [[ $path == -*=* ]]; then path=${path#*=}; fi
    while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$path")
  fi
}
complete -F _gpusel gpusel
)script"},
                             {"zsh", R"script(#compdef gpusel
# zsh completion for gpusel
_gpusel() {
  local -a known plain open
  local candidate value about files=0 nospace=0
  local program=${(Q)words[1]}
  known=("${(@f)$("${program/#\~/$HOME}" __complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  for candidate in $known; do
    case $candidate in
      '') ;;
      :files) files=1 ;;
      :nospace) nospace=1 ;;
      *)
        value=${candidate%%$'\t'*}
        about=${candidate#$value}
        plain+=("${value//:/\\:}${about:+:${about#$'\t'}}")
        ;;
    esac
  done
  # Names are offered in whatever case they are typed.
  open=(-M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}')
  if ((nospace)); then open+=(-S ''); fi
  if (($#plain)); then _describe gpusel plain "${open[@]}"; fi
  if ((files)); then
    compset -P '-*='
    _files
  fi
}
# A file of its own that compinit loads, or sourced.
if [[ ${funcstack[1]} == _gpusel ]]; then _gpusel "$@"; else compdef _gpusel gpusel; fi
)script"},
                             {"fish", R"script(# fish completion for gpusel
function __gpusel_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    set -l files 0
    for candidate in ($program __complete -- $words[2..-1] "$word" 2>/dev/null)
        switch $candidate
            case :files
                set files 1
            case :nospace
            case '*'
                echo $candidate
        end
    end
    if test $files = 1
        set -l head (string match -r '^--?[^=]*=' -- $word)
        for path in (__fish_complete_path (string replace -r '^--?[^=]*=' '' -- $word))
            echo "$head$path"
        end
    end
end
complete -c gpusel -f -a '(__gpusel_complete)'
)script"}};

int print_script(const std::string& name, Context& context) {
  const auto* shell = std::ranges::find(kShells, name, &Shell::name);
  context.out.write(shell->script);
  return kOk;
}

}  // namespace

Parsed make_completion() {
  auto shell = std::make_shared<std::string>();
  Parsed parsed;
  parsed.positional = "SHELL";
  parsed.positional_help = say("bash, zsh or fish");
  parsed.positional_required = true;
  parsed.positional_places = {{"", "bash|zsh|fish"}};
  parsed.positional_set = [shell](std::string_view name) -> Status {
    std::vector<std::string_view> names;
    for (const Shell& one : kShells) names.push_back(one.name);
    if (std::ranges::find(names, name) == names.end()) return job::not_one_of(name, names);
    if (!shell->empty()) return usage_error(say("one shell at a time"));
    *shell = name;
    return {};
  };
  parsed.shows_settings = true;
  parsed.run = [shell](Context& context) { return print_script(*shell, context); };
  return parsed;
}

}  // namespace gpusel::cli
