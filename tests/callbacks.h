// callbacks.h: callbacks that ignore their arguments, and others that mix them into one number.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_CALLBACKS_H
#define TENON_TESTS_CALLBACKS_H

#include <string.h>

#include <tenon/scene.h>

// -- To ignore

static inline bool ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return true;
}

static inline bool ignore_begin(void *user, const char *name)
{
    (void)user, (void)name;
    return true;
}

static inline bool ignore_end(void *user)
{
    (void)user;
    return true;
}

static inline bool ignore_part(void *user, const tenon_part *part)
{
    (void)user, (void)part;
    return true;
}

static inline bool ignore_node(void *user, const tenon_tree_node *node)
{
    (void)user, (void)node;
    return true;
}

static inline void ignore_name(void *user, const char *name)
{
    (void)user, (void)name;
}

static inline void ignore_cut(void *user, const tenon_cut *cut)
{
    (void)user, (void)cut;
}

static inline void ignore_finding(void *user, const tenon_finding *finding)
{
    (void)user, (void)finding;
}

static inline void ignore_loss(void *user, const tenon_loss *loss)
{
    (void)user, (void)loss;
}

static inline void ignore_difference(void *user, const tenon_difference *difference)
{
    (void)user, (void)difference;
}

static const tenon_sink ignoring_sink = {ignore_begin, ignore_bytes, ignore_end, NULL};

// -- To mix into a uint64_t, which starts as DIGEST_START

#define DIGEST_START 0xcbf29ce484222325u

static inline void mix(uint64_t *digest, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) *digest = (*digest ^ bytes[i]) * 0x100000001b3u;
}

static inline bool mix_bytes(void *user, const void *bytes, size_t size)
{
    mix(user, bytes, size);
    return true;
}

static inline bool mix_name(void *user, const char *name)
{
    mix(user, name, strlen(name));
    return true;
}

static inline bool mix_end(void *user)
{
    mix(user, "", 1);
    return true;
}

static inline bool mix_part(void *user, const tenon_part *part)
{
    mix(user, part->path, strlen(part->path));
    mix(user, &part->offset, sizeof part->offset);
    return true;
}

static inline void mix_finding(void *user, const tenon_finding *finding)
{
    mix(user, finding->message, strlen(finding->message));
    mix(user, &finding->offset, sizeof finding->offset);
}

static inline void mix_loss(void *user, const tenon_loss *loss)
{
    mix(user, loss->feature, strlen(loss->feature));
    mix(user, &loss->count, sizeof loss->count);
}

#endif  // TENON_TESTS_CALLBACKS_H
