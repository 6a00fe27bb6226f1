# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Machines to test on, made of Debian's packages and qemu without hardware help: kernels, a root, an
# initial file system, and a boot that runs one script and gives its output and exit status.
#
# What is fetched and made is kept in XPERF_GUEST_CACHE, by default ~/.cache/xperf/guests.
guest_cache=${XPERF_GUEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/xperf/guests}
guest_dir=${SOURCE_DIR:?}/tests/guest
mkdir -p "$guest_cache"

skip()
{
	echo "skipped: $*"
	exit 77
}

# need COMMAND PACKAGE: the test is skipped without it
need()
{
	command -v "$1" >/dev/null || skip "$1 is not installed, Debian's $2 has it"
}

# The archive this machine itself uses.
guest_mirror()
{
	apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep '/debian/$' | sort -u | head -n 1
}

# guest_sources SUITE: lines for sources.list; backports need what they are for
guest_sources()
{
	local mirror suite

	mirror=$(guest_mirror)
	[[ -n $mirror ]] || skip "apt knows no archive of Debian"
	for suite in "${1%-backports}" "$1"; do
		echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
	done | sort -u
}

# guest_apt ARCH SUITE DIR: a private apt for packages of another suite or architecture
guest_apt()
{
	local arch=$1 suite=$2 dir=$3

	mkdir -p "$dir"/{state/lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d}
	: >"$dir/status"
	guest_sources "$suite" >"$dir/etc/sources.list" || exit
	cat >"$dir/conf" <<-END
		APT::Architecture "$arch";
		APT::Architectures { "$arch"; };
		APT::Default-Release "$suite";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Dir::State "$dir/state";
		Dir::State::status "$dir/status";
		Dir::Cache "$dir/cache";
		Dir::Etc "$dir/etc";
	END
	export APT_CONFIG=$dir/conf
	apt-get -qq update
}

# What a guest needs of its kernel before it has a root.
guest_modules=(virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_mmio
	fscache netfs 9pnet 9pnet_virtio 9p overlay)

# guest_fetch_kernel ARCH SUITE DIR: DIR/vmlinuz, DIR/initrd; made once
guest_fetch_kernel()
{
	local arch=$1 suite=$2 dir=$3 work image name file root

	[[ ! -e $dir/initrd ]] || return 0
	work=$dir.new
	rm -rf "$work"
	mkdir -p "$work"/{deb,unpacked,root/{bin,dev,proc,sys,modules,ro,rw,new}}
	(
		guest_apt "$arch" "$suite" "$work/apt"
		image=$(apt-cache depends "linux-image-$arch" | awk '/Depends: linux-image/ { print $2; exit }')
		[[ -n $image ]] || exit 1
		mapfile -t more < <(apt-cache depends "$image" | awk '/Depends: linux-(binary|modules)-/ { print $2 }')
		cd "$work/deb"
		apt-get -qq download "$image" busybox-static "${more[@]}"
	) || skip "the archive has no kernel of $suite for $arch, or cannot be reached"
	for file in "$work"/deb/*.deb; do
		dpkg-deb -x "$file" "$work/unpacked"
	done
	root=$work/root
	find "$work/unpacked" -path '*/bin/busybox' -exec cp {} "$root/bin/" \;
	ln -s busybox "$root/bin/sh"
	for name in "${guest_modules[@]}"; do
		file=$(find "$work/unpacked" -name "$name.ko*" -print -quit)
		case $file in
		*.ko) cp "$file" "$root/modules/" ;;
		*.xz) xz -dc "$file" >"$root/modules/$name.ko" ;;
		*.zst) zstd -qdc "$file" >"$root/modules/$name.ko" ;;
		esac
	done
	cp "$guest_dir/init" "$root/init"
	chmod +x "$root/init"
	find "$work/unpacked" -name 'vmlinuz*' -type f -exec cp {} "$work/vmlinuz" \;
	(cd "$root" && find . | cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd"
	rm -rf "${work:?}"/{deb,unpacked,apt,root} "$dir"
	mv "$work" "$dir"
}

# guest_boot KERNEL_DIR SHARED ROOT QEMU ARGS...: boots, and runs SHARED/command in the guest, where
# SHARED is /host; prints what it printed, returns its exit status
guest_boot()
{
	local kernel=$1 shared=$2 root=$3

	shift 3
	rm -f "$shared/status" "$shared/output"
	timeout -k 5 "${GUEST_TIMEOUT:-600}" "$@" -m "${GUEST_MEMORY:-1024}" -nographic -no-reboot -nic none \
		-kernel "$kernel/vmlinuz" -initrd "$kernel/initrd" \
		-virtfs "local,path=$root,mount_tag=root,security_model=none,readonly=on,multidevs=remap" \
		-virtfs "local,path=$shared,mount_tag=host,security_model=none" \
		</dev/null >"$shared/console" 2>&1 || echo "qemu: exit status $?"
	[[ ! -e $shared/output ]] || cat "$shared/output"
	if [[ ! -s $shared/status ]]; then
		echo "the guest did not end its work; the end of its console:"
		tail -n 30 "$shared/console" | tr -d '\r'
		return 1
	fi
	return "$(<"$shared/status")"
}
