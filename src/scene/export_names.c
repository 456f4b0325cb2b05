// export_names.c: names that an export makes: all different, and fit for files.
// SPDX-License-Identifier: MIT

#include "export_names.h"

#include "../core/file.h"
#include "../core/number.h"
#include "../core/text.h"

#include <string.h>

#define FIRST_ROOM 64

struct tn_name_entry {
    const char *text;  // NULL: this place is free.
    size_t size;
    uint64_t number;  // The last that was added to this name to make another.
};

// -- The table

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_same(const tn_name_set *names, const struct tn_name_entry *entry, const char *text,
                    size_t size)
{
    if (entry->size != size) return false;
    if (!names->ignores_case) return memcmp(entry->text, text, size) == 0;
    for (size_t i = 0; i < size; i++)
        if (lower(entry->text[i]) != lower(text[i])) return false;
    return true;
}

// Where a name is, or would go.
static struct tn_name_entry *find(const tn_name_set *names, const char *text, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)(names->ignores_case ? lower(text[i]) : text[i])) * 0x100000001b3u;
    uint64_t at = (hash ^ hash >> 32) & (names->room - 1);
    while (names->entries[at].text && !is_same(names, &names->entries[at], text, size))
        at = (at + 1) & (names->room - 1);
    return &names->entries[at];
}

static bool make_room(tn_name_set *names)
{
    if (2 * (names->count + 1) <= names->room) return true;
    tn_name_set larger = *names;
    larger.room = names->room ? 2 * names->room : FIRST_ROOM;
    larger.entries = tn_arena_alloc(names->arena, larger.room, sizeof *larger.entries, NULL);
    if (!larger.entries) return false;
    for (uint64_t i = 0; i < names->room; i++)
        if (names->entries[i].text)
            *find(&larger, names->entries[i].text, names->entries[i].size) = names->entries[i];
    *names = larger;
    return true;
}

static void enter(tn_name_set *names, struct tn_name_entry *place, const char *text, size_t size)
{
    *place = (struct tn_name_entry){text, size, 1};
    names->count++;
}

// -- Taking names

// "start_2end", terminated; without the number if that is 1.
static size_t compose(char *out, tenon_str start, uint64_t number, const char *end)
{
    size_t size = start.size;
    if (size) memcpy(out, start.data, size);
    if (number > 1) {
        out[size++] = '_';
        size += tn_u64_text(number, out + size);
    }
    memcpy(out + size, end, strlen(end) + 1);
    return size + strlen(end);
}

const char *tn_names_take(tn_name_set *names, tenon_str start, const char *end)
{
    size_t room = (size_t)start.size + strlen(end) + TN_NUMBER_MAX + 2;
    char *text = tn_arena_alloc(names->arena, room, 1, NULL);
    if (!text || !make_room(names)) return NULL;
    size_t size = compose(text, start, 1, end);
    struct tn_name_entry *first = find(names, text, size), *place = first;
    while (place->text) {
        size = compose(text, start, ++first->number, end);
        place = find(names, text, size);
    }
    enter(names, place, text, size);
    return text;
}

bool tn_names_reserve(tn_name_set *names, tenon_str name)
{
    char *text = tn_arena_alloc(names->arena, (uint64_t)name.size + 1, 1, NULL);
    if (!text || !make_room(names)) return false;
    if (name.size) memcpy(text, name.data, name.size);
    struct tn_name_entry *place = find(names, text, name.size);
    if (!place->text) enter(names, place, text, name.size);
    return true;
}

// -- Names of files

static bool is_odd(char c)
{
    return (uint8_t)c < 0x20 || c == 0x7f || strchr("/\\:*?\"<>|", c);
}

// Control characters beyond ASCII, ends of lines, marks that turn the direction of writing.
static bool is_hidden(const char *text, size_t size)
{
    const uint8_t *p = (const uint8_t *)text;
    if (size == 2) return (p[0] == 0xc2 && p[1] < 0xa0) || (p[0] == 0xd8 && p[1] == 0x9c);
    if (size != 3 || p[0] != 0xe2) return false;
    if (p[1] == 0x80) return p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae);
    return p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

size_t tn_safe_text(tenon_str text, char out[TN_SAFE_MOST + 8])
{
    size_t used = 0;
    for (size_t i = 0, n; i < text.size; i += n ? n : 1) {
        const char *p = text.data + i;
        n = tn_utf8_step(p, text.size - i);
        bool is_replaced = n == 0 || (n == 1 && is_odd(*p)) || is_hidden(p, n);
        is_replaced = is_replaced || (*p == '.' && used == 0);
        size_t size = is_replaced ? 1 : n;
        if (used + size > TN_SAFE_MOST) break;
        memcpy(out + used, is_replaced ? "_" : p, size);
        used += size;
    }
    // Windows drops these from the end.
    if (used > 0 && (out[used - 1] == ' ' || out[used - 1] == '.')) out[used - 1] = '_';
    out[used] = '\0';
    if (!tn_name_is_device(out)) return used;
    size_t stem = strcspn(out, ".");
    memmove(out + stem + 1, out + stem, used - stem + 1);
    out[stem] = '_';
    return used + 1;
}
