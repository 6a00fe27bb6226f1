/* SPDX-License-Identifier: MIT */
/*
 * A server of one file, for this machine alone: it listens on 127.0.0.1 and answers GET and HEAD of
 * one path that cannot be guessed. Any other request is answered by 404. Nothing that a client
 * sends, or does not send, stops it or makes it wait.
 */
#ifndef VIEW_HTTP_SERVER_H
#define VIEW_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct server;

/*
 * Listens on a port that is free. @fd: the file, borrowed; @type: its media type, borrowed.
 * Returns 0 or a negative errno.
 */
int server_new(int fd, const char *type, struct server **ret_server);
void server_free(struct server *server);

unsigned int server_port(const struct server *server);
/* "/" and 32 hexadecimal digits. */
const char *server_path(const struct server *server);

/*
 * Waits until there is something to do, @wait_ms at most (-1: for ever), or until @stop_fd can be
 * read, and does it. @now_ns: what clients are allowed is measured by it. Returns 1 if @stop_fd can
 * be read, 0, or a negative errno.
 */
int server_step(struct server *server, int stop_fd, uint64_t now_ns, int wait_ms);
/* Whether a client is there, which may run out of time. */
bool server_is_busy(const struct server *server);

#endif
