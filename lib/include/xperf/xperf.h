/* SPDX-License-Identifier: MIT */
/* All of libxperf. */
#ifndef XPERF_XPERF_H
#define XPERF_XPERF_H

#include <xperf/api.h>
#include <xperf/arch.h>
#include <xperf/attr.h>
#include <xperf/bpf-samples.h>
#include <xperf/bpf.h>
#include <xperf/cgroup.h>
#include <xperf/chain-ends.h>
#include <xperf/cpus.h>
#include <xperf/ctx.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>
#include <xperf/doctor.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/export.h>
#include <xperf/formula.h>
#include <xperf/functions.h>
#include <xperf/list.h>
#include <xperf/metric.h>
#include <xperf/pmu.h>
#include <xperf/processor.h>
#include <xperf/profile.h>
#include <xperf/record.h>
#include <xperf/recorder.h>
#include <xperf/regions.h>
#include <xperf/resolve.h>
#include <xperf/ring.h>
#include <xperf/sample.h>
#include <xperf/sampling.h>
#include <xperf/self-inline.h>
#include <xperf/self.h>
#include <xperf/stacks.h>
#include <xperf/stat.h>
#include <xperf/suggest.h>
#include <xperf/symbol.h>
#include <xperf/symtab.h>
#include <xperf/synth.h>
#include <xperf/sys.h>
#include <xperf/timeline.h>
#include <xperf/tracepoint.h>
#include <xperf/traces.h>
#include <xperf/unwind.h>
#include <xperf/userpage.h>
#include <xperf/workload.h>

#endif
