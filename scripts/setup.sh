#!/usr/bin/env bash
# Makes .venv/ with the locked requirements and sees that a database server is there.
# Usage: scripts/setup.sh runtime|dev|bench
# State stays in .venv/ and .local/; nothing else changes, except that a missing database server and
# its backup program (for dev a missing Chromium, for bench the peers that are measured too) are
# installed from apt where that is allowed.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_ROOT_USER_ACTION=ignore
readonly mode="${1:-runtime}" state=.local/setup tools=.local/tools

say() { printf 'set-up: %s\n' "$*" >&2; }
fail() { printf 'set-up failed: %s\n' "$*" >&2; exit 3; }
has() { command -v "$1" >/dev/null 2>&1; }

case "$mode" in
  runtime) lists=(requirements.txt) ;;
  dev | bench) lists=(requirements-dev.txt) ;;
  *) fail "usage: scripts/setup.sh runtime|dev|bench" ;;
esac

# What the installed set depends on: the lists, the place (scripts hold it) and the interpreter.
fingerprint() {
  { printf '%s\n' "$PWD"; .venv/bin/python -V
    cat requirements.txt requirements-dev.txt requirements.lock pyproject.toml
  } 2>&1 | sha256sum | cut -d ' ' -f 1
}

is_installed() {
  local stamp
  stamp=$(cat "$state/dev" "$state/$mode" 2>/dev/null) || [ -n "$stamp" ] || return 1
  [ -x .venv/bin/python ] && grep -q "$(fingerprint)" <<<"$stamp"
}

find_python() {
  local name check='import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))'
  for name in ${READINESS_PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
    if has "$name" && "$name" -c "$check" 2>/dev/null; then
      "$name" -c 'import sys; print(sys.executable)'
      return
    fi
  done
  fail "no Python 3.11 to 3.14 on PATH. Install one (apt-get install python3) or set" \
    "READINESS_PYTHON=/path/to/python."
}

# uv, from PATH or brought by pip or venv into .local/tools.
find_uv() {
  local python=$1
  if has uv && uv --version >/dev/null 2>&1; then command -v uv; return; fi
  if [ ! -x "$tools/bin/uv" ]; then
    say "bringing uv into $tools"
    if "$python" -m pip --version >/dev/null 2>&1; then
      "$python" -m pip install --quiet --target "$tools" uv >&2 || fail "pip could not bring uv."
    elif rm -rf "$tools" && "$python" -m venv "$tools" >/dev/null 2>&1; then
      "$tools/bin/python" -m pip install --quiet uv >&2 || fail "pip could not bring uv."
    else
      rm -rf "$tools"
      fail "this Python has neither pip nor venv. Run: apt-get install python3-venv"
    fi
  fi
  printf '%s\n' "$tools/bin/uv"
}

install_packages() {
  local python uv began=$SECONDS
  python=$(find_python)
  uv=$(find_uv "$python")
  export UV_PYTHON_DOWNLOADS=never UV_NO_PROGRESS=1 VIRTUAL_ENV=$PWD/.venv
  # A moved or half-made environment cannot be mended in place.
  if [ "$(cat "$state/place" 2>/dev/null || echo "$PWD")" != "$PWD" ] ||
    ! .venv/bin/python -c '' 2>/dev/null; then
    rm -rf .venv
    "$uv" venv --quiet --python "$python" .venv
  fi
  rm -f "$state/runtime" "$state/dev"
  printf '%s\n' "$PWD" >"$state/place"
  say "installing the locked requirements ($mode)"
  "$uv" pip install --quiet -c requirements.lock "${lists[@]/#/-r}" -e . ||
    fail "the requirements could not be installed: see the message above. Network? Disk?"
  fingerprint >"$state/$mode"
  say "installed in $((SECONDS - began)) s"
}

has_server() {
  local folder
  has mariadbd || has mysqld && return
  for folder in /usr/sbin /usr/local/sbin /usr/libexec; do
    [ -x "$folder/mariadbd" ] || [ -x "$folder/mysqld" ] && return
  done
  return 1
}

# Runs apt-get as root, with sudo where it asks nothing.
apt_get() {
  local sudo=()
  if [ "$(id -u)" != 0 ]; then
    has sudo && sudo -n true 2>/dev/null || return 1
    sudo=(sudo -n)
  fi
  has apt-get || return 1
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" \
    </dev/null >>"$state/apt.log" 2>&1
}

apt_install() {
  apt_get install -y --no-install-recommends "$1" ||
    { apt_get update && apt_get install -y --no-install-recommends "$1"; }
}

ensure_server() {
  if [ -n "${READINESS_MYSQLD:-}" ]; then
    [ -x "$READINESS_MYSQLD" ] || fail "READINESS_MYSQLD=$READINESS_MYSQLD is no program."
    return
  fi
  has_server && return
  say "installing mariadb-server-core (a server binary; no service is started)"
  apt_install mariadb-server-core && has_server && return
  fail "there is no database server, and apt-get could not install one (see $state/apt.log)." \
    "Install one (apt-get install mariadb-server-core, as root) or set" \
    "READINESS_MYSQLD=/path/to/mariadbd."
}

# The server program that the suite will run, as server_binary.py looks for it.
server_program() {
  local name folder
  if [ -n "${READINESS_MYSQLD:-}" ]; then printf '%s\n' "$READINESS_MYSQLD"; return; fi
  for name in mariadbd mysqld; do
    if has "$name"; then command -v "$name"; return; fi
    for folder in /usr/sbin /usr/local/sbin /usr/libexec; do
      if [ -x "$folder/$name" ]; then printf '%s\n' "$folder/$name"; return; fi
    done
  done
}

# Copies a running MariaDB; without it a server is stopped for its snapshot. Of the server's own
# version where apt has that; otherwise of its series, or it is of no use.
offer_backup() {
  local said version
  has mariadb-backup && return
  said=$("$(server_program)" --no-defaults --version 2>/dev/null) || return 0
  [[ $said == *MariaDB* ]] || return 0
  [ "$(cat "$state/backup" 2>/dev/null)" != "$said" ] || return 0 # tried: apt takes its time
  printf '%s\n' "$said" >"$state/backup"
  version=$(dpkg-query -W -f '${Version}' mariadb-server-core 2>/dev/null) || version=
  say "installing mariadb-backup, which copies running servers"
  { [ -n "$version" ] && apt_install "mariadb-backup=$version"; } || apt_install mariadb-backup ||
    say "no mariadb-backup: a running MariaDB cannot be copied, stop it for its snapshot"
}

# Only a test needs it, and says so when it is absent.
offer_chromium() {
  has chromium || has chromium-browser || has google-chrome && return
  say "installing chromium for the browser test"
  apt_install chromium || say "no chromium: the browser test will be skipped"
}

# A bench without a peer is printed without its ratio, and says so.
offer_peers() {
  has pt-query-digest || { say "installing percona-toolkit to measure beside it"
    apt_install percona-toolkit || say "no pt-query-digest: ratios will be left out"; }
  has sysbench || { say "installing sysbench to measure beside it"
    apt_install sysbench || say "no sysbench: its ratio will be left out"; }
  offer_locust
}

# In an environment of its own: its pins are none of ours.
offer_locust() {
  local peers=.local/bench-peers uv
  "$peers/bin/python" -c 'import locust, pymysql' 2>/dev/null && return
  say "installing Locust into $peers to measure beside it"
  uv=$(find_uv "$(find_python)")
  { "$uv" venv --quiet --clear --python "$(find_python)" "$peers" &&
    VIRTUAL_ENV=$peers "$uv" pip install --quiet locust==2.42.6 pymysql; } ||
    say "no Locust: its ratio will be left out"
}

mkdir -p "$state"
exec 9>"$state/lock"
if has flock; then flock 9; fi # two set-ups at once would tear the environment
if ! is_installed; then
  install_packages
  if [ "$mode" = dev ]; then offer_chromium; fi
fi
ensure_server
offer_backup
if [ "$mode" = bench ]; then offer_peers; fi
