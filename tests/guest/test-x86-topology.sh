#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A machine of two sockets with two dies of two cores with two threads each, and two memory nodes: what
# xperf says of CPUs, and how it adds up over them.
set -euo pipefail
# shellcheck source=tests/guest/x86.sh
. "${BASH_SOURCE[0]%/*}/x86.sh"

x86_boot bookworm "$guest_dir/in-topology.sh" -cpu Skylake-Server-noTSX-IBRS,check=off \
	-smp 16,sockets=2,dies=2,cores=2,threads=2 \
	-object memory-backend-ram,id=m0,size=1024M -object memory-backend-ram,id=m1,size=1024M \
	-numa node,nodeid=0,memdev=m0,cpus=0-7 -numa node,nodeid=1,memdev=m1,cpus=8-15
