#!/usr/bin/env bash
# Installs FILE.deb in a bare Debian by `apt-get install`, and runs what it brought: deb.sh FILE.deb. Needs debootstrap, root
# and two minutes; without one of the first two it says so and exits with 77. SPDX-License-Identifier: Apache-2.0
set -euo pipefail
deb=$(realpath "${1:?FILE.deb}")
lacks() { printf 'skipped: %s\n' "$*" && exit 77; }
((EUID == 0)) || lacks "not root"
command -v debootstrap >/dev/null || lacks "no debootstrap"

root=$(mktemp -d)
chmod 755 "$root"
trap 'umount -l "$root/proc" 2>/dev/null || true; rm -rf --one-file-system -- "$root" "$root.log"' EXIT
# What apt asks and trusts here, it does there.
release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
# shellcheck disable=SC2016  # names of apt's
mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' | sed -n "s/^$release //p" | sort -u | head -n 1)
debootstrap --variant=minbase "$release" "$root" "$mirror" >"$root.log" || { cat "$root.log" && exit 1; }
cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
cp "$deb" "$root/root/"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
inside apt-get update -qq
inside apt-get install -qq -o Dpkg::Use-Pty=0 --no-install-recommends "/root/${deb##*/}" >/dev/null
inside colex --version
inside colex laws --json >/dev/null
inside colex explain size '(6,2):(8,2)'
inside colex conform --count 20 -- /usr/libexec/colex/answer
