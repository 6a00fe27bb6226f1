#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# .ci/package.sh BUILD_DIR: makes the Debian package, unpacks it into a temporary root and looks
# whether everything is there and the program in it starts.
set -euo pipefail

dir=$1
out=$dir/package
files=(
	usr/bin/xperf
	usr/include/xperf/xperf.h
	'usr/lib/*libxperf.so'
	'usr/lib/*libxperf.so.0'
	'usr/lib/*libxperf.a'
	'usr/lib/*pkgconfig/xperf.pc'
	'usr/lib/*cmake/xperf/xperfConfig.cmake'
	'usr/share/man/man1/xperf.1*'
	'usr/share/man/man1/xperf-stat.1*'
	'usr/share/man/man3/xp_self.3*'
	'usr/share/man/man7/libxperf.7*'
	usr/share/bash-completion/completions/xperf
	usr/share/zsh/site-functions/_xperf
	usr/share/fish/vendor_completions.d/xperf.fish
	usr/share/doc/xperf/copyright
)

command -v dpkg-deb >/dev/null || { echo "dpkg-deb is not installed"; exit 77; }
rm -rf "$out"
mkdir -p "$out/root"
cpack --config "$dir/CPackConfig.cmake" -G DEB -B "$out"
deb=$(find "$out" -maxdepth 1 -name '*.deb')
dpkg-deb --info "$deb"
dpkg-deb --contents "$deb"
dpkg-deb --extract "$deb" "$out/root"

missing=0
for file in "${files[@]}"; do
	if [[ -z $(find "$out/root" -path "$out/root/$file") ]]; then
		echo "not in the package: $file"
		missing=1
	fi
done
for field in Depends Description Section Maintainer; do
	if [[ -z $(dpkg-deb --field "$deb" $field) ]]; then
		echo "the package has no $field"
		missing=1
	fi
done
"$out/root/usr/bin/xperf" version
exit $missing
