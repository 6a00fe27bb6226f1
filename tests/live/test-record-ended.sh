#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Functions of what ends with a recording have names afterwards: of programs and libraries that are
# deleted or replaced while they run, and of files that only a container or a chroot had.
set -u
# shellcheck source=tests/live/record.sh
. "$SOURCE_DIR/tests/live/record.sh"
"$XPERF" check -q feature libelf || skip 'this xperf reads no ELF files'
need_record
export HOME=$dir/home
mkdir "$HOME"
unset PERF_BUILDID_DIR

cat >hot.c <<'END'
#include <time.h>
#ifdef LIBRARY
volatile unsigned long sum;
#else
extern volatile unsigned long sum;
#endif
#ifdef LIBRARY
__attribute__((noinline)) void hot_function(long n)
{
	for (long i = 0; i < n; i++)
		sum += (unsigned long)i;
}
#endif
#ifdef PROGRAM
extern void hot_function(long n);
int main(int argc, char **argv)
{
	clock_t end = clock() + CLOCKS_PER_SEC / (argc > 1 ? 1 : 3);

	(void)argv;
	while (clock() < end)
		hot_function(100000);
	return 0;
}
#endif
END
# build NAME FLAGS...: one program
build()
{
	local name=$1
	shift
	"$CC" -O1 -DPROGRAM -DLIBRARY "$@" hot.c -o "$name" 2>err || return 1
	strip -g "$name" 2>/dev/null
	return 0
}
build with-id -Wl,--build-id || skip "no program can be built: $(head -n 1 err)"
build without-id -Wl,--build-id=none || skip "no program can be built: $(head -n 1 err)"

# names WHAT [FILE]: the hot function is in the report, most of its samples
names()
{
	"$XPERF" report -i "${2:-data}" -q --stdio -s symbol >report 2>report.err
	head -n 3 report | grep -q hot_function || {
		complain "$1: the hot function has no name"
		sed 's/^/    | /' report report.err | head -n 6
	}
}

# kept WHAT: the recorder says so, and something is there
kept()
{
	grep -q '^Note: .*kept in' err || complain "$1: nothing is said about what was kept"
	[[ -n $(find "$HOME/.debug" -name elf 2>/dev/null) ]] || complain "$1: nothing was kept"
	rm -rf "$HOME/.debug"
}

# An ordinary recording keeps nothing, and says nothing.
record -o data ./with-id
[[ ! -e $HOME/.debug ]] && ! grep -q kept err || complain 'an ordinary recording keeps files'
names 'an ordinary recording'

# while_it_runs PROGRAM COMMAND: a recording of it that begins when COMMAND is over
while_it_runs()
{
	"$1" long &
	local pid=$!
	until [[ $(readlink "/proc/$pid/exe") == "$PWD/${1#./}" ]] || ! kill -0 $pid 2>/dev/null; do :; done
	sh -c "$2"
	record -o data -p $pid sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
}

for kind in with-id without-id; do
	cp $kind victim
	while_it_runs ./victim 'rm victim'
	names "a deleted program $kind"
	kept "a deleted program $kind"
	cp $kind victim
	while_it_runs ./victim 'cp /bin/true other; mv other victim'
	names "a replaced program $kind"
	kept "a replaced program $kind"
done

# It ended before the recorder did.
cp with-id victim
./victim long &
pid=$!
until [[ $(readlink "/proc/$pid/exe") == "$PWD/victim" ]] || ! kill -0 $pid 2>/dev/null; do :; done
rm victim
record -o data -p $pid
names 'a deleted program that ends first'
kept 'a deleted program that ends first'

# A library that was replaced.
if "$CC" -O1 -DLIBRARY -shared -fPIC -Wl,--build-id hot.c -o libhot.so 2>err &&
	"$CC" -O1 -DPROGRAM hot.c -o user -L. -lhot -Wl,-rpath,"$PWD" 2>err; then
	cp libhot.so kept.so
	./user long &
	pid=$!
	until grep -q libhot "/proc/$pid/maps" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do :; done
	rm libhot.so
	record -o data -p $pid
	names 'a deleted library'
	kept 'a deleted library'
fi

# Nothing is kept where nothing is to be kept, and nothing fails for it.
for how in '-N' '-B'; do
	cp with-id victim
	record $how -o data sh -c './victim; rm victim'
	[[ $status == 0 && ! -e $HOME/.debug ]] || complain "$how keeps files, or fails"
done
cp with-id victim
PERF_BUILDID_DIR=/dev/null record -o data sh -c './victim & rm victim; wait'
[[ $status == 0 && ! -e $HOME/.debug ]] || complain 'files are kept in /dev/null'
HOME='' record -o data sh -c './victim & rm -f victim; wait'
[[ $status == 0 && ! -e /.debug ]] || complain 'files are kept in /'

# A file system that only this process had, which is gone with it.
mkdir mnt root
unshare -m true 2>/dev/null || { ((failed)) || skip 'there can be no mount namespaces here'; exit "$failed"; }
for kind in with-id without-id; do
	record -o data unshare -m sh -c "mount -t tmpfs none mnt && cp $kind mnt/victim && exec mnt/victim"
	names "a mount namespace that ended, $kind"
	kept "a mount namespace that ended, $kind"
done

# While it runs, nothing has to be kept.
for kind in with-id without-id; do
	unshare -m sh -c "mount -t tmpfs none mnt && cp $kind mnt/victim && exec mnt/victim long" &
	pid=$!
	until [[ $(readlink "/proc/$pid/exe") == */mnt/victim ]] || ! kill -0 $pid 2>/dev/null; do :; done
	record -o data -p $pid sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
	[[ ! -e $HOME/.debug ]] || complain "files of a container that goes on are kept, $kind"
	names "a container that goes on, $kind"
	kill $pid 2>/dev/null
	wait $pid 2>/dev/null
done

# A chroot.
if build static -static -Wl,--build-id; then
	cp static root/victim
	record -o data chroot root /victim
	names 'a chroot'
	kept 'a chroot'
	root=$PWD/root
	record -o data sh -c "chroot '$root' /victim; rm '$root/victim'"
	names 'a chroot that is removed'
	kept 'a chroot that is removed'
fi

exit "$failed"
