/* SPDX-License-Identifier: MIT */
/* The server of one file: what clients get, and that none of them keeps it from the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http-request.h"
#include "http-server.h"

#define NS_PER_S 1000000000ULL

/* More than a socket holds. */
enum { FILE_BYTES = 8 << 20 };

static struct {
	int fd;
	struct server *server;
	uint64_t now_ns;
	char *page, *answer;
} t;

static int begin(void **state)
{
	(void)state;
	t.now_ns = 100 * NS_PER_S;
	t.page = malloc(FILE_BYTES);
	t.answer = malloc(FILE_BYTES + 4096);
	for (size_t i = 0; i < FILE_BYTES; i++)
		t.page[i] = (char)(i * 7 + i / 251);
	t.fd = memfd_create("page", MFD_CLOEXEC);
	assert_int_equal(write(t.fd, t.page, FILE_BYTES), FILE_BYTES);
	assert_int_equal(server_new(t.fd, "text/html", &t.server), 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	server_free(t.server);
	close(t.fd);
	free(t.page);
	free(t.answer);
	return 0;
}

/* --- clients --- */

static int client(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((uint16_t)server_port(t.server)),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	size_t len = strlen(text);

	assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), len);
}

/* Does all that can be done now. What was sent to this machine itself can take a moment. */
static void step(void)
{
	enum { MOMENT_MS = 100, ROUNDS = 32 };

	for (int i = 0; i < ROUNDS; i++)
		assert_int_equal(server_step(t.server, -1, t.now_ns, i ? 0 : MOMENT_MS), 0);
}

static bool is_gone(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	char byte;

	poll(&poll_fd, 1, 100);
	ssize_t got = recv(fd, &byte, 1, MSG_DONTWAIT);

	return !got || (got < 0 && errno == ECONNRESET);
}

/* All that comes until the server has closed the connection. */
static size_t listen_to(int fd)
{
	size_t len = 0;

	for (;;) {
		ssize_t got = recv(fd, t.answer + len, FILE_BYTES + 4095 - len, MSG_DONTWAIT);

		if (!got)
			break;
		assert_true(got > 0 || errno == EAGAIN);
		len += got > 0 ? (size_t)got : 0;
		assert_int_equal(server_step(t.server, -1, t.now_ns, got > 0 ? 0 : 50), 0);
	}
	t.answer[len] = '\0';
	close(fd);
	return len;
}

static size_t ask(const char *method, const char *path)
{
	int fd = client();
	char text[256];

	snprintf(text, sizeof(text), "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", method, path);
	say(fd, text);
	return listen_to(fd);
}

static bool is_answer(const char *status)
{
	return !strncmp(t.answer, "HTTP/1.1 ", 9) && !strncmp(t.answer + 9, status, 3);
}

/* Where the page begins in the answer; NULL: in none. */
static const char *body(void)
{
	const char *end_of_head = strstr(t.answer, "\r\n\r\n");

	return end_of_head ? end_of_head + 4 : NULL;
}

static void expect_page(size_t len)
{
	assert_true(is_answer("200"));
	assert_non_null(body());
	assert_int_equal(t.answer + len - body(), FILE_BYTES);
	assert_memory_equal(body(), t.page, FILE_BYTES);
}

/* --- tests --- */

static void the_page_is_served(void **state)
{
	(void)state;
	expect_page(ask("GET", server_path(t.server)));
	assert_non_null(strstr(t.answer, "\r\nContent-Type: text/html\r\n"));
	assert_non_null(strstr(t.answer, "\r\nContent-Length: 8388608\r\n"));
	/* and once more */
	expect_page(ask("GET", server_path(t.server)));
	size_t len = ask("HEAD", server_path(t.server));
	assert_true(is_answer("200"));
	assert_non_null(strstr(t.answer, "\r\nContent-Length: 8388608\r\n"));
	assert_ptr_equal(t.answer + len, body());
}

static void nothing_else_is_served(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s", server_path(t.server));
	assert_int_equal(strlen(path), 33);
	assert_int_equal(strspn(path + 1, "0123456789abcdef"), 32);
	const struct {
		const char *method, *path;
	} rows[] = {
		{ "GET", "/" },
		{ "GET", "/favicon.ico" },
		{ "GET", "/etc/passwd" },
		{ "POST", path },
		{ "get", path },
		{ "GET", path + 1 },
		{ "OPTIONS", "*" },
		{ "GET", "/../etc/passwd" },
		{ "DELETE", path },
		{ "GET", "HTTP/1.1" },
		{ "CONNECT", "x.org:443" },
		{ "", path },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ask(rows[i].method, rows[i].path);
		assert_true(is_answer("404"));
		assert_int_equal(*body(), '\0');
	}
	path[7] = path[7] == '0' ? '1' : '0';
	ask("GET", path);
	assert_true(is_answer("404"));
}

static void paths_differ(void **state)
{
	struct server *other = NULL;

	(void)state;
	assert_int_equal(server_new(t.fd, "text/html", &other), 0);
	assert_string_not_equal(server_path(other), server_path(t.server));
	assert_int_not_equal(server_port(other), server_port(t.server));
	server_free(other);
}

static void requests_come_in_pieces(void **state)
{
	int fd = client();
	char byte[2] = "";

	(void)state;
	say(fd, "GET ");
	for (const char *at = server_path(t.server); *at; at++) {
		byte[0] = *at;
		say(fd, byte);
		step();
	}
	say(fd, " HTTP/1.1\r\n");
	step();
	say(fd, "\r\n");
	expect_page(listen_to(fd));
}

static void long_requests_are_refused(void **state)
{
	int fd = client();

	(void)state;
	say(fd, "GET / HTTP/1.1\r\n");
	for (int i = 0; i < REQUEST_ROOM / 64 - 1; i++)
		say(fd, "A: 4567890123456789012345678901234567890123456789012345678901\r\n");
	step();
	close(fd);
	step();
	fd = client();
	char *line = malloc(REQUEST_ROOM + 1);
	memset(line, 'A', REQUEST_ROOM);
	line[REQUEST_ROOM] = '\0';
	say(fd, line);
	free(line);
	listen_to(fd);
	assert_true(is_answer("404"));
	assert_false(server_is_busy(t.server));
}

static void bytes_that_are_no_request_are_refused(void **state)
{
	int fd = client();

	(void)state;
	say(fd, "\026\003\001\002\n");
	listen_to(fd);
	assert_true(is_answer("404"));
}

static void who_sends_nothing_has_to_go(void **state)
{
	int silent = client(), slow;

	(void)state;
	step();
	assert_true(server_is_busy(t.server));
	t.now_ns += 9 * NS_PER_S;
	slow = client();
	say(slow, "GET /");
	step();
	assert_false(is_gone(silent));
	t.now_ns += 2 * NS_PER_S;
	step();
	assert_true(is_gone(silent));
	assert_false(is_gone(slow));
	/* a byte now and then is no request either */
	say(slow, "a");
	step();
	t.now_ns += 9 * NS_PER_S;
	step();
	assert_true(is_gone(slow));
	assert_false(server_is_busy(t.server));
	close(silent);
	close(slow);
}

static void who_reads_nothing_has_to_go(void **state)
{
	int fd = client();
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n\r\n", server_path(t.server));
	say(fd, text);
	step();
	assert_true(server_is_busy(t.server));
	expect_page(ask("GET", server_path(t.server)));
	/* The kernel's buffers may have had room for more meanwhile. */
	for (int i = 0; i < 20 && server_is_busy(t.server); i++) {
		t.now_ns += 31 * NS_PER_S;
		step();
	}
	assert_false(server_is_busy(t.server));
	close(fd);
}

/* More than there is room for: those that come late wait until the silent ones have to go. */
static void many_clients_are_served(void **state)
{
	enum { SILENT = 20, NR = 60 };
	int fds[NR];
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n\r\n", server_path(t.server));
	for (int i = 0; i < NR; i++) {
		fds[i] = client();
		if (i >= SILENT)
			say(fds[i], text);
		step();
	}
	for (int i = 0; i < 2; i++) {
		t.now_ns += 11 * NS_PER_S;
		step();
	}
	for (int i = SILENT; i < NR; i++)
		expect_page(listen_to(fds[i]));
	for (int i = 0; i < SILENT; i++) {
		assert_true(is_gone(fds[i]));
		close(fds[i]);
	}
	assert_false(server_is_busy(t.server));
}

/* No time passes. */
static void silent_clients_make_place(void **state)
{
	enum { SILENT = 40 };
	int fds[SILENT];

	(void)state;
	for (int i = 0; i < SILENT; i++) {
		fds[i] = client();
		step();
	}
	expect_page(ask("GET", server_path(t.server)));
	for (int i = 0; i < SILENT; i++)
		close(fds[i]);
	step();
	assert_false(server_is_busy(t.server));
}

static void clients_may_leave(void **state)
{
	int fd = client();
	char text[128];

	(void)state;
	close(fd);
	step();
	assert_false(server_is_busy(t.server));
	fd = client();
	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n\r\n", server_path(t.server));
	say(fd, text);
	step();
	close(fd);
	step();
	assert_false(server_is_busy(t.server));
	expect_page(ask("GET", server_path(t.server)));
}

static void a_file_may_shrink(void **state)
{
	int fd = client();
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n\r\n", server_path(t.server));
	say(fd, text);
	step();
	assert_int_equal(ftruncate(t.fd, 100), 0);
	assert_true(listen_to(fd) < FILE_BYTES);
	assert_false(server_is_busy(t.server));
}

static void it_ends_on_request(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(server_step(t.server, ends[0], t.now_ns, 0), 0);
	assert_int_equal(write(ends[1], "", 1), 1);
	assert_int_equal(server_step(t.server, ends[0], t.now_ns, -1), 1);
	close(ends[0]);
	close(ends[1]);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_page_is_served),
		TEST(nothing_else_is_served),
		TEST(paths_differ),
		TEST(requests_come_in_pieces),
		TEST(long_requests_are_refused),
		TEST(bytes_that_are_no_request_are_refused),
		TEST(who_sends_nothing_has_to_go),
		TEST(who_reads_nothing_has_to_go),
		TEST(many_clients_are_served),
		TEST(silent_clients_make_place),
		TEST(clients_may_leave),
		TEST(a_file_may_shrink),
		TEST(it_ends_on_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
