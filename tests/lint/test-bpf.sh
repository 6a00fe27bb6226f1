#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The bytes of each BPF program, lib/bpf/NAME.bpf.hex, are what clang makes of lib/bpf/NAME.bpf.c, so
# that builds need no clang. One version of clang and of libbpf's headers is compared: others make
# other bytes of the same program.
#
# REFRESH=1 writes what clang makes now.
set -euo pipefail
. "${BASH_SOURCE[0]%/*}/files.sh"
tool clang
tool llvm-strip
[[ -e /usr/include/bpf/bpf_helpers.h ]] || skip "the headers of libbpf are not installed"

version=$(clang -dumpversion)
[[ ${version%%.*} == 14 ]] || skip "the bytes are those of clang 14; here is version $version"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
mapfile -t programs < <(sources 'lib/bpf/*.bpf.c')
for program in "${programs[@]}"; do
	name=${program%.c}
	# The bytes name source lines: the same wherever this is.
	clang -target bpf -mcpu=v3 -O2 -g -ffile-prefix-map="$PWD=." -fdebug-compilation-dir=. -Wall -Wextra -Werror -Wno-unused-parameter \
		-iquote lib/bpf -iquote lib/inline -I "/usr/include/$(cc -print-multiarch)" -c "$program" -o "$work/object"
	llvm-strip -g "$work/object"
	od -An -v -tx1 -w24 "$work/object" | sed 's/^ //; s/[0-9a-f][0-9a-f]/0x&,/g; s/ //g' >"$work/hex"
	[[ -z ${REFRESH:-} ]] || cp "$work/hex" "$name.hex"
	cmp "$name.hex" "$work/hex" ||
		{ echo "$program was changed; REFRESH=1 $0 stores its bytes"; failed=1; }
done
echo "${#programs[@]} programs"
exit $failed
