# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# For the x86 guests: this machine's own root, read-only, with what was built for it, below another
# kernel. No PMU. Sourced.
# shellcheck source=tests/guest/guest.sh
. "${BASH_SOURCE[0]%/*}/guest.sh"

need qemu-system-x86_64 qemu-system-x86
need cpio cpio
need xz xz-utils
[[ $(uname -m) == x86_64 ]] || skip "this machine's root is not for x86"

# A guest is slow enough without sanitizers.
build=$BUILD_DIR/guest-x86
cmake -S "$SOURCE_DIR" -B "$build" -G Ninja -DXPERF_LTO=OFF >/dev/null
ninja -C "$build" >"$build/log" || { grep -A 5 FAILED "$build/log"; exit 1; }

shared=$(mktemp -d)
trap 'rm -rf "$shared"' EXIT
mkdir "$shared/lib"

# show_folder DIR: in the guest, whose own /tmp and /dev hide what this machine has there
show_folder()
{
	[[ ! -d $1 ]] || return 0
	mkdir -p /run/hidden "$1"
	mountpoint -q /run/hidden || mount --bind / /run/hidden
	mount --bind "/run/hidden$1" "$1"
}

# x86_boot SUITE COMMAND_FILE QEMU ARGS...: with the kernel of a suite of Debian
x86_boot()
{
	local suite=$1 command=$2

	shift 2
	guest_fetch_kernel amd64 "$suite" "$guest_cache/amd64-kernel-$suite"
	{
		declare -f show_folder
		printf 'show_folder %q\n' "$SOURCE_DIR" "$BUILD_DIR"
		printf 'export XPERF=%q SOURCE_DIR=%q BUILD_DIR=%q\n' "$build/xperf" "$SOURCE_DIR" "$build"
		cat "$guest_dir/checks.sh" "$command"
	} >"$shared/command"
	GUEST_MEMORY=2048 guest_boot "$guest_cache/amd64-kernel-$suite" "$shared" / \
		qemu-system-x86_64 -M q35 -accel tcg,thread=single "$@" \
		-append "console=ttyS0 quiet panic=-1 mitigations=off no_timer_check"
}
