/* SPDX-License-Identifier: MIT */
/*
 * The head of the JSON: what the recording says of the machine it was made on. Source of names and
 * order: perf data convert --to-json, 6.1, measured; of the features: perf.data-file-format.txt.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "convert.h"
#include "header.h"

static void write_text(const struct conversion *conversion, enum xp_feature feature,
		       const char *name)
{
	struct feature body = feature_of(conversion->rec.data, feature);
	const char *text = feature_text(&body);

	if (body.is_short)
		return;
	json_string(conversion->json, name, text);
}

static void write_cpus(const struct conversion *conversion)
{
	struct feature body = feature_of(conversion->rec.data, XP_FEATURE_NRCPUS);
	uint32_t available = feature_u32(&body), online = feature_u32(&body);

	if (body.is_short)
		return;
	json_uint(conversion->json, "nrcpus-online", online);
	json_uint(conversion->json, "nrcpus-avail", available);
}

static void write_command(const struct conversion *conversion)
{
	static const struct json_layout lines = { "\n\t\t\t", "\n\t\t\t", "\n\t\t" };
	struct feature body = feature_of(conversion->rec.data, XP_FEATURE_CMDLINE);
	uint32_t nr = feature_u32(&body);

	if (body.is_short)
		return;
	json_array(conversion->json, "cmdline", &lines);
	for (; nr; nr--) {
		const char *word = feature_text(&body);

		if (body.is_short)
			break;
		json_string(conversion->json, NULL, word);
	}
	json_end(conversion->json);
}

static void write_time(const struct conversion *conversion)
{
	struct stat st;
	struct tm tm;
	char text[64];

	if (stat(conversion->rec.path, &st) || !gmtime_r(&st.st_mtime, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_string(conversion->json, "captured-on", text);
}

/* What the wall clock, and the one of the recording, showed at one moment. */
struct clocks {
	uint32_t number;
	uint64_t wall_ns, own_ns;
};

/* Returns false: it was not recorded. */
static bool load_clocks(const struct conversion *conversion, struct clocks *ret_clocks)
{
	struct feature body = feature_of(conversion->rec.data, XP_FEATURE_CLOCK_DATA);

	feature_u32(&body); /* version */
	ret_clocks->number = feature_u32(&body);
	ret_clocks->wall_ns = feature_u64(&body);
	ret_clocks->own_ns = feature_u64(&body);
	return !body.is_short;
}

int head_wall_clock(const struct conversion *conversion, int64_t *ret_ahead_ns)
{
	struct clocks clocks;

	if (!load_clocks(conversion, &clocks))
		return -ENODATA;
	*ret_ahead_ns = (int64_t)(clocks.wall_ns - clocks.own_ns);
	return 0;
}

static void write_clocks(const struct conversion *conversion)
{
	struct clocks clocks;

	if (!load_clocks(conversion, &clocks))
		return;
	json_uint(conversion->json, "clockid", clocks.number);
	json_uint(conversion->json, "clock-time", clocks.own_ns);
	json_uint(conversion->json, "real-time", clocks.wall_ns);
}

void head_write(const struct conversion *conversion)
{
	static const struct {
		enum xp_feature feature;
		const char *name;
	} texts[] = {
		{ XP_FEATURE_HOSTNAME, "hostname" }, { XP_FEATURE_OSRELEASE, "os-release" },
		{ XP_FEATURE_ARCH, "arch" },         { XP_FEATURE_CPUDESC, "cpu-desc" },
		{ XP_FEATURE_CPUID, "cpuid" },
	};
	struct xp_data_layout layout = xp_data_get_layout(conversion->rec.data);

	json_int(conversion->json, "header-version", 1);
	write_time(conversion);
	json_uint(conversion->json, "data-offset", layout.data_offset);
	json_uint(conversion->json, "data-size", layout.data_size);
	json_uint(conversion->json, "feat-offset", layout.feature_offset);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		write_text(conversion, texts[i].feature, texts[i].name);
	write_cpus(conversion);
	write_clocks(conversion);
	write_text(conversion, XP_FEATURE_VERSION, "perf-version");
	write_command(conversion);
}
