#!/bin/sh
# Installs the packages on a clean Debian 12, made anew by debootstrap, and uses the program there.
# clean_install.sh PACKAGES BASE: the folder with the packages, and a folder that keeps the clean system for the next run.
# Needs root (chroot) and, for BASE and for the library's dependencies, the network.
set -eu
packages=$(cd "$1" && pwd)
base=$2
mirror=${GPUSEL_MIRROR:-http://deb.debian.org/debian}

say() { printf 'clean install: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

[ "$(id -u)" -eq 0 ] || die "must be root: a clean system is entered by chroot"
if [ ! -f "$base/.complete" ]; then
  say "making a clean Debian 12 from $mirror (some minutes)"
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase bookworm "$base" "$mirror" >"$base.log" 2>&1 || {
    tail -n 5 "$base.log" >&2
    die "debootstrap failed; $base.log has it all"
  }
  touch "$base/.complete"
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/gpusel-clean.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 1' INT TERM
cp -a "$base/." "$root"
cp "$packages"/gpusel_*.deb "$packages"/libgpusel-dev_*.deb "$root/root/"

# inside COMMAND: in the clean system, with no more of an environment than a login has.
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    chroot "$root" sh -euc "$1"
}
# check WHAT COMMAND: says what does not hold.
check() {
  if ! inside "$2" >"$root/root/output" 2>&1; then
    cat "$root/root/output" >&2
    die "failed: $1"
  fi
  say "$1"
}

check "the package installs without any other" 'dpkg -i /root/gpusel_*.deb'
check "gpusel --version" 'gpusel --version | grep -q "^gpusel [0-9]"'
check "gpusel recommend" 'gpusel recommend --model llama-7b --task finetune -n 3 | grep -q "^1\. "'
check "gpusel recommend -o json" 'gpusel recommend --model llama-7b --task finetune -o json | grep -q "\"schema\""'
check "gpusel doctor" 'gpusel doctor'
check "nothing to be had is status 3" \
  'status=0; gpusel recommend --model llama-3.1-70b --task inference --max-price 0.01 >/dev/null || status=$?; test $status = 3'
check "a user without a home or rights gets an answer" \
  'setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent gpusel gpus -n 1'
check "its licence, changes and guide are there" \
  'cd /usr/share/doc/gpusel && test -s copyright && gzip -t changelog.gz changelog.Debian.gz && test -s docs/guide.md'
check "every file is what was packed" 'dpkg --verify gpusel && test -z "$(dpkg --verify gpusel)"'
check "man pages of the program and of recommend" \
  'cd /usr/share/man/man1 && gzip -t gpusel.1.gz && gzip -t gpusel-recommend.1.gz'
check "completions for bash, zsh and fish" \
  'cd /usr/share && bash -n bash-completion/completions/gpusel && test -s zsh/vendor-completions/_gpusel &&
   test -s fish/vendor_completions.d/gpusel.fish'
check "a page for a browser" 'cd /tmp && gpusel report --model llama-7b --task finetune -o report.html && test -s report.html'
check "Chinese without a locale installed" 'gpusel recommend --model llama-7b --task finetune --lang zh -n 1 | grep -q 假定'
check "the library's package has all it depends on in Debian 12" \
  'apt-get -qq update && apt-get -qq --simulate install /root/libgpusel-dev_*.deb'
check "the package is removed without a trace" \
  'dpkg -P gpusel && ! ls -d /usr/bin/gpusel /usr/share/doc/gpusel 2>/dev/null'
