/* SPDX-License-Identifier: MIT */
/*
 * A tar archive that is written as it comes: files and links of nobody in particular.
 *
 * Source: pax in POSIX.1-2017, "ustar Interchange Format"; GNU tar's manual for names that do not
 * fit ("././@LongLink").
 */
#include "tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 512, NAME_ROOM = 100, COPY_BYTES = 1 << 16 };

struct header {
	char name[NAME_ROOM];
	char mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type;
	char target[NAME_ROOM];
	char magic[6], version[2];
	char user[32], group[32], major[8], minor[8], prefix[155];
	char rest[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static int write_all(FILE *tar, const void *bytes, size_t len)
{
	return len && fwrite(bytes, len, 1, tar) != 1 ? (errno ? -errno : -EIO) : 0;
}

static int pad(FILE *tar, uint64_t len)
{
	static const char zeros[BLOCK];

	return write_all(tar, zeros, (BLOCK - len % BLOCK) % BLOCK);
}

/* Octal digits up to the NUL; what does not fit in binary, as GNU tar has it. */
static void put_number(char *field, size_t room, uint64_t number)
{
	if (number >> 3 * (room - 1)) {
		for (size_t i = room; i-- > 1; number >>= 8)
			field[i] = (char)(number & 255);
		field[0] = (char)0x80;
		return;
	}
	for (size_t i = room - 1; i-- > 0; number >>= 3)
		field[i] = (char)('0' + (number & 7));
}

static int write_header(FILE *tar, const char *name, const char *target, char type,
			const struct stat *st)
{
	struct header header = { .type = type, .magic = "ustar", .version = { '0', '0' } };
	unsigned int sum = 0;

	memcpy(header.name, name, strnlen(name, NAME_ROOM));
	memcpy(header.target, target, strnlen(target, NAME_ROOM));
	put_number(header.mode, sizeof(header.mode), st->st_mode & 0777);
	put_number(header.uid, sizeof(header.uid), 0);
	put_number(header.gid, sizeof(header.gid), 0);
	put_number(header.size, sizeof(header.size), (uint64_t)st->st_size);
	put_number(header.mtime, sizeof(header.mtime), (uint64_t)st->st_mtime);
	memset(header.checksum, ' ', sizeof(header.checksum));
	for (size_t i = 0; i < sizeof(header); i++)
		sum += ((const unsigned char *)&header)[i];
	put_number(header.checksum, sizeof(header.checksum) - 1, sum);
	return write_all(tar, &header, sizeof(header));
}

/* A name that is too long comes as the content of an entry before its own. */
static int write_long(FILE *tar, const char *text, char type)
{
	struct stat st = { .st_size = (off_t)strlen(text) + 1 };

	if (st.st_size <= NAME_ROOM)
		return 0;
	int err = write_header(tar, "././@LongLink", "", type, &st)
			  ?: write_all(tar, text, (size_t)st.st_size);
	return err ? err : pad(tar, (uint64_t)st.st_size);
}

static int write_entry(FILE *tar, const char *name, const char *target, char type,
		       const struct stat *st)
{
	int err = write_long(tar, target, 'K') ?: write_long(tar, name, 'L');

	return err ? err : write_header(tar, name, target, type, st);
}

int tar_link(FILE *tar, const char *name, const char *target)
{
	const struct stat st = { .st_mode = 0777 };

	return write_entry(tar, name, target, '2', &st);
}

static int copy(FILE *tar, int fd, uint64_t len)
{
	char buffer[COPY_BYTES];
	int err = 0;

	while (len && !err) {
		ssize_t n = read(fd, buffer, len < sizeof(buffer) ? len : sizeof(buffer));

		if (n <= 0)
			return n ? -errno : -ENODATA;
		err = write_all(tar, buffer, (size_t)n);
		len -= (uint64_t)n;
	}
	return err;
}

int tar_file(FILE *tar, const char *name, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (!err)
		err = write_entry(tar, name, "", '0', &st);
	if (!err)
		err = copy(tar, fd, (uint64_t)st.st_size);
	close(fd);
	return err ? err : pad(tar, (uint64_t)st.st_size);
}

int tar_end(FILE *tar)
{
	static const char zeros[2 * BLOCK];
	int err = write_all(tar, zeros, sizeof(zeros));

	return err ? err : fflush(tar) ? -errno : 0;
}
