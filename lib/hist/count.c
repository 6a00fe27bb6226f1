/* SPDX-License-Identifier: MIT */
/*
 * Counts samples by their raw values. Call chains share what they begin with: they are leaves of a
 * tree whose nodes are addresses. A chain that comes again is known by its hash; of 128 bits, so
 * that two chains in a recording that are taken for one are less likely than a broken machine.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <xperf/stacks.h>

#include "chain-mark.h"
#include "profile-impl.h"
#include "timeline.h"

/* --- who and where --- */

static uint32_t slot_of(uint32_t a, uint32_t b)
{
	return (a * 0x9e3779b1U ^ b * 0x85ebca6bU) >> 26;
}

/* Apart from what is called for each sample, which would save registers for it. */
static __attribute__((noinline)) int find_space(struct xp_profile *profile, struct recent *recent,
						int32_t pid, uint64_t time_ns)
{
	struct epoch epoch = xp_epochs_find(&profile->maps, pid, time_ns);
	struct space space = { .pid = pid, .epoch = epoch.nr };
	int is_new = xp_table_intern(&profile->spaces, &space, &recent->nr);

	recent->used = false;
	if (is_new < 0)
		return is_new;
	if (is_new)
		((struct space *)xp_table_at(&profile->spaces, recent->nr))->time_ns = time_ns;
	recent->epoch = epoch;
	recent->used = true;
	return 0;
}

int xp_profile_space(struct xp_profile *profile, int32_t pid, uint64_t time_ns, uint32_t *ret_nr)
{
	struct recent *recent = &profile->spaces_seen[slot_of((uint32_t)pid, 0)];
	int err = 0;

	if (!recent->used || !xp_epoch_has(&recent->epoch, pid, time_ns))
		err = find_space(profile, recent, pid, time_ns);
	*ret_nr = recent->nr;
	return err;
}

static int space_of_mode(struct xp_profile *profile, uint32_t mode, const struct sample_head *seen,
			 uint32_t *ret_nr)
{
	bool is_kernel = (mode & XP_MISC_CPUMODE_MASK) == XP_MISC_KERNEL;

	return xp_profile_space(profile, is_kernel ? KERNEL_PID : seen->pid, seen->time_ns, ret_nr);
}

/* Likewise. */
static __attribute__((noinline)) int find_who(struct xp_profile *profile, struct recent *recent,
					      const struct who *like, uint64_t time_ns)
{
	struct who who = *like;

	recent->used = false;
	who.comm = xp_timeline_comm_at(profile->timeline, who.pid, who.tid, time_ns);
	if (!who.comm || xp_table_intern(&profile->whos, &who, &recent->nr) < 0)
		return -ENOMEM;
	recent->who = who;
	recent->epoch = xp_epochs_find(&profile->names, who.tid, time_ns);
	recent->used = true;
	return 0;
}

static int who_of(struct xp_profile *profile, int event, const struct sample_head *seen,
		  uint32_t tag, uint32_t *ret_nr)
{
	int32_t cpu = profile->has_key[XP_KEY_CPU] ? seen->cpu : -1;
	struct recent *recent = &profile->whos_seen[slot_of((uint32_t)seen->tid,
							    (uint32_t)(event + cpu * 64) + tag)];
	int err = 0;

	if (!recent->used || !xp_epoch_has(&recent->epoch, seen->tid, seen->time_ns) ||
	    recent->who.pid != seen->pid || recent->who.event != (uint32_t)event ||
	    recent->who.cpu != cpu || recent->who.tag != tag)
		err = find_who(profile, recent,
			       &(struct who){ .event = (uint32_t)event,
					      .pid = seen->pid,
					      .tid = seen->tid,
					      .cpu = cpu,
					      .tag = tag },
			       seen->time_ns);
	*ret_nr = recent->nr;
	return err;
}

/* --- call chains --- */

static struct xp_chain_walk walk_of(const struct sample_head *seen)
{
	return (struct xp_chain_walk){ .ips = seen->callchain,
				       .nr = seen->nr_callchain,
				       .cpumode = (uint16_t)seen->mode };
}

static int add_node(struct path *path, uint32_t *nr, uint32_t mode, uint64_t ip)
{
	uint32_t cap = path->cap;

	if (*nr == cap) { /* three arrays of one size */
		uint32_t caps[] = { cap, cap, cap };

		if (xp_array_grow(&path->nodes, &caps[0], cap, sizeof(*path->nodes)) ||
		    xp_array_grow(&path->last, &caps[1], cap, sizeof(*path->last)) ||
		    xp_array_grow(&path->nrs, &caps[2], cap, sizeof(*path->nrs)))
			return -ENOMEM;
		path->cap = caps[0];
	}
	path->nodes[(*nr)++] = (struct node){ .mode = mode, .ip = ip };
	return 0;
}

/* The space of all nodes from the last one that has one inwards. */
static int add_space(struct xp_profile *profile, const struct sample_head *seen, uint32_t mode,
		     uint32_t *nr)
{
	uint32_t space;
	int err = space_of_mode(profile, mode, seen, &space);

	return err ? err : add_node(&profile->path, nr, MODE_SPACE, space);
}

/* Of a chain that is too long, those that come first count, as with perf. Returns how many of the
 * innermost do not. */
static int nr_skipped(const struct xp_profile *profile, const struct sample_head *seen)
{
	struct xp_chain_walk at = walk_of(seen);
	size_t nr = 0;

	if (!profile->opts.callers_first || seen->is_unwound ||
	    seen->nr_callchain <= (size_t)profile->opts.max_stack)
		return 0;
	while (xp_chain_next(&at))
		nr++;
	return (int)nr - profile->opts.max_stack;
}

/* True if a chain has as many addresses as the kernel records, by default. One that has more was
 * not ended by that: it was computed from a copy of the stack, or by rules in the kernel. */
static bool is_cut(const struct sample_head *seen)
{
	size_t nr = 0, len;

	if (xp_chain_marked(seen->callchain, seen->nr_callchain, &len) != XP_NR_CHAIN_ENDS)
		return false;
	for (size_t i = 0; i < seen->nr_callchain; i++)
		nr += seen->callchain[i] < XP_CONTEXT_MAX;
	return nr == DEFAULT_STACK;
}

/* The nodes of a sample's chain, innermost first. */
static int read_chain(struct xp_profile *profile, const struct sample_head *seen, uint32_t *ret_nr)
{
	struct xp_chain_walk at = walk_of(seen);
	uint32_t space_mode = seen->mode, nr = 0;
	uint32_t returns = xp_profile_asks_chains(profile) ? MODE_RETURN : 0;
	int skip = nr_skipped(profile, seen), left = profile->opts.max_stack, err = 0;
	enum xp_chain_end end = xp_chain_marked(seen->callchain, seen->nr_callchain, &at.nr);

	/* Each part of it is as long as it may be. */
	if (seen->is_unwound)
		left = INT_MAX;

	while (!err && left && xp_chain_next(&at)) {
		if (skip-- > 0)
			continue;
		if (at.cpumode != space_mode && nr)
			err = add_space(profile, seen, space_mode, &nr);
		space_mode = at.cpumode;
		if (!err)
			err = add_node(&profile->path, &nr,
				       at.cpumode | (at.is_return ? returns : 0) |
					       (at.is_joined ? MODE_JOINED : 0),
				       at.ip);
		left--;
	}
	if (!err && nr)
		err = add_space(profile, seen, space_mode, &nr);
	if (!err && nr > 1 && profile->opts.whole_chains && !seen->is_unwound && is_cut(seen))
		profile->path.nodes[nr - 2].mode |= MODE_CUT;
	if (!err && nr > 1 && end != XP_NR_CHAIN_ENDS)
		profile->path.nodes[nr - 2].mode |= (uint32_t)(end + 1) << END_SHIFT;
	*ret_nr = nr;
	return err;
}

/* Finds the chain's innermost node; what the last chain had in common is not looked up again. */
static int find_node(struct xp_profile *profile, const struct sample_head *seen, uint32_t *ret)
{
	struct path *path = &profile->path;
	uint32_t nr, at = 0, parent = NO_NODE;
	int err = read_chain(profile, seen, &nr);

	if (err)
		return err;
	for (; at < nr && at < path->nr; at++) {
		const struct node *node = &path->nodes[nr - 1 - at];

		if (path->last[at].ip != node->ip || path->last[at].mode != node->mode)
			break;
		parent = path->nrs[at];
	}
	path->nr = nr;
	for (; at < nr; at++) {
		struct node *node = &path->last[at];

		*node = path->nodes[nr - 1 - at];
		node->parent = parent;
		if (xp_table_intern_sized(&profile->nodes, node, sizeof(*node), &parent) < 0) {
			path->nr = 0;
			return -ENOMEM;
		}
		path->nrs[at] = parent;
	}
	*ret = parent;
	return 0;
}

/* Everything that read_chain() makes something of. */
static void hash_chain(uint64_t seed, const struct sample_head *seen, const uint32_t spaces[2],
		       uint64_t hash[2])
{
	const uint64_t *words = seen->callchain;
	size_t nr = seen->nr_callchain, i = 0;
	const uint64_t other = seed ^ UINT64_C(0xa0761d6478bd642f);
	uint64_t a = xp_hash_fold(seen->mode ^ seed, nr ^ other);
	uint64_t b = xp_hash_fold(((uint64_t)spaces[0] << 32 | spaces[1]) ^ a, other);

	for (; i + 1 < nr; i += 2) {
		a = xp_hash_fold(words[i] ^ a, words[i + 1] ^ seed);
		b = xp_hash_fold(words[i + 1] ^ b, words[i] ^ other);
	}
	if (i < nr) {
		a = xp_hash_fold(words[i] ^ a, seed);
		b = xp_hash_fold(words[i] ^ b, other);
	}
	hash[0] = a;
	hash[1] = b;
}

static int find_chain(struct xp_profile *profile, const struct sample_head *seen, uint32_t *ret)
{
	struct stack stack = { 0 };
	struct sample_head whole;
	uint32_t spaces[2], nr;

	if (xp_chain_is_open(seen->callchain, seen->nr_callchain)) {
		whole = *seen;
		if (xp_timeline_join(profile->timeline, seen->tid, seen->time_ns, &profile->joined,
				     &whole.callchain, &whole.nr_callchain))
			return -ENOMEM;
		seen = &whole;
	}
	if (xp_profile_space(profile, seen->pid, seen->time_ns, &spaces[0]) ||
	    xp_profile_space(profile, KERNEL_PID, seen->time_ns, &spaces[1]))
		return -ENOMEM;
	hash_chain(profile->stacks.seed, seen, spaces, stack.hash);
	int is_new = xp_table_intern_sized(&profile->stacks, &stack, sizeof(stack.hash), &nr);
	if (is_new < 0)
		return is_new;
	struct stack *known = xp_table_at(&profile->stacks, nr);
	int err = is_new ? find_node(profile, seen, &known->node) : 0;
	*ret = known->node;
	return err;
}

/* A branch is a chain of one place, where it goes to. */
static int find_target(struct xp_profile *profile, uint64_t to, uint32_t space, uint32_t *ret)
{
	struct node node = { .parent = NO_NODE, .mode = MODE_SPACE, .ip = space };

	if (xp_table_intern_sized(&profile->nodes, &node, sizeof(node), &node.parent) < 0)
		return -ENOMEM;
	node.mode = MODE_ANY | MODE_LEAF;
	node.ip = to;
	return xp_table_intern_sized(&profile->nodes, &node, sizeof(node), ret) < 0 ? -ENOMEM : 0;
}

/* --- samples --- */

static bool wants_chains(const struct xp_profile *profile)
{
	return profile->opts.with_chains || profile->opts.children ||
	       profile->has_key[XP_KEY_PARENT];
}

/*
 * Tables of a large recording do not fit into the nearest cache. So samples wait until there are
 * some, and memory is asked for all of them before it is needed for the first.
 */
int xp_profile_flush(struct xp_profile *profile)
{
	struct table *raws = &profile->raws;
	uint32_t waiting = profile->nr_waiting;

	profile->nr_waiting = 0;
	for (uint32_t i = 0; i < waiting && raws->index; i++) {
		uint64_t slot = raws->index[xp_table_slot(raws, profile->waiting[i].hash)];

		if (slot)
			__builtin_prefetch(xp_table_at(raws, (uint32_t)slot - 1), 1);
	}
	for (uint32_t i = 0; i < waiting; i++) {
		const struct waiting *at = &profile->waiting[i];
		uint32_t nr;

		if (xp_table_intern_hashed(raws, &at->raw, offsetof(struct raw, sum), at->hash,
					   &nr) < 0)
			return -ENOMEM;
		struct raw *known = xp_table_at(raws, nr);
		xp_sum_add(&known->sum, &at->raw.sum);
	}
	return 0;
}

/* Two numbers as they lie in memory one behind the other: what is put together in a register can
 * be hashed at once, what is stored in halves only once it has arrived there. */
static uint64_t pair_of(uint32_t first, uint32_t second)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? first | (uint64_t)second << 32
							 : second | (uint64_t)first << 32;
}

static inline __attribute__((always_inline)) int count(struct xp_profile *profile, int event,
						       const struct sample_head *seen, uint32_t tag,
						       const struct xp_branch *branch)
{
	struct waiting *waiting = &profile->waiting[profile->nr_waiting];
	uint32_t who = 0, space = 0, chain = NO_NODE;
	int err = who_of(profile, event, seen, tag, &who);

	if (!err)
		err = space_of_mode(profile, branch ? MODE_ANY : seen->mode, seen, &space);
	if (!err && branch)
		err = find_target(profile, branch->to, space, &chain);
	else if (!err && seen->nr_callchain && wants_chains(profile))
		err = find_chain(profile, seen, &chain);
	if (seen->nr_callchain >= DEFAULT_STACK && !seen->is_unwound && is_cut(seen))
		profile->totals[event].truncated_samples++;
	if (err)
		return err;
	const uint64_t key[] = { pair_of(who, space), pair_of(chain, seen->mode | MODE_LEAF),
				 seen->ip };
	_Static_assert(sizeof(key) == offsetof(struct raw, sum), "the cases are one key");
	memcpy(&waiting->raw, key, sizeof(key));
	waiting->raw.sum = (struct sum){ seen->period, 1, seen->time_ns };
	waiting->hash = xp_table_hash(profile->raws.seed, key, sizeof(key));
	if (profile->raws.index)
		__builtin_prefetch(
			&profile->raws.index[xp_table_slot(&profile->raws, waiting->hash)]);
	profile->totals[event].samples++;
	profile->totals[event].period += seen->period;
	return ++profile->nr_waiting < WAITING ? 0 : xp_profile_flush(profile);
}

int xp_profile_count(struct xp_profile *profile, int event, const struct sample_head *seen)
{
	return count(profile, event, seen, 0, NULL);
}

int xp_profile_add(struct xp_profile *profile, int event, const struct xp_sample *sample)
{
	return xp_profile_add_tagged(profile, event, sample, 0);
}

static struct sample_head head_of(const struct xp_sample *sample)
{
	return (struct sample_head){
		.pid = sample->id.pid,
		.tid = sample->id.tid,
		.cpu = sample->id.cpu,
		.mode = sample->record->misc & XP_MISC_CPUMODE_MASK,
		.ip = sample->ip,
		.time_ns = sample->id.time_ns,
		.period = sample->period,
		.callchain = sample->callchain,
		.nr_callchain = sample->nr_callchain,
		.is_unwound = xp_stacks_have_made(sample),
	};
}

static bool can_add(const struct xp_profile *profile, int event, const struct xp_sample *sample)
{
	return sample->size >= offsetof(struct xp_sample, aux_len) && event >= 0 &&
	       event < profile->opts.nr_events && !profile->is_resolved &&
	       xp_timeline_is_sealed(profile->timeline);
}

int xp_profile_add_tagged(struct xp_profile *profile, int event, const struct xp_sample *sample,
			  uint32_t tag)
{
	struct sample_head head;

	if (!can_add(profile, event, sample))
		return -EINVAL;
	head = head_of(sample);
	xp_profile_start(profile);
	return count(profile, event, &head, tag, NULL);
}

int xp_profile_add_branch(struct xp_profile *profile, int event, const struct xp_sample *sample,
			  const struct xp_branch *branch, uint32_t tag)
{
	struct sample_head head;

	if (!can_add(profile, event, sample))
		return -EINVAL;
	head = head_of(sample);
	head.ip = branch->from;
	head.mode |= MODE_ANY;
	head.period = 1;
	xp_profile_start(profile);
	return count(profile, event, &head, tag, branch);
}
