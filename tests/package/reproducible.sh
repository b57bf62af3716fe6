#!/bin/sh
# Builds the sources in two folders, at another time, in another language: every object, archive and program must be the
# same bytes. usage: reproducible.sh SCRATCH [TARGET...]; the program and the library, if no target is named.
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$1
shift
[ $# -gt 0 ] || set -- gpusel gpusel_library
rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
export CCACHE_DISABLE=1

# built FOLDER TARGET...
built() {
  folder=$scratch/$1
  shift
  mkdir -p "$folder"
  tar -C "$folder" -xmf "$scratch/sources.tar"
  log=$folder/build.log
  { (cd "$folder" && cmake --preset release -DGPUSEL_TESTS=OFF) && cmake --build "$folder/build" --target "$@"; } \
    >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
}

tar -C "$source" --exclude=./build --exclude=./.git -cf "$scratch/sources.tar" .
built one "$@"
TZ=Asia/Tokyo LC_ALL=C.UTF-8 built of/another/length "$@"

cd "$scratch/one/build"
find . -type f \( -name '*.o' -o -name '*.a' -o -name '*.snapshot' -o -name '*.mo' -o -path ./gpusel \) | sort >"$scratch/files"
[ -s "$scratch/files" ] || {
  echo "reproducible: nothing was built" >&2
  exit 1
}
differing=0
while read -r file; do
  # What CMake tries the compiler with is no part of what is built.
  case $file in ./CMakeFiles/*) continue ;; esac
  cmp "$file" "$scratch/of/another/length/build/$file" || differing=$((differing + 1))
done <"$scratch/files"
echo "reproducible: $(wc -l <"$scratch/files") files compared, $differing differ"
[ "$differing" -eq 0 ]
