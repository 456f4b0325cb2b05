// export_names.c: unique names, and names that are valid for files.
// SPDX-License-Identifier: MIT

#include "exchange/export_names.h"

#include "core/files/file.h"
#include "core/text/error.h"
#include "core/text/fold.h"
#include "core/text/number.h"
#include "core/text/text.h"

#include <string.h>

typedef struct taken_name {
    tn_named named;   // The name, folded if it is that of a file.
    uint64_t number;  // The last number that was appended to this name; 0: the name is free.
} taken_name;

// -- The names that are taken

static void *export_names_allocate(tn_name_set *names, uint64_t count, size_t size)
{
    return tn_arena_alloc(names->arena, count, size, &names->why);
}

bool tn_names_fail(const tn_name_set *names, tenon_error *err)
{
    tenon_code code = names->why == TN_OVER_LIMIT ? TENON_ERR_LIMIT : TENON_ERR_MEMORY;
    return tn_error(err, code, "out of memory for a name");
}

// The entry of a name, which is added if it is new; NULL if out of memory.
static taken_name *export_names_find_entry(tn_name_set *names, const char *text, size_t size)
{
    tenon_str key = {text, (uint32_t)size};
    if (names->are_files) {
        char *folded = export_names_allocate(names, (uint64_t)size * TN_FOLD_TIMES + 1, 1);
        if (!folded) return NULL;
        key = (tenon_str){folded, (uint32_t)tn_fold(text, size, folded)};
    }
    tn_named *known = tn_name_find(&names->tree, key);
    if (known) return (taken_name *)known;
    taken_name *fresh = export_names_allocate(names, 1, sizeof *fresh);
    if (!fresh) return NULL;
    fresh->named.name = key;
    return (taken_name *)tn_name_enter(&names->tree, &fresh->named);
}

// -- Taking names

// "start_2end", terminated; without the number if that is 1.
static size_t export_names_compose(char *out, tenon_str start, uint64_t number, const char *end)
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
    char *text = export_names_allocate(names, room, 1);
    if (!text) return NULL;
    size_t size = export_names_compose(text, start, 1, end);
    taken_name *first = export_names_find_entry(names, text, size), *found = first;
    while (found && found->number) {
        size = export_names_compose(text, start, ++first->number, end);
        found = export_names_find_entry(names, text, size);
    }
    if (!found) return NULL;
    found->number = 1;
    return text;
}

bool tn_names_reserve(tn_name_set *names, tenon_str name)
{
    char *text = export_names_allocate(names, (uint64_t)name.size + 1, 1);
    if (!text) return false;
    if (name.size) memcpy(text, name.data, name.size);
    taken_name *found = export_names_find_entry(names, text, name.size);
    if (found && !found->number) found->number = 1;
    return found != NULL;
}

// -- Names of files

// Characters that file systems reserve, control characters, line separators, and marks that change
// the writing direction.
static bool export_names_is_unsafe(const char *text, size_t size)
{
    const uint8_t *p = (const uint8_t *)text;
    if (size == 1) return p[0] < 0x20 || p[0] == 0x7f || strchr("/\\:*?\"<>|", p[0]);
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
        bool is_replaced = n == 0 || export_names_is_unsafe(p, n) || (*p == '.' && used == 0);
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
