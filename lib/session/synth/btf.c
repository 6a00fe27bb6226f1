/* SPDX-License-Identifier: MIT */
/* Names of the types that BPF programs are described with. Source: Documentation/bpf/btf.rst. */
#include <linux/btf.h>
#include <string.h>
#include <xperf/synth.h>

#include "cleanup.h"

/* The length of what follows a type's head. Source: Documentation/bpf/btf.rst, "Type Encoding"; the
 * two newest kinds are not in every linux/btf.h. */
static size_t type_tail(const struct btf_type *type)
{
	enum { KIND_DECL_TAG = 17, KIND_ENUM64 = 19 };
	static const uint8_t alone[] = {
		[BTF_KIND_INT] = sizeof(uint32_t),
		[BTF_KIND_ARRAY] = sizeof(struct btf_array),
		[BTF_KIND_VAR] = sizeof(struct btf_var),
		[KIND_DECL_TAG] = sizeof(uint32_t),
	};
	static const uint8_t per_member[] = {
		[BTF_KIND_STRUCT] = sizeof(struct btf_member),
		[BTF_KIND_UNION] = sizeof(struct btf_member),
		[BTF_KIND_ENUM] = sizeof(struct btf_enum),
		[BTF_KIND_FUNC_PROTO] = sizeof(struct btf_param),
		[BTF_KIND_DATASEC] = sizeof(struct btf_var_secinfo),
		[KIND_ENUM64] = 3 * sizeof(uint32_t),
	};
	uint32_t kind = BTF_INFO_KIND(type->info);
	size_t tail = kind < XP_ARRAY_LEN(alone) ? alone[kind] : 0;

	if (kind < XP_ARRAY_LEN(per_member))
		tail += (size_t)per_member[kind] * BTF_INFO_VLEN(type->info);
	return tail;
}

const char *xp_btf_name(const void *types, size_t len, uint32_t id)
{
	const char *bytes = types;
	struct btf_header header;
	struct btf_type type;

	if (!types || len < sizeof(header))
		return NULL;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != BTF_MAGIC)
		return NULL;
	uint64_t at = (uint64_t)header.hdr_len + header.type_off;
	uint64_t end = at + header.type_len;
	uint64_t names = (uint64_t)header.hdr_len + header.str_off;
	for (uint32_t i = 1; end <= len && at + sizeof(type) <= end; i++) {
		memcpy(&type, bytes + at, sizeof(type));
		if (i == id) {
			names += type.name_off;
			bool is_text = names < len && memchr(bytes + names, 0, len - names);
			return is_text && bytes[names] ? bytes + names : NULL;
		}
		at += sizeof(type) + type_tail(&type);
	}
	return NULL;
}
