// mutate.c: changes a model where it matters: its counts, offsets, sizes, texts and list elements.
// SPDX-License-Identifier: MIT

#include "mutate.h"

#include "fuzz.h"

#define PARTS_MOST  4096
#define PATH_MOST   96
#define NUMBER_MOST 8  // Bytes of the largest number.
#define MAP_MEMORY  ((uint64_t)16 << 20)

// A part of the map that can be changed.
typedef struct part {
    uint64_t offset, size, count;
    tenon_type type;
    bool big_endian;
    char path[PATH_MOST];
} part;

typedef struct model {
    uint8_t *data;
    size_t size, max_size;
    uint64_t *chance;
    uint32_t part_count;
    part *parts;
} model;

static bool take_part(void *user, const tenon_part *from)
{
    model *m = user;
    if (from->size == 0) return true;
    part *p = &m->parts[m->part_count++];
    *p = (part){from->offset, from->size, from->count, from->type, from->big_endian, ""};
    (void)snprintf(p->path, sizeof p->path, "%s", from->path);
    return m->part_count < PARTS_MOST;
}

// -- Numbers

static uint64_t get_number(const model *m, uint64_t offset, uint32_t size, bool big_endian)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)m->data[offset + i] << 8 * (big_endian ? size - 1 - i : i);
    return value;
}

static void put_number(model *m, uint64_t offset, uint32_t size, bool big_endian, uint64_t value)
{
    for (uint32_t i = 0; i < size; i++)
        m->data[offset + i] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
}

static bool is_integer(const part *p)
{
    return (p->type >= TENON_TYPE_U8 && p->type <= TENON_TYPE_U32) || p->type == TENON_TYPE_I64 ||
           p->type == TENON_TYPE_U64;
}

static uint64_t part_number(const model *m, const part *p)
{
    return get_number(m, p->offset, tenon_type_size(p->type), p->big_endian);
}

static uint64_t odd_integer(const model *m, uint64_t value)
{
    const part *other = &m->parts[pick(m->chance, m->part_count)];
    const uint64_t odd[] = {0,           1,          value + 1,   value - 1,    value * 2,
                            value / 2,   ~value,     0x7f,        0x7fff,       0x7fffffff,
                            0x80000000,  0xffff,     UINT64_MAX,  m->size,      other->offset,
                            other->size, 0x40000000, value + 256, other->count, 0x3fffffff};
    return odd[pick(m->chance, sizeof odd / sizeof odd[0])];
}

// Single precision is enough for unusual values; the bytes of a double are set to its first half.
static uint64_t odd_float(uint64_t *chance, uint32_t size)
{
    static const uint32_t odd[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                   0xff800000, 0x7fc00000, 0x7f7fffff, 0x00000001, 0x5f000000,
                                   0x2edbe6ff, 0x47c35000, 0xc7c35000};
    uint64_t bits = odd[pick(chance, sizeof odd / sizeof odd[0])];
    return size == 8 ? bits << 32 : bits;
}

// One number of a part, or of the records in it.
static bool change_number(model *m, const part *p)
{
    uint32_t size = tenon_type_size(p->type);
    bool is_float = p->type == TENON_TYPE_F32 || p->type == TENON_TYPE_F64;
    if (p->type == TENON_TYPE_RECORDS) {
        size = 4;
        is_float = pick(m->chance, 2);
    }
    if (p->size < size || size > NUMBER_MOST || (size == 1 && !is_integer(p))) return false;
    uint64_t at = p->offset + size * pick(m->chance, p->size / size);
    uint64_t old = get_number(m, at, size, p->big_endian);
    put_number(m, at, size, p->big_endian,
               is_float ? odd_float(m->chance, size) : odd_integer(m, old));
    return true;
}

// -- Inserting and removing bytes

// Replace `old_size` bytes at `at` by `bytes`, which must not be those of the model.
static bool replace(model *m, uint64_t at, uint64_t old_size, const void *bytes, uint64_t size)
{
    if (m->size - old_size > m->max_size || size > m->max_size - (m->size - old_size)) return false;
    memmove(m->data + at + size, m->data + at + old_size, m->size - at - old_size);
    if (size) memcpy(m->data + at, bytes, size);
    m->size = m->size - old_size + size;
    return true;
}

static bool ends_with(const char *path, const char *end)
{
    size_t size = strlen(path), end_size = strlen(end);
    return size >= end_size && strcmp(path + size - end_size, end) == 0;
}

// Offsets, and sizes of enclosing parts, follow a change of the size at `at`: those in front of it,
// since the others have moved.
static void follow_change(model *m, uint64_t at, uint64_t old_size, uint64_t size, size_t total)
{
    for (uint32_t i = 0; i < m->part_count; i++) {
        const part *p = &m->parts[i];
        uint32_t number_size = tenon_type_size(p->type);
        if (!is_integer(p) || p->count != 1 || p->offset + number_size > at) continue;
        uint64_t value = part_number(m, p);
        bool is_offset = ends_with(p->path, "offset") && value > at;
        bool is_size = (ends_with(p->path, "size") || ends_with(p->path, "length")) &&
                       (value == total || (value > old_size && at - p->offset < value));
        if (is_offset || is_size)
            put_number(m, p->offset, number_size, p->big_endian, value + size - old_size);
    }
}

static bool replace_and_follow(model *m, uint64_t at, uint64_t old_size, const void *bytes,
                               uint64_t size)
{
    size_t total = m->size;
    if (!replace(m, at, old_size, bytes, size)) return false;
    if (pick(m->chance, 4)) follow_change(m, at, old_size, size, total);
    return true;
}

// -- Texts

static bool change_text(model *m, const part *p)
{
    static const char *const words[] = {"",     "0",          "-1",
                                        "1",    "4294967295", "2147483648",
                                        "1e39", "0.5",        "null",
                                        "[]",   "{}",         "..",
                                        "../x", "/",          "\\",
                                        "\xff", "a\nb",       "\xe2\x80\xae",
                                        "NUL",  "65536",      "18446744073709551616",
                                        "true", "-0",         "1e-46"};
    uint32_t prefix = p->type == TENON_TYPE_STR32 ? 4 : 0, suffix = p->type == TENON_TYPE_STRZ;
    if (p->size < prefix + suffix) return false;
    uint64_t at = p->offset + prefix, old_size = p->size - prefix - suffix, size;
    char text[512];
    const part *other = &m->parts[pick(m->chance, m->part_count)];
    if (pick(m->chance, 3) == 0 && other->size < sizeof text) {
        size = other->size;
        memcpy(text, m->data + other->offset, size);
    } else if (pick(m->chance, 8) == 0) {
        size = pick(m->chance, sizeof text);
        memset(text, 'a' + (int)pick(m->chance, 26), size);
    } else {
        const char *word = words[pick(m->chance, sizeof words / sizeof words[0])];
        size = strlen(word);
        memcpy(text, word, size);
    }
    if (prefix && pick(m->chance, 8)) put_number(m, p->offset, 4, p->big_endian, size);
    return replace_and_follow(m, at, old_size, text, size);
}

// -- Elements of lists

// The bytes of one element, its neighbor before it, and the number that counts the list.
typedef struct element {
    uint64_t offset, size;
    uint64_t before;      // Bytes of the element in front of it; 0: there is none.
    const part *counter;  // NULL: none was found.
} element;

static bool is_below(const char *path, const char *prefix, size_t prefix_size)
{
    return strncmp(path, prefix, prefix_size) == 0 &&
           (!path[prefix_size] || path[prefix_size] == '.' || path[prefix_size] == '[');
}

// `meshes.count` for `meshes`; else the last number in front of the list that could be it.
static const part *find_counter(const model *m, const char *list, size_t list_size,
                                uint64_t list_offset, uint64_t count)
{
    const part *last = NULL;
    for (uint32_t i = 0; i < m->part_count && m->parts[i].offset < list_offset; i++) {
        const part *p = &m->parts[i];
        if (!is_integer(p) || p->count != 1) continue;
        if (is_below(p->path, list, list_size) && strcmp(p->path + list_size, ".count") == 0)
            return p;
        if (part_number(m, p) == count) last = p;
    }
    return last;
}

static bool find_record(const model *m, const part *p, element *e)
{
    if (p->count == 0 || p->size % p->count || p->size == p->count) return false;
    uint64_t index = pick(m->chance, p->count);
    e->size = p->size / p->count;
    e->offset = p->offset + index * e->size;
    e->before = index ? e->size : 0;
    e->counter = find_counter(m, p->path, strlen(p->path), p->offset, p->count);
    return true;
}

static bool find_element(const model *m, const part *p, element *e)
{
    if (p->type == TENON_TYPE_RECORDS) return find_record(m, p, e);
    // One of the lists that the part is in.
    size_t open = 0, close = 0;
    for (size_t i = 0; p->path[i]; i++) {
        if (p->path[i] != '[') continue;
        const char *end = strchr(p->path + i, ']');
        if (!end) return false;
        if (open && pick(m->chance, 2)) continue;
        open = i;
        close = (size_t)(end - p->path) + 1;
    }
    if (!open) return false;
    uint64_t index = strtoull(p->path + open + 1, NULL, 10), list_offset = 0, last_index = 0;
    char before[PATH_MOST];
    (void)snprintf(before, sizeof before, "%.*s[%llu]", (int)open, p->path,
                   (unsigned long long)index - 1);
    *e = (element){0};
    for (uint32_t i = 0; i < m->part_count; i++) {
        const part *q = &m->parts[i];
        if (strncmp(q->path, p->path, open) == 0 && q->path[open] == '[') {
            if (!list_offset) list_offset = q->offset;
            last_index = strtoull(q->path + open + 1, NULL, 10);
        }
        if (index && is_below(q->path, before, strlen(before))) e->before += q->size;
        if (!is_below(q->path, p->path, close)) continue;
        if (!e->size) e->offset = q->offset;
        e->size = q->offset + q->size - e->offset;
    }
    if (e->before > e->offset) e->before = 0;
    e->counter = find_counter(m, p->path, open, list_offset, last_index + 1);
    return e->size > 0;
}

static void count_again(model *m, const element *e, uint64_t change)
{
    if (!e->counter || !pick(m->chance, 4)) return;
    uint64_t value = part_number(m, e->counter) + change;
    put_number(m, e->counter->offset, tenon_type_size(e->counter->type), e->counter->big_endian,
               value);
}

// Delete an element, write it twice, or swap it with the one in front of it.
static bool change_list(model *m, const part *p)
{
    element e;
    if (!find_element(m, p, &e)) return false;
    uint8_t *copy = malloc(e.size + e.before + 1);
    if (!copy) return false;
    bool ok = true;
    switch (pick(m->chance, 3)) {
    case 0:
        count_again(m, &e, UINT64_MAX);
        ok = replace_and_follow(m, e.offset, e.size, NULL, 0);
        break;
    case 1:
        memcpy(copy, m->data + e.offset, e.size);
        ok = replace_and_follow(m, e.offset, 0, copy, e.size);
        if (ok) count_again(m, &e, 1);
        break;
    default:
        memcpy(copy, m->data + e.offset, e.size);
        memcpy(copy + e.size, m->data + e.offset - e.before, e.before);
        memcpy(m->data + e.offset - e.before, copy, e.size + e.before);
        ok = e.before > 0;
    }
    free(copy);
    return ok;
}

// -- Parts of any kind

static bool swap_parts(model *m, const part *p)
{
    const part *q = &m->parts[pick(m->chance, m->part_count)];
    if (p == q || p->size != q->size) return false;
    for (uint64_t i = 0; i < p->size; i++) {
        uint8_t byte = m->data[p->offset + i];
        m->data[p->offset + i] = m->data[q->offset + i];
        m->data[q->offset + i] = byte;
    }
    return true;
}

static bool change_part(model *m, const part *p)
{
    bool is_text = p->type >= TENON_TYPE_STR && p->type <= TENON_TYPE_STRZ;
    switch (pick(m->chance, 4)) {
    case 0:
        return change_list(m, p);
    case 1:
        return swap_parts(m, p);
    default:
        return is_text ? change_text(m, p) : change_number(m, p);
    }
}

size_t mutate_model(uint8_t *data, size_t size, size_t max_size, const char *format,
                    uint64_t *chance)
{
    model m = {.data = data, .size = size, .max_size = max_size, .chance = chance};
    tenon_read_opts opts = {.format = format, .max_memory = MAP_MEMORY};
    m.parts = malloc(PARTS_MOST * sizeof *m.parts);
    if (!m.parts || size == 0 || size > max_size) {
        free(m.parts);
        return 0;
    }
    (void)tenon_map(data, size, &opts, take_part, &m, NULL);
    bool is_changed = false;
    for (int tries = 0; m.part_count && !is_changed && tries < 10; tries++) {
        const part *p = &m.parts[pick(chance, m.part_count)];
        // Counts and offsets decide how the rest is read: most tries go to them.
        for (int i = 0; i < 8 && pick(chance, 2) && !is_integer(p); i++)
            p = &m.parts[pick(chance, m.part_count)];
        is_changed = change_part(&m, p);
    }
    free(m.parts);
    return is_changed ? m.size : 0;
}
