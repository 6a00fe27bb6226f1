/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as an HTTP request, whole and in pieces. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "http-request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum request_state parse(const uint8_t *data, size_t size, struct request *ret_request)
{
	char *bytes = malloc(size + !size);
	const char *path = "/0123456789abcdef0123456789abcdef";

	memcpy(bytes, data, size);
	enum request_state state = request_parse(bytes, size, ret_request);
	if (state == REQUEST_COMPLETE) {
		assert(ret_request->target > bytes && ret_request->target_len);
		assert(ret_request->target + ret_request->target_len < bytes + size);
		assert(!memchr(ret_request->target, '\n', ret_request->target_len));
		assert(!ret_request->is_get || !ret_request->is_head);
		request_is_for(ret_request, path);
	}
	free(bytes);
	return state;
}

/* What is known of the first bytes does not change when more come. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct request first = { 0 }, all = { 0 };
	enum request_state state = REQUEST_PARTIAL;
	size_t len = 0;

	if (size > REQUEST_ROOM)
		size = REQUEST_ROOM;
	while (len < size && state == REQUEST_PARTIAL)
		state = parse(data, ++len, &first);
	assert(parse(data, size, &all) == state);
	assert(state != REQUEST_COMPLETE ||
	       (first.target_len == all.target_len && first.is_get == all.is_get &&
		first.is_head == all.is_head));
	return 0;
}
