// poke.h: changes a number of a file by its path, wherever it is.
// SPDX-License-Identifier: MIT
//
//     CHECK(poke(file, size, "bones[0].parent_index", 7));
//     CHECK(poke_f32(file, size, "clips[0].keyframes[3].rotation[0]", NAN));
//
// The map finds the place, so that a test need not know it, and a broken file can be changed up to
// its fault. After a path with several numbers, `[2]` picks the third. The number of a text is the
// size in front of it.

#ifndef TENON_TESTS_POKE_H
#define TENON_TESTS_POKE_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tenon/tenon.h>

// Where a number is.
typedef struct poke_place {
    const char *path;
    bool found;
    uint64_t offset;
    uint32_t width;  // Bytes.
    bool big_endian;
} poke_place;

// Whether `path` is `name`, or a number `[*index]` of it.
static inline bool poke_names(const char *path, const char *name, uint64_t *index)
{
    size_t size = strlen(name);
    int used = 0;
    *index = 0;
    if (strncmp(path, name, size) != 0) return false;
    if (!path[size]) return true;
    return sscanf(path + size, "[%" SCNu64 "]%n", index, &used) == 1 && !path[size + (size_t)used];
}

// Number `index` of `count` at `offset`.
static inline bool poke_take(poke_place *place, uint64_t offset, tenon_type type, uint64_t index,
                             uint64_t count)
{
    uint32_t width = type == TENON_TYPE_STR32 ? 4 : tenon_type_size(type);
    if (index >= count) return false;
    place->found = true;
    place->offset = offset + index * width;
    place->width = width;
    return true;
}

static inline bool poke_in_records(poke_place *place, const tenon_part *part)
{
    size_t size = strlen(part->path);
    uint64_t record, index;
    tenon_cell cell;
    if (strncmp(place->path, part->path, size) != 0) return false;
    if (sscanf(place->path + size, "[%" SCNu64 "]", &record) != 1) return false;
    for (uint64_t i = 0; tenon_part_cell(part, record, i, &cell); i++)
        if (poke_names(place->path, cell.path, &index) &&
            poke_take(place, cell.offset, cell.type, index, cell.count))
            return true;
    return false;
}

static inline bool poke_look(void *user, const tenon_part *part)
{
    poke_place *place = user;
    uint64_t index;
    bool found = false;
    place->big_endian = part->big_endian;
    if (part->kind != TENON_PART_FIELD) return true;
    if (part->type == TENON_TYPE_RECORDS)
        found = poke_in_records(place, part);
    else if (poke_names(place->path, part->path, &index))
        found = poke_take(place, part->offset, part->type, index,
                          part->type == TENON_TYPE_STR32 ? 1 : part->count);
    return !found;
}

// Where the number at `path` is; false if there is none.
static inline bool poke_find(const void *file, size_t size, const char *path, poke_place *place)
{
    *place = (poke_place){.path = path};
    tenon_map(file, size, NULL, poke_look, place, NULL);
    return place->found;
}

// Store the low bytes of `value` as the number at `path`; false if there is none.
static inline bool poke(void *file, size_t size, const char *path, uint64_t value)
{
    poke_place place;
    if (!poke_find(file, size, path, &place)) return false;
    uint8_t *bytes = (uint8_t *)file + place.offset;
    for (uint32_t i = 0; i < place.width; i++) {
        uint32_t at = place.big_endian ? place.width - 1 - i : i;
        bytes[at] = (uint8_t)(value >> (8 * i));
    }
    return true;
}

static inline bool poke_f32(void *file, size_t size, const char *path, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return poke(file, size, path, bits);
}

// The number at `path`, or UINT64_MAX if there is none.
static inline uint64_t peek(const void *file, size_t size, const char *path)
{
    poke_place place;
    if (!poke_find(file, size, path, &place)) return UINT64_MAX;
    const uint8_t *bytes = (const uint8_t *)file + place.offset;
    uint64_t value = 0;
    for (uint32_t i = 0; i < place.width; i++)
        value = value << 8 | bytes[place.big_endian ? i : place.width - 1 - i];
    return value;
}

#endif  // TENON_TESTS_POKE_H
