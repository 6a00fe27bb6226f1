/* SPDX-License-Identifier: MIT */
/* The program on the real kernel. */
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "cli.h"
#include "session.h"

/*
 * Where the caller closed standard streams, the first descriptors opened would take their numbers,
 * and messages would go into an event or a pipe. What stands in for them cannot be written, and is
 * closed for the workload as it would have been.
 */
static void occupy_standard_streams(void)
{
	struct pollfd streams[] = { { .fd = STDIN_FILENO },
				    { .fd = STDOUT_FILENO },
				    { .fd = STDERR_FILENO } };

	/* One call, where fcntl(2) would take one for each: all are open, nearly always. */
	poll(streams, 3, 0);
	for (int i = 0; i < 3; i++)
		if (streams[i].revents & POLLNVAL)
			open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	occupy_standard_streams();
	int status = cli_main(argc, argv, NULL);

	session_raise();
	return status;
}
