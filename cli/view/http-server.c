/* SPDX-License-Identifier: MIT */
/* The server of a file: one thread, sockets that never block, see http-server.h. */
#include "http-server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http-request.h"

#define NS_PER_S 1000000000ULL

/* A client has so long for its request, and then for each piece of the answer. */
#define REQUEST_NS (10 * NS_PER_S)
#define ANSWER_NS  (30 * NS_PER_S)

/* Browsers use up to six connections; beyond these, who is silent makes place for who comes. */
enum { MAX_CLIENTS = 16, SECRET_BYTES = 16 };

/* Someone who is connected. */
struct client {
	int fd; /* -1: nobody */
	uint64_t deadline_ns;
	size_t request_len; /* that has arrived */
	bool is_answered;
	uint64_t at, end; /* of head and file, after each other: what is sent */
	size_t head_len;
	char head[512];
	char request[REQUEST_ROOM];
};

struct server {
	int listen_fd, file_fd;
	uint64_t file_len;
	const char *type;
	unsigned int port;
	char path[1 + 2 * SECRET_BYTES + 1];
	struct client clients[MAX_CLIENTS];
};

/* --- making it --- */

static int choose_path(struct server *server)
{
	unsigned char secret[SECRET_BYTES];
	char *at = server->path;

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return -EIO;
	*at++ = '/';
	for (int i = 0; i < SECRET_BYTES; i++)
		at += sprintf(at, "%02x", secret[i]);
	return 0;
}

static int listen_here(struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(address);

	server->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0 ||
	    bind(server->listen_fd, (const struct sockaddr *)&address, len) ||
	    listen(server->listen_fd, SOMAXCONN) ||
	    getsockname(server->listen_fd, (struct sockaddr *)&address, &len))
		return -errno;
	server->port = ntohs(address.sin_port);
	return 0;
}

int server_new(int fd, const char *type, struct server **ret_server)
{
	struct server *server = calloc(1, sizeof(*server));
	struct stat st;

	if (!server)
		return -ENOMEM;
	server->listen_fd = -1;
	server->file_fd = fd;
	server->type = type;
	for (int i = 0; i < MAX_CLIENTS; i++)
		server->clients[i].fd = -1;
	int err = fstat(fd, &st) ? -errno : 0;
	err = err ?: choose_path(server) ?: listen_here(server);
	if (err) {
		server_free(server);
		return err;
	}
	server->file_len = (uint64_t)st.st_size;
	*ret_server = server;
	return 0;
}

static void dismiss(struct client *client)
{
	shutdown(client->fd, SHUT_RDWR);
	close(client->fd);
	client->fd = -1;
}

void server_free(struct server *server)
{
	if (!server)
		return;
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].fd >= 0)
			dismiss(&server->clients[i]);
	if (server->listen_fd >= 0)
		close(server->listen_fd);
	free(server);
}

unsigned int server_port(const struct server *server)
{
	return server->port;
}

const char *server_path(const struct server *server)
{
	return server->path;
}

bool server_is_busy(const struct server *server)
{
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].fd >= 0)
			return true;
	return false;
}

/* --- answers --- */

/* @request: NULL: it was none. What is served is found by nobody who does not know its path, and is
 * kept nowhere. */
static void answer(const struct server *server, struct client *client,
		   const struct request *request)
{
	bool is_found = request && (request->is_get || request->is_head) &&
			request_is_for(request, server->path);
	uint64_t len = is_found ? server->file_len : 0;
	int head_len = snprintf(client->head, sizeof(client->head),
				"HTTP/1.1 %s\r\n"
				"Content-Type: %s\r\n"
				"Content-Length: %" PRIu64 "\r\n"
				"Cache-Control: no-store\r\n"
				"Referrer-Policy: no-referrer\r\n"
				"X-Content-Type-Options: nosniff\r\n"
				"Connection: close\r\n"
				"\r\n",
				is_found ? "200 OK" : "404 Not Found",
				is_found ? server->type : "text/plain", len);

	client->is_answered = true;
	client->head_len = (size_t)head_len;
	client->at = 0;
	client->end = client->head_len + (is_found && request->is_get ? len : 0);
}

/* Sends what the socket has room for. Returns whether there is more, and the client is there. */
static bool send_some(const struct server *server, struct client *client, uint64_t now_ns)
{
	char buf[65536];
	const char *bytes = buf;
	uint64_t left = client->end - client->at;
	size_t len = client->head_len - (size_t)client->at;

	if (client->at < client->head_len) {
		bytes = client->head + client->at;
	} else {
		len = left < sizeof(buf) ? (size_t)left : sizeof(buf);
		ssize_t got =
			pread(server->file_fd, buf, len, (off_t)(client->at - client->head_len));
		if (got <= 0)
			return false;
		len = (size_t)got;
	}
	ssize_t sent = send(client->fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent < 0)
		return errno == EAGAIN || errno == EINTR;
	client->at += (uint64_t)sent;
	client->deadline_ns = now_ns + ANSWER_NS;
	return client->at < client->end;
}

/* Reads what has arrived of the request. Returns whether the client is there. */
static bool receive_some(const struct server *server, struct client *client, uint64_t now_ns)
{
	struct request request;
	ssize_t got = recv(client->fd, client->request + client->request_len,
			   REQUEST_ROOM - client->request_len, MSG_DONTWAIT);

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR);
	client->request_len += (size_t)got;
	enum request_state state = request_parse(client->request, client->request_len, &request);
	if (state == REQUEST_PARTIAL && client->request_len < REQUEST_ROOM)
		return true;
	answer(server, client, state == REQUEST_COMPLETE ? &request : NULL);
	return send_some(server, client, now_ns);
}

/* --- clients --- */

/* A free place, or else that of whoever has waited longest with a request. NULL: all are answered.
 */
static struct client *find_place(struct server *server)
{
	struct client *oldest = NULL;

	for (int i = 0; i < MAX_CLIENTS; i++) {
		struct client *client = &server->clients[i];

		if (client->fd < 0)
			return client;
		if (!client->is_answered && (!oldest || client->deadline_ns < oldest->deadline_ns))
			oldest = client;
	}
	return oldest;
}

/* Returns 0, or a negative errno if nobody can be let in any more. */
static int let_in(struct server *server, uint64_t now_ns)
{
	struct client *client = find_place(server);

	if (!client)
		return 0;
	int fd = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return errno == EAGAIN || errno == EINTR || errno == ECONNABORTED ? 0 : -errno;
	if (client->fd >= 0)
		dismiss(client);
	client->fd = fd;
	client->request_len = 0;
	client->is_answered = false;
	client->deadline_ns = now_ns + REQUEST_NS;
	return 0;
}

static void serve(const struct server *server, struct client *client, bool is_ready,
		  uint64_t now_ns)
{
	bool stays = true;

	if (is_ready)
		stays = client->is_answered ? send_some(server, client, now_ns)
					    : receive_some(server, client, now_ns);
	if (!stays || now_ns >= client->deadline_ns)
		dismiss(client);
}

int server_step(struct server *server, int stop_fd, uint64_t now_ns, int wait_ms)
{
	enum { STOP, LISTEN, CLIENTS, NR = CLIENTS + MAX_CLIENTS };
	struct pollfd fds[NR] = {
		[STOP] = { .fd = stop_fd, .events = POLLIN },
		[LISTEN] = { .fd = find_place(server) ? server->listen_fd : -1, .events = POLLIN },
	};

	for (int i = 0; i < MAX_CLIENTS; i++) {
		const struct client *client = &server->clients[i];

		fds[CLIENTS + i] =
			(struct pollfd){ .fd = client->fd,
					 .events = client->is_answered ? POLLOUT : POLLIN };
	}
	if (poll(fds, NR, wait_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].fd >= 0)
			serve(server, &server->clients[i], fds[CLIENTS + i].revents, now_ns);
	int err = fds[LISTEN].revents ? let_in(server, now_ns) : 0;
	return err ? err : fds[STOP].revents != 0;
}
