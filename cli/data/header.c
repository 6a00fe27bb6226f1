/* SPDX-License-Identifier: MIT */
/*
 * The head of the JSON: what the recording says of the machine it was made on. Source of names and
 * order: perf data convert --to-json, 6.1, measured; of the features: perf.data-file-format.txt.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "convert.h"
#include "json.h"

/* The body of a feature, taken from the front. */
struct body {
	const char *at;
	size_t left;
	bool swapped;
};

static struct body body_of(const struct xp_data *data, enum xp_feature feature)
{
	struct body body = { .swapped = xp_data_is_swapped(data) };

	body.at = xp_data_feature(data, feature, &body.left);
	if (!body.at)
		body.left = 0;
	return body;
}

static bool take_u32(struct body *body, uint32_t *ret_value)
{
	if (body->left < sizeof(*ret_value))
		return false;
	memcpy(ret_value, body->at, sizeof(*ret_value));
	if (body->swapped)
		*ret_value = __builtin_bswap32(*ret_value);
	body->at += sizeof(*ret_value);
	body->left -= sizeof(*ret_value);
	return true;
}

/* A string: its length with all padding, then as much, with a NUL in it. Returns NULL: none. */
static const char *take_text(struct body *body)
{
	const char *text = body->at + sizeof(uint32_t);
	uint32_t len;

	if (!take_u32(body, &len) || len > body->left || !memchr(text, '\0', len))
		return NULL;
	body->at += len;
	body->left -= len;
	return text;
}

static void write_text(const struct conversion *conversion, enum xp_feature feature,
		       const char *name)
{
	struct body body = body_of(conversion->rec.input.data, feature);
	const char *text = take_text(&body);

	if (!text)
		return;
	fprintf(conversion->out, ",\n\t\t\"%s\": ", name);
	json_string(conversion->out, text);
}

static void write_cpus(const struct conversion *conversion)
{
	struct body body = body_of(conversion->rec.input.data, XP_FEATURE_NRCPUS);
	uint32_t available, online;

	if (take_u32(&body, &available) && take_u32(&body, &online))
		fprintf(conversion->out,
			",\n\t\t\"nrcpus-online\": %" PRIu32 ",\n\t\t\"nrcpus-avail\": %" PRIu32,
			online, available);
}

static void write_command(const struct conversion *conversion)
{
	struct body body = body_of(conversion->rec.input.data, XP_FEATURE_CMDLINE);
	const char *word, *separator = "";
	uint32_t nr;

	if (!take_u32(&body, &nr))
		return;
	fputs(",\n\t\t\"cmdline\": [", conversion->out);
	for (; nr && (word = take_text(&body)) != NULL; nr--, separator = ",") {
		fprintf(conversion->out, "%s\n\t\t\t", separator);
		json_string(conversion->out, word);
	}
	fputs("\n\t\t]", conversion->out);
}

static void write_time(const struct conversion *conversion)
{
	struct stat st;
	struct tm tm;
	char text[64];

	if (stat(conversion->rec.input.path, &st) || !gmtime_r(&st.st_mtime, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(conversion->out, ",\n\t\t\"captured-on\": \"%s\"", text);
}

/* What the wall clock, and the one of the recording, showed at one moment. Returns false: it was
 * not recorded. */
static bool take_clocks(const struct xp_data *data, uint32_t *ret_clock, uint64_t *ret_wall_ns,
			uint64_t *ret_own_ns)
{
	struct body body = body_of(data, XP_FEATURE_CLOCK_DATA);
	uint64_t times[2];
	uint32_t version;

	if (!take_u32(&body, &version) || !take_u32(&body, ret_clock) || body.left < sizeof(times))
		return false;
	memcpy(times, body.at, sizeof(times));
	for (int i = 0; i < 2 && body.swapped; i++)
		times[i] = __builtin_bswap64(times[i]);
	*ret_wall_ns = times[0];
	*ret_own_ns = times[1];
	return true;
}

int header_wall_clock(const struct xp_data *data, int64_t *ret_ahead_ns)
{
	uint64_t wall_ns, own_ns;
	uint32_t clock;

	if (!take_clocks(data, &clock, &wall_ns, &own_ns))
		return -ENODATA;
	*ret_ahead_ns = (int64_t)(wall_ns - own_ns);
	return 0;
}

static void write_clocks(const struct conversion *conversion)
{
	uint64_t wall_ns, own_ns;
	uint32_t clock;

	if (take_clocks(conversion->rec.input.data, &clock, &wall_ns, &own_ns))
		fprintf(conversion->out,
			",\n\t\t\"clockid\": %" PRIu32 ",\n\t\t\"clock-time\": %" PRIu64
			",\n\t\t\"real-time\": %" PRIu64,
			clock, own_ns, wall_ns);
}

void header_write(const struct conversion *conversion)
{
	static const struct {
		enum xp_feature feature;
		const char *name;
	} texts[] = {
		{ XP_FEATURE_HOSTNAME, "hostname" }, { XP_FEATURE_OSRELEASE, "os-release" },
		{ XP_FEATURE_ARCH, "arch" },         { XP_FEATURE_CPUDESC, "cpu-desc" },
		{ XP_FEATURE_CPUID, "cpuid" },
	};
	uint64_t offset, len;

	xp_data_extent(conversion->rec.input.data, &offset, &len);
	fputs("\t\t\"header-version\": 1", conversion->out);
	write_time(conversion);
	fprintf(conversion->out,
		",\n\t\t\"data-offset\": %" PRIu64 ",\n\t\t\"data-size\": %" PRIu64
		",\n\t\t\"feat-offset\": %" PRIu64,
		offset, len, offset + len);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		write_text(conversion, texts[i].feature, texts[i].name);
	write_cpus(conversion);
	write_clocks(conversion);
	write_text(conversion, XP_FEATURE_VERSION, "perf-version");
	write_command(conversion);
	fputc('\n', conversion->out);
}
