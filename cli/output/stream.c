/* SPDX-License-Identifier: MIT */
/* A FILE that remembers why writing failed: see stream.h. */
#include "stream.h"

#include <errno.h>
#include <unistd.h>

/* As fopencookie(3) wants it: 0, not a negative number, for a failure. */
static ssize_t write_bytes(void *cookie, const char *bytes, size_t len)
{
	struct stream *stream = cookie;
	size_t done = 0;

	while (done < len && !stream->err) {
		ssize_t n = write(stream->fd, bytes + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			stream->err = -errno;
	}
	stream->bytes += done;
	if (stream->err)
		errno = -stream->err;
	return stream->err ? 0 : (ssize_t)len;
}

FILE *stream_open(struct stream *stream)
{
	FILE *file = fopencookie(stream, "w", (cookie_io_functions_t){ .write = write_bytes });

	/* As stdio does it: whoever watches sees each line when it is complete. */
	if (file && isatty(stream->fd))
		setvbuf(file, NULL, _IOLBF, BUFSIZ);
	return file;
}

int stream_flush(struct stream *stream, FILE *file)
{
	int failed = fflush(file) || ferror(file);

	return stream->err ? stream->err : failed ? -EIO : 0;
}
