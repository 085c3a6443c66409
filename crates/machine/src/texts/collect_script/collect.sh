#!/bin/sh
# Collects what 'reelgauge doctor --from DIR' reads, on a machine where Reelgauge itself does not run.
#
#   sh collect.sh DIR
#
# It only looks: files are read and commands asked, each for ten seconds at most. It writes into DIR alone, which must
# not exist yet. Run it as root where you can: some of it is for root's eyes. 'smbstatus' opens Samba's databases, as it
# always does.

set -u
LC_ALL=C
PATH=/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/sbin:/usr/local/bin
export LC_ALL PATH
umask 077

dir=${1:-}
if [ -z "$dir" ]; then
    echo "usage: sh collect.sh DIR" >&2
    exit 2
fi
mkdir "$dir" || exit 2

# The file of a text: its name with %25 for a percent sign and %2F for a slash.
file_of() {
    printf '%s/%s' "$dir" "$(printf '%s' "$1" | sed -e 's/%/%25/g' -e 's,/,%2F,g')"
}

why() {
    printf '%s\n' "$2" >"$(file_of "$1").why"
}

# Runs the words behind the first with a bound on time, where there is a way to bound it.
bounded() {
    if command -v timeout >/dev/null 2>&1; then
        timeout 10 "$@"
    else
        "$@"
    fi
}

# At most a mebibyte of a file.
file() {
    out=$(file_of "$1")
    if [ ! -e "$1" ]; then
        why "$1" "not there"
    elif [ ! -r "$1" ]; then
        why "$1" "not allowed"
    elif ! bounded head -c 1048576 "$1" >"$out" 2>/dev/null </dev/null; then
        rm -f "$out"
        why "$1" "cannot be read"
    else
        case $1 in /etc/*) without_passwords "$out" ;; esac
    fi
}

# Mount options and settings may hold passwords; nobody needs them.
without_passwords() {
    sed 's/\([Pp][Aa][Ss][Ss][A-Za-z]* *= *\)[^, ]*/\1hidden/g' "$1" >"$1.tmp" && mv "$1.tmp" "$1"
}

listing() {
    if [ -d "$1" ]; then
        ls "$1" >"$(file_of "$1")" 2>/dev/null
    else
        why "$1" "not there"
    fi
}

# The words are split at blanks on purpose: no argument of the list holds any.
ask() {
    set -f
    name=$1
    # shellcheck disable=SC2086
    set -- $1
    set +f
    if ! command -v "$1" >/dev/null 2>&1; then
        why "$name" "not there"
        return
    fi
    out=$(file_of "$name")
    if bounded "$@" >"$out" 2>"$out.tmp" </dev/null; then
        :
    else
        status=$?
        said=$(tail -n 1 "$out.tmp")
        rm -f "$out"
        if [ "$status" = 124 ]; then said="timed out"; fi
        why "$name" "${said:-exit status $status}"
    fi
    rm -f "$out.tmp"
}

uname -sr >"$(file_of "uname -sr")"

each() {
    while IFS= read -r line; do
        "$1" "$line"
    done
}

if [ "$(uname -s)" = Darwin ]; then
    file /etc/nsmb.conf
    file /etc/fstab
    each ask <<'LIST'
@MAC_COMMANDS@
LIST
    exit 0
fi

each file <<'LIST'
@FILES@
LIST
for path in /usr/cvfs/config/*.cfgx; do
    if [ -e "$path" ]; then file "$path"; fi
done
each listing <<'LIST'
@LISTINGS@
LIST
each ask <<'LIST'
@COMMANDS@
LIST

for path in /sys/class/net/*; do
    card=${path##*/}
    if [ "$card" = lo ] || [ "$card" = '*' ]; then continue; fi
    each file <<LIST
$(sed "s,IF,$card," <<'NAMES'
@INTERFACE_FILES@
NAMES
)
LIST
    each ask <<LIST
$(sed "s/IF\$/$card/" <<'NAMES'
@INTERFACE_COMMANDS@
NAMES
)
LIST
    listing "$(printf '%s' '@INTERFACE_LISTING@' | sed "s/IF/$card/")"
done

for path in /sys/block/*; do
    disk=${path##*/}
    case $disk in
    loop[0-9]*)
        # One from which something is mounted is read ahead like a disk.
        grep -q " - [a-z0-9]* /dev/$disk\\(p[0-9]*\\)\\{0,1\\} " /proc/self/mountinfo 2>/dev/null || continue
        ;;
    ram[0-9]* | zram[0-9]* | sr[0-9]* | fd[0-9]* | nbd[0-9]* | '*') continue ;;
    esac
    each file <<LIST
$(sed "s/DISK/$disk/" <<'NAMES'
@DISK_FILES@
NAMES
)
LIST
    listing "$(printf '%s' '@DISK_LISTING@' | sed "s/DISK/$disk/")"
done

# Network mounts have no disk, and their read-ahead a file of its own.
sed -n 's/^[0-9]* [0-9]* \([0-9]*:[0-9]*\) .* - \(nfs\|nfs4\|cifs\|smb3\) .*/\1/p' /proc/self/mountinfo 2>/dev/null |
    while IFS= read -r number; do
        file "/sys/class/bdi/$number/read_ahead_kb"
    done
exit 0
