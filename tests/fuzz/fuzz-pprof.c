/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a profile of pprof. What is read is written in all formats of trees. */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include <xperf/xperf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(const void *bytes, size_t len, void *total)
{
	(void)bytes;
	*(size_t *)total += len;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xp_export_format *format;
	struct xp_tree *tree;
	size_t total = 0;

	if (xp_tree_new(&tree))
		abort();
	int err = xp_tree_add_pprof(tree, data, size);
	assert(!err || err == -EBADMSG || err == -ENOSYS || err == -EFBIG);
	const struct xp_export_opts opts = { .size = sizeof(opts),
					     .write = count,
					     .data = &total,
					     .event = -1,
					     .by = { XP_BY_EVENT, XP_BY_THREAD } };
	for (size_t i = 0; (format = xp_export_format_at(i)) != NULL; i++)
		if (!(format->has & XP_EXPORT_SAMPLES))
			assert(!xp_export_tree(tree, format, &opts, NULL));
	xp_tree_free(tree);
	return 0;
}
