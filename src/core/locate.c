// locate.c: from the path of a field to its place in the file.
// SPDX-License-Identifier: MIT

#include "locate.h"

#include "span.h"

#include <string.h>

// Read "[123]" at *text and move behind it; false if that is not what stands there.
static bool read_index(const char **text, uint64_t *index)
{
    const char *p = *text;
    if (*p++ != '[') return false;
    if (*p < '0' || *p > '9') return false;
    *index = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (*index > UINT64_MAX / 10 - 1) return false;
        *index = *index * 10 + (uint64_t)(*p - '0');
    }
    if (*p++ != ']') return false;
    *text = p;
    return true;
}

// Bytes from the start of the records to record `index`; TENON_ABSENT if there is no such record.
static uint64_t record_offset(const tn_field *field, uint64_t index, bool big_endian)
{
    if (index >= field->count) return TENON_ABSENT;
    if (!field->layout->tail) return index * field->layout->stride;
    if (!field->bytes) return TENON_ABSENT;
    return tn_layout_measure(field->layout, field->bytes, field->size, index, big_endian);
}

// Inside records: "[3]", "[3].position", "[3].parent[2]".
static bool find_in_records(tn_wanted *w, const char *inside, const tn_field *field, bool big)
{
    uint64_t record;
    if (!read_index(&inside, &record)) return false;
    uint64_t at = record_offset(field, record, big);
    if (at == TENON_ABSENT) return false;
    uint64_t offset = field->offset + at, size = field->layout->stride;
    if (*inside == '.') {
        const char *name = inside + 1, *end = name + strcspn(name, "[");
        const tenon_element *e = NULL;
        for (uint32_t i = 0; i < field->layout->element_count && !e; i++) {
            const tenon_element *c = &field->layout->elements[i];
            if (strlen(c->name) == (size_t)(end - name) && !strncmp(c->name, name, strlen(c->name)))
                e = c;
        }
        if (!e) return false;
        offset += e->offset;
        size = tn_element_size(e);
        uint64_t row;
        inside = end;
        if (*inside && read_index(&inside, &row) && row < e->rows) {
            size /= e->rows;
            offset += row * size;
        }
    }
    if (*inside) return false;
    w->offset = offset;
    w->size = size;
    return true;
}

// Whether `w` is this field, lies inside it, or is a structure that starts with it.
static bool find(tn_wanted *w, const char *path, const tn_field *field, bool big)
{
    size_t have = strlen(path), want = strlen(w->path);
    if (want < have) {
        if (strncmp(w->path, path, want) != 0 || (path[want] != '.' && path[want] != '['))
            return false;
        w->offset = field->offset;
        w->size = 0;
        return true;
    }
    if (strncmp(w->path, path, have) != 0) return false;
    if (want == have) {
        w->offset = field->offset;
        w->size = field->size;
        return true;
    }
    return field->layout && find_in_records(w, w->path + have, field, big);
}

static void look(tn_observer *self, tn_io *io, const tn_field *field)
{
    tn_locator *locator = (tn_locator *)self;
    if (locator->missing == 0) return;
    char path[160];
    tn_io_path(io, field->name, path, sizeof path);
    for (uint64_t i = 0; i < locator->wanted_count; i++) {
        tn_wanted *w = &locator->wanted[i];
        if (w->offset == TENON_ABSENT && find(w, path, field, field->big_endian))
            locator->missing--;
    }
}

void tn_locator_init(tn_locator *locator, tn_wanted *wanted, uint64_t count)
{
    *locator = (tn_locator){
        .observer = {.field = look}, .wanted = wanted, .wanted_count = count, .missing = count};
    for (uint64_t i = 0; i < count; i++) wanted[i].offset = TENON_ABSENT;
}
