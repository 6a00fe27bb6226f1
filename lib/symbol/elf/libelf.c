/* SPDX-License-Identifier: MIT */
/*
 * ELF files through libelf, which is loaded here when the first file is read, and stays: a
 * command that reads no symbols does not pay for it.
 *
 * Files are read, never mapped: whoever looks at a mapped file that is cut meanwhile is killed by
 * SIGBUS. libelf reads a section when it is first looked at.
 *
 * Source: libelf's gelf.h and elf(3); the library's name is its ABI's, libelf.so.1.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "cleanup.h"
#include "descriptor.h"
#include "libelf-impl.h"
#include "loaded.h"
#include "on-disk.h"

static const struct loaded_function functions[] = {
	{ "elf_version", offsetof(struct libelf, version) },
	{ "elf_begin", offsetof(struct libelf, begin) },
	{ "elf_memory", offsetof(struct libelf, memory) },
	{ "elf_end", offsetof(struct libelf, end) },
	{ "elf_kind", offsetof(struct libelf, kind) },
	{ "elf_nextscn", offsetof(struct libelf, nextscn) },
	{ "elf_getscn", offsetof(struct libelf, getscn) },
	{ "elf_getdata", offsetof(struct libelf, getdata) },
	{ "elf_rawdata", offsetof(struct libelf, rawdata) },
	{ "elf_strptr", offsetof(struct libelf, strptr) },
	{ "elf_getphdrnum", offsetof(struct libelf, getphdrnum) },
	{ "elf_getshdrstrndx", offsetof(struct libelf, getshdrstrndx) },
	{ "gelf_getehdr", offsetof(struct libelf, getehdr) },
	{ "gelf_getphdr", offsetof(struct libelf, getphdr) },
	{ "gelf_getshdr", offsetof(struct libelf, getshdr) },
	{ "gelf_getsym", offsetof(struct libelf, getsym) },
	{ "gelf_getversym", offsetof(struct libelf, getversym) },
	{ "gelf_getverdef", offsetof(struct libelf, getverdef) },
	{ "gelf_getverdaux", offsetof(struct libelf, getverdaux) },
	{ "gelf_getchdr", offsetof(struct libelf, getchdr) },
	{ "gelf_getrela", offsetof(struct libelf, getrela) },
	{ "elf_compress", offsetof(struct libelf, compress) },
	{ "elf_compress_gnu", offsetof(struct libelf, compress_gnu) },
};

static int load(struct libelf *lib, struct xp_diag *diag)
{
	lib->handle =
		library_load("libelf.so.1", RTLD_NODELETE, functions, XP_ARRAY_LEN(functions), lib);
	if (lib->handle && lib->version(EV_CURRENT) != EV_NONE)
		return 0;
	xp_diag_set(diag, -ENOSYS, "libelf.so.1 cannot be loaded");
	xp_diag_hint(diag, "Install libelf, which reads symbols");
	return -ENOSYS;
}

/* Devices and pipes are not waited for, nor read. @fd: of the file; -1: why is in errno. Returns
 * it, or closes it. */
static int check_file(int fd, const char *path, uint64_t *ret_section_max, struct xp_diag *diag)
{
	int err = fd < 0 ? -errno : 0;
	struct stat st;

	if (!err && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		*ret_section_max = xp_on_disk_limit(&st);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	if (err)
		return xp_diag_set(diag, err, "'%s' cannot be opened: %s", path, strerror(-err));
	return xp_diag_set(diag, -ENOEXEC, "'%s' is not a regular file", path);
}

static int begin(struct xp_elf *elf, int fd, const char *path, struct xp_diag *diag)
{
	elf->fd = check_file(fd, path, &elf->section_max, diag);
	if (elf->fd < 0)
		return elf->fd;
	int err = load(&elf->lib, diag);
	if (err)
		return err;
	elf->elf = elf->lib.begin(elf->fd, ELF_C_READ, NULL);
	if (!elf->elf || elf->lib.kind(elf->elf) != ELF_K_ELF ||
	    !elf->lib.getehdr(elf->elf, &elf->header))
		return xp_diag_set(diag, -ENOEXEC, "'%s' is not an ELF file", path);
	return 0;
}

/* @fd becomes the file's, as for check_file(). */
static int open_descriptor(int fd, const char *path, struct xp_elf **ret_elf, struct xp_diag *diag)
{
	int why = errno;
	struct xp_elf *elf = calloc(1, sizeof(*elf));

	if (!elf) {
		if (fd >= 0)
			close(fd);
		return xp_diag_set(diag, -ENOMEM, "Not enough memory to read '%s'", path);
	}
	errno = why;
	int err = begin(elf, fd, path, diag);
	if (err)
		xp_elf_close(elf);
	else
		*ret_elf = elf;
	return err;
}

int xp_elf_open(const char *path, struct xp_elf **ret_elf, struct xp_diag *diag)
{
	return open_descriptor(
		xp_above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)), path,
		ret_elf, diag);
}

int xp_elf_open_fd(int fd, struct xp_elf **ret_elf)
{
	return open_descriptor(fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), "", ret_elf, NULL);
}

int xp_elf_open_image(const void *image, size_t len, struct xp_elf **ret_elf)
{
	struct xp_elf *elf = calloc(1, sizeof(*elf));

	if (!elf)
		return -ENOMEM;
	elf->fd = -1;
	elf->section_max = UINT64_MAX;
	int err = load(&elf->lib, NULL);
	if (!err) {
		/* It is not written to. */
		elf->elf = elf->lib.memory((char *)image, len);
		if (!elf->elf || elf->lib.kind(elf->elf) != ELF_K_ELF ||
		    !elf->lib.getehdr(elf->elf, &elf->header))
			err = -ENOEXEC;
	}
	if (err)
		xp_elf_close(elf);
	else
		*ret_elf = elf;
	return err;
}

void xp_elf_close(struct xp_elf *elf)
{
	if (!elf)
		return;
	if (elf->elf)
		elf->lib.end(elf->elf);
	if (elf->lib.handle)
		dlclose(elf->lib.handle);
	if (elf->fd >= 0)
		close(elf->fd);
	for (size_t i = 0; i < elf->nr_relocated; i++)
		free(elf->relocated[i]);
	free(elf->relocated);
	free(elf->sections);
	free(elf);
}

struct xp_elf_facts xp_elf_facts(const struct xp_elf *elf)
{
	return (struct xp_elf_facts){
		.is_64 = elf->header.e_ident[EI_CLASS] == ELFCLASS64,
		.is_big_endian = elf->header.e_ident[EI_DATA] == ELFDATA2MSB,
		.is_fixed = elf->header.e_type == ET_EXEC,
		.is_relocatable = elf->header.e_type == ET_REL,
		.machine = elf->header.e_machine,
		.entry = elf->header.e_entry,
		.content_max = elf->section_max,
	};
}

bool xp_elf_is_readable(const struct xp_elf *elf, size_t index)
{
	GElf_Shdr header;
	Elf_Scn *section = elf->lib.getscn(elf->elf, index);

	return section && elf->lib.getshdr(section, &header) &&
	       (header.sh_type == SHT_NOBITS || header.sh_size <= elf->section_max);
}

/*
 * Where code goes on in a module's text behind @offset. Source: layout_sections() in the kernel's
 * kernel/module/main.c: first all code, as the file has it, but for what is thrown away.
 */
static uint64_t lay_out(struct xp_elf *elf, const GElf_Shdr *header, uint64_t *offset)
{
	const char *name = elf->lib.strptr(elf->elf, elf->names, header->sh_name);
	uint64_t align = header->sh_addralign, base;

	if (elf->header.e_type != ET_REL || !(header->sh_flags & SHF_ALLOC) ||
	    !(header->sh_flags & SHF_EXECINSTR) || !name || !strncmp(name, ".init", 5))
		return XP_ELF_NO_BASE;
	base = align > 1 && *offset % align ? *offset + (align - *offset % align) : *offset;
	*offset = base + header->sh_size;
	return base;
}

int xp_elf_find_code(struct xp_elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t offset = 0;
	size_t nr = 1;

	if (elf->sections)
		return 0;
	while ((section = elf->lib.nextscn(elf->elf, section)))
		nr++;
	elf->sections = calloc(nr, sizeof(*elf->sections));
	if (!elf->sections)
		return -ENOMEM;
	if (elf->lib.getshdrstrndx(elf->elf, &elf->names) || !xp_elf_is_readable(elf, elf->names))
		elf->names = 0;
	elf->nr_sections = nr;
	for (size_t i = 1; i < nr && (section = elf->lib.nextscn(elf->elf, section)); i++) {
		if (!elf->lib.getshdr(section, &header))
			continue;
		elf->sections[i].is_code = header.sh_flags & SHF_EXECINSTR;
		elf->sections[i].base = lay_out(elf, &header, &offset);
	}
	return 0;
}

struct section xp_elf_section_of(const struct xp_elf *elf, uint32_t index)
{
	return index < elf->nr_sections ? elf->sections[index]
					: (struct section){ .base = XP_ELF_NO_BASE };
}

int xp_elf_offset(const struct xp_elf *elf, uint64_t address, uint64_t *ret_offset,
		  bool *ret_is_executable)
{
	GElf_Phdr segment;
	size_t nr;

	if (elf->lib.getphdrnum(elf->elf, &nr))
		return -ENOENT;
	for (size_t i = 0; i < nr && elf->lib.getphdr(elf->elf, (int)i, &segment); i++) {
		uint64_t within = address - segment.p_vaddr;

		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    within >= segment.p_filesz)
			continue;
		*ret_offset = segment.p_offset + within;
		*ret_is_executable = segment.p_flags & PF_X;
		return 0;
	}
	return -ENOENT;
}

int xp_elf_segments(const struct xp_elf *elf, struct xp_elf_segment **ret_segments)
{
	struct xp_elf_segment *segments;
	GElf_Phdr segment;
	size_t nr_headers;
	int nr = 0;

	if (elf->lib.getphdrnum(elf->elf, &nr_headers))
		nr_headers = 0;
	if (nr_headers > XP_ELF_SEGMENTS)
		return -ENOEXEC;
	segments = calloc(nr_headers + 1, sizeof(*segments));
	if (!segments)
		return -ENOMEM;
	for (size_t i = 0; i < nr_headers; i++)
		if (elf->lib.getphdr(elf->elf, (int)i, &segment) && segment.p_type == PT_LOAD)
			segments[nr++] = (struct xp_elf_segment){
				.offset = segment.p_offset,
				.address = segment.p_vaddr,
				.len = segment.p_filesz,
				.memory_len = segment.p_memsz,
				.is_executable = segment.p_flags & PF_X,
			};
	*ret_segments = segments;
	return nr;
}

void xp_elf_set_content(const struct xp_elf *elf, Elf_Scn *section, const GElf_Shdr *header,
			struct xp_elf_section *ret_section)
{
	const Elf_Data *bytes =
		header->sh_size <= elf->section_max ? elf->lib.rawdata(section, NULL) : NULL;

	*ret_section = (struct xp_elf_section){ .address = header->sh_addr,
						.is_packed = header->sh_flags & SHF_COMPRESSED };
	if (!bytes || !bytes->d_buf)
		return;
	ret_section->bytes = bytes->d_buf;
	ret_section->len = bytes->d_size;
}

Elf_Scn *xp_elf_find_name(const struct xp_elf *elf, const char *name, GElf_Shdr *ret_header)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf->lib.getshdrstrndx(elf->elf, &names) || !xp_elf_is_readable(elf, names))
		return NULL;
	while ((section = elf->lib.nextscn(elf->elf, section))) {
		if (!elf->lib.getshdr(section, ret_header))
			continue;
		const char *its_name = elf->lib.strptr(elf->elf, names, ret_header->sh_name);
		if (its_name && !strcmp(its_name, name))
			return section;
	}
	return NULL;
}

int xp_elf_section(struct xp_elf *elf, const char *name, struct xp_elf_section *ret_section)
{
	GElf_Shdr header;
	Elf_Scn *section = xp_elf_find_name(elf, name, &header);

	if (!section)
		return -ENOENT;
	xp_elf_set_content(elf, section, &header, ret_section);
	return 0;
}
