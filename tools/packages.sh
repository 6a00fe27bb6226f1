# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# The Debian packages the project uses, in one table, and how those that are missing get installed.
# Sourced by run, test and .ci/run; prints on stderr only.

# USE    who needs it: build (./run), test (./test), ci (.ci/run), each of which includes the ones
#        before; guest (./test --guests), which includes build and test
# NEED   need: cannot do without; want: what depends on it is left out, and says so
# PROBE  how to see that it is there: cmd:NAME, hdr:FILE below /usr/include, pc:NAME (pkg-config),
#        clang-rt:NAME (a runtime library of clang), src:NAME (sources in /usr/src)
packages_table()
{
	while read -r row; do
		[[ -z $row ]] || echo "$row"
	done <<-'END'
	build  need  cmd:cmake           cmake
	build  need  cmd:ninja           ninja-build
	build  need  cmd:cc              gcc
	build  need  hdr:stdio.h         libc6-dev
	build  need  cmd:pkg-config      pkg-config
	build  want  pc:libelf           libelf-dev
	build  want  pc:libdw            libdw-dev
	build  want  pc:liblzma           liblzma-dev
	build  want  pc:libunwind         libunwind-dev
	build  want  pc:libtraceevent    libtraceevent-dev
	build  want  hdr:perfmon/pfmlib_perf_event.h  libpfm4-dev
	build  want  pc:sqlite3          libsqlite3-dev
	build  want  pc:zlib             zlib1g-dev
	build  want  pc:libzstd          libzstd-dev
	build  want  pc:json-c           libjson-c-dev
	build  want  pc:capstone         libcapstone-dev
	build  want  pc:ncursesw         libncurses-dev
	build  want  pc:libbpf           libbpf-dev
	build  want  hdr:libiberty/demangle.h  libiberty-dev
	test   need  pc:cmocka           libcmocka-dev
	test   want  cmd:g++             g++
	test   want  cmd:git             git
	test   want  cmd:mandoc          mandoc
	test   want  cmd:clang-format    clang-format
	test   want  cmd:shellcheck      shellcheck
	test   want  cmd:strace          strace
	test   want  cmd:dwz             dwz
	test   want  cmd:tmux            tmux
	test   want  cmd:python3         python3
	test   want  cmd:perf            linux-perf
	test   want  cmd:localedef       libc-bin
	test   want  hdr:../share/i18n/locales/de_DE  locales
	guest  want  cmd:qemu-system-aarch64    qemu-system-arm
	guest  want  cmd:qemu-system-x86_64     qemu-system-x86
	guest  want  cmd:aarch64-linux-gnu-gcc  gcc-aarch64-linux-gnu
	guest  want  cmd:aarch64-linux-gnu-g++  g++-aarch64-linux-gnu
	guest  want  hdr:../aarch64-linux-gnu/include/stdio.h  libc6-dev-arm64-cross
	guest  want  cmd:mmdebstrap      mmdebstrap
	guest  want  cmd:cpio            cpio
	guest  want  cmd:dtc             device-tree-compiler
	guest  want  cmd:xz              xz-utils
	ci     need  cmd:clang           clang
	ci     want  clang-rt:fuzzer     libclang-rt-dev
	ci     want  cmd:llvm-symbolizer llvm
	ci     want  cmd:dpkg-shlibdeps  dpkg-dev
	ci     want  cmd:ccache          ccache
	ci     want  cmd:lintian         lintian
	ci     want  cmd:abidw           abigail-tools
	ci     want  cmd:chromium        chromium
	ci     want  cmd:go              golang-go
	ci     want  cmd:callgrind_annotate  valgrind
	ci     want  cmd:protoc          protobuf-compiler
	ci     want  cmd:sqlite3         sqlite3
	ci     want  cmd:fish            fish
	ci     want  cmd:zsh             zsh
	ci     want  cmd:node            nodejs
	ci     want  cmd:npm             npm
	ci     want  src:linux-source-6.12  linux-source-6.12
	END
}

package_there()
{
	case $1 in
	cmd:*) command -v "${1#cmd:}" ;;
	hdr:*) [[ -e /usr/include/${1#hdr:} ]] ;;
	src:*) compgen -G "/usr/src/${1#src:}*" ;;
	clang-rt:*) compgen -G "$(clang -print-resource-dir)/lib/*/libclang_rt.${1#clang-rt:}[-.]*" ;;
	pc:*) pkg-config --exists "${1#pc:}" ;;
	esac >/dev/null 2>&1
}

# packages_missing USE NEED: names of the packages that are not there
packages_missing()
{
	local use need probe package uses=" build "

	[[ $1 == build ]] || uses+="test "
	[[ $1 != ci && $1 != guest ]] || uses+="$1 "
	packages_table | while read -r use need probe package; do
		if [[ $uses == *" $use "* && $need == "$2" ]] && ! package_there "$probe"; then
			echo "$package"
		fi
	done
}

# How to become root; asks for a password only where somebody can answer.
as_root=()
if ((EUID != 0)); then
	as_root=(sudo -n)
	[[ ! -t 0 || -n ${CI:-} ]] || as_root=(sudo)
fi

# apt LOG ARGS...: apt-get without questions; what it says goes to LOG
apt()
{
	local log=$1

	shift
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
		-o Dpkg::Use-Pty=0 --no-install-recommends "$@" </dev/null >>"$log" 2>&1
}

# packages_ensure USE STAMP: installs what is missing. STAMP is a file that remembers that the wanted
# packages were tried, so that one this system does not have is not asked for each time.
packages_ensure()
{
	local use=$1 stamp=$2 log=$2.log needs wants=() package

	mkdir -p "${stamp%/*}"
	mapfile -t needs < <(packages_missing "$use" need)
	if [[ ! $stamp -nt ${BASH_SOURCE[0]} ]]; then
		mapfile -t wants < <(packages_missing "$use" want)
	fi
	if ((${#needs[@]} + ${#wants[@]} == 0)); then
		[[ $stamp -nt ${BASH_SOURCE[0]} ]] || touch "$stamp"
		return 0
	fi
	if ! command -v apt-get >/dev/null || { ((EUID != 0)) && ! command -v sudo >/dev/null; }; then
		packages_by_hand "${needs[@]}"
		return
	fi
	echo "installing with apt-get: ${needs[*]} ${wants[*]}" >&2
	: >"$log"
	if ! apt "$log" install "${needs[@]}" "${wants[@]}"; then
		apt "$log" update || true
		if ((${#needs[@]})) && ! apt "$log" install "${needs[@]}"; then
			cat "$log" >&2
			packages_by_hand "${needs[@]}"
			return
		fi
		for package in "${wants[@]}"; do
			apt "$log" install "$package" || echo "not available: $package" >&2
		done
	fi
	touch "$stamp"
}

# Without apt or the right to use it: name what is missing. Only needs stop the work.
packages_by_hand()
{
	(($#)) || return 0
	echo "These packages are missing (names as in Debian); please install them: $*" >&2
	return 1
}
