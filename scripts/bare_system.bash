# What check_bare and check_packages share: new systems that are seen through chroot. Each sources this file first.
script=$0
PATH=/usr/sbin:/usr/bin:/sbin:/bin

fail() {
  echo "${script##*/}: $*" >&2
  exit 1
}

# A system with what every one of its kind has.
make_system() { # DIRECTORY SUITE SOURCES [OPTION...]
  local directory
  mmdebstrap --quiet --mode=root --variant=minbase "${@:4}" "$2" "$1" "$3"
  cp /etc/resolv.conf /etc/hosts "$1/etc/"
  for directory in proc sys dev; do mount --rbind "/$directory" "$1/$directory"; done
}

inside() { # DIRECTORY COMMAND
  chroot "$1" /usr/bin/env -i HOME=/root PATH="$PATH" ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} bash -ec "$2" </dev/null
}

# Starts the script again as `SCRIPT --inside PLACE`, with an empty directory for systems, and only that one goes on. It
# is in namespaces of its own: what was started and mounted is gone with the first process, however that ends.
apart() { # ARGUMENT...
  local status=0
  [[ $# == 0 || $1 == --inside ]] || fail "it takes no options."
  ((EUID == 0)) || fail "it needs root, for chroot: sudo scripts/${script##*/}"
  if [[ $# != 0 ]]; then
    place=$2
    # The proxies that this system's apt uses.
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    [[ ! ${http_proxy:-} ]] || export http_proxy # for mmdebstrap
    [[ ! ${https_proxy:-} ]] || export https_proxy
    return
  fi
  before
  ./dev deps "${script##*/}"
  place=$(mktemp -d "${TMPDIR:-/tmp}/${script##*/}.XXXXXX")
  chmod 755 "$place" # apt reads as a user of its own
  process=
  trap '[[ ! $process ]] || { kill -KILL "$process" && wait "$process"; } 2>/dev/null || true
    rm -rf --one-file-system "$place"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  unshare --mount --pid --fork --kill-child --mount-proc "scripts/${script##*/}" --inside "$place" &
  process=$!
  wait "$process" || status=$?
  ((status < 128)) || fail "stopped by signal $((status - 128))."
  exit "$status"
}
