/* SPDX-License-Identifier: MIT */
/* The build id of what is mapped and no file of a process: the vDSO, the kernel, a module. Source:
 * /sys/module. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build-id.h"
#include "build-ids-impl.h"

/* A file of notes. Returns 0 or why not. */
static int read_notes(const char *path, struct xp_build_id *ret_id)
{
	char notes[8192];
	size_t len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < sizeof(notes) && (n = read(fd, notes + len, sizeof(notes) - len)) > 0)
		len += (size_t)n;
	close(fd);
	return xp_build_id_of_notes(notes, len, &xp_notes_native, ret_id) ? 0 : -ENODATA;
}

/* The name of a module, from "[name]" or the path of its file. */
static bool module_name(const struct mapped *mapped, char *name, size_t size)
{
	const char *slash = strrchr(mapped->name, '/');
	const char *base = *mapped->name == '[' ? mapped->name + 1 : slash ? slash + 1 : "";
	const char *end = *mapped->name == '[' ? strchr(base, ']') : strstr(base, ".ko");

	if (!end || end == base || (size_t)(end - base) >= size ||
	    memchr(base, '/', (size_t)(end - base)))
		return false;
	for (; base < end; base++)
		*name++ = *base == '-' ? '_' : *base;
	*name = '\0';
	return true;
}

static int vdso_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	size_t len;
	const void *image = xp_vdso_image(&len);

	(void)root, (void)mapped;
	return image ? xp_build_id_of_image(image, len, ret_id) : -ENODATA;
}

static int kernel_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	char path[PATH_MAX];

	(void)mapped;
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	return read_notes(path, ret_id);
}

static int module_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	char path[PATH_MAX], name[64];

	if (!module_name(mapped, name, sizeof(name)))
		return -ENODATA;
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", root, name);
	return read_notes(path, ret_id);
}

int xp_mapped_build_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	static int (*const kinds[])(const char *root, const struct mapped *mapped,
				    struct xp_build_id *ret_id) = {
		[MAPPED_VDSO] = vdso_id,
		[MAPPED_KERNEL] = kernel_id,
		[MAPPED_MODULE] = module_id,
	};

	return kinds[mapped->kind] ? kinds[mapped->kind](root, mapped, ret_id) : -ENODATA;
}
