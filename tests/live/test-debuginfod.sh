#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A server of debug data that does not answer: it is said what is waited for.
set -uo pipefail
. "${SOURCE_DIR:?}/tests/live/record.sh"
need_record
command -v python3 >/dev/null || skip "there is no python3 to play the server"
ldconfig -p 2>/dev/null | grep libdebuginfod.so.1 >/dev/null || skip "there is no libdebuginfod"

# It takes connections and says nothing.
cat >server.py <<'END'
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(50)
print(s.getsockname()[1], flush=True)
time.sleep(600)
END
mkfifo port
python3 server.py >port &
server=$!
trap 'kill $server $report 2>/dev/null; rm -rf "$dir"' EXIT
report=
read -r number <port
record -o data ls -R /usr/share/doc
export HOME=$dir DEBUGINFOD_CACHE_PATH=$dir/cache
"$XPERF" report -i data --debuginfod="http://127.0.0.1:$number" >out 2>err &
report=$!
until grep -q "^Note: waiting for debug data of '.*' from http://127.0.0.1:$number, at most 30 s" err; do
	kill -0 $report 2>/dev/null || { complain "nothing is said while a server is waited for"; break; }
	sleep 0.1
done
exit $failed
