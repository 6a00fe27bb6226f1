# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For the arm64 guests: a root of Debian's packages, xperf and its tests built against it. The machine
# has a PMU, and executes an instruction per cycle and nanosecond (-icount shift=0). Sourced.
# shellcheck source=tests/guest/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"

need qemu-system-aarch64 qemu-system-arm
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
need mmdebstrap mmdebstrap
need cpio cpio
suite=bookworm
# What runs in the guest, and what its programs are built against; another list is another root.
packages=dash,bash,base-files,base-passwd,libc-bin,coreutils,util-linux,grep,sed,mawk,findutils
packages+=,libc6-dev,linux-libc-dev,libelf-dev,libtraceevent-dev,libzstd-dev,libjson-c-dev,libpfm4-dev,libiberty-dev,libcmocka-dev,libcapstone-dev
packages+=,zlib1g-dev,libpapi-dev,libdw-dev,libbpf-dev,libstdc++6
read -r list _ < <(cksum <<<"$packages")
root=$guest_cache/arm64-root-$suite-$list

if [[ ! -d $root ]]; then
	rm -rf "$root.new"
	sources=$(guest_sources $suite) || { echo "$sources"; exit 77; }
	mmdebstrap -q --variant=extract --arch=arm64 --aptopt='Acquire::Languages "none"' \
		--aptopt='APT::Install-Recommends "false"' --include="$packages" "$suite" "$root.new" - \
		<<<"$sources" || skip "the archive has no packages for arm64, or cannot be reached"
	ln -sf dash "$root.new/bin/sh"
	cp "$root.new/usr/share/base-passwd/passwd.master" "$root.new/etc/passwd"
	cp "$root.new/usr/share/base-passwd/group.master" "$root.new/etc/group"
	find "$guest_cache" -maxdepth 1 -name "arm64-root-$suite*" ! -name '*.new' -exec rm -rf {} +
	mv "$root.new" "$root"
fi
guest_fetch_kernel arm64 "$suite" "$guest_cache/arm64-kernel-$suite"

build=$BUILD_DIR/guest-arm64-$list
export XPERF_ARM64_ROOT=$root
cmake -S "$SOURCE_DIR" -B "$build" -G Ninja --toolchain "$SOURCE_DIR/tools/arm64.cmake" \
	-DXPERF_WERROR=ON -DXPERF_LTO=OFF >/dev/null
ninja -C "$build" >"$build/log" || { grep -A 5 FAILED "$build/log"; exit 1; }

shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
chmod 755 "$shared" # ordinary users, too
mkdir "$shared"/{build,source}
cp -r "$build"/{xperf,libxperf.so*,examples,tests,bench} "$shared/build/"
mkdir -p "$shared/source/tests"
cp -r "$SOURCE_DIR/tests/data" "$shared/source/tests/"

# arm64_boot CPUS COMMAND_FILE QEMU ARGS...; $guest_exports: variables to set there
arm64_boot()
{
	local cpus=$1 command=$2

	shift 2
	{
		echo "export XPERF=/host/build/xperf SOURCE_DIR=/host/source BUILD_DIR=/host/build cpus=$cpus ${guest_exports-}"
		cat "$guest_dir/checks.sh" "$command"
	} >"$shared/command"
	guest_boot "$guest_cache/arm64-kernel-$suite" "$shared" "$root" qemu-system-aarch64 \
		-cpu cortex-a57 -icount shift=0 -smp "$cpus" -append "console=ttyAMA0 quiet panic=-1" "$@"
}
