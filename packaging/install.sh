#!/bin/sh
# Verifies a release of Portaria and installs it.
#
#   install.sh FROM            FROM is a folder with the files of a release, or its https:// address
#   install.sh --verify FROM   only verifies
#
# Every file is compared with SHA256SUMS. If RELEASE_KEY holds the minisign public key of the releases, the
# signature of SHA256SUMS is verified first. On Debian and Ubuntu the package is installed, elsewhere the program alone.
set -eu

only_verify=
if [ "${1:-}" = --verify ]; then
    only_verify=yes
    shift
fi
from=${1:?usage: install.sh [--verify] FOLDER_OR_ADDRESS}

files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

fetch() {
    case $from in
        https://*) curl --fail --silent --show-error --location --proto =https --output "$files/$1" "${from%/}/$1" ;;
        *) cp "$from/$1" "$files/$1" ;;
    esac
}

fetch SHA256SUMS
if [ -n "${RELEASE_KEY:-}" ]; then
    fetch SHA256SUMS.minisig
    minisign -V -q -P "$RELEASE_KEY" -m "$files/SHA256SUMS"
    echo "The signature is valid."
else
    echo "RELEASE_KEY is not set: the sums are checked, the signature is not." >&2
fi

name=portaria
if command -v dpkg >/dev/null && [ -z "${DESTDIR:-}" ]; then
    name=$(sed -n "s/^[0-9a-f]*  \(portaria_.*_$(dpkg --print-architecture)\.deb\)$/\1/p" "$files/SHA256SUMS")
    [ -n "$name" ] || { echo "The release has no package for $(dpkg --print-architecture)." >&2; exit 1; }
fi
fetch "$name"
grep -q "  $name\$" "$files/SHA256SUMS" || { echo "SHA256SUMS does not name $name." >&2; exit 1; }
(cd "$files" && grep "  $name\$" SHA256SUMS | sha256sum --check --strict --quiet)
echo "$name is what was released."
[ -z "$only_verify" ] || exit 0

case $name in
    *.deb) apt-get install --yes "$files/$name" ;;
    *) install -D -m 755 "$files/$name" "${DESTDIR:-}/usr/bin/portaria" ;;
esac
