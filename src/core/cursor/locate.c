// locate.c: from the path of a field to its place in the file.
// SPDX-License-Identifier: MIT

#include "core/cursor/locate.h"

#include "core/cursor/span.h"

#include <string.h>

// Read "[123]" at *text and move past it; false if something else is there.
static bool locate_read_index(const char **text, uint64_t *index)
{
    const char *p = *text;
    if (*p++ != '[') return false;
    if (*p < '0' || *p > '9' || (p[0] == '0' && p[1] != ']')) return false;
    *index = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (*index > UINT64_MAX / 10 - 1) return false;
        *index = *index * 10 + (uint64_t)(*p - '0');
    }
    if (*p++ != ']') return false;
    *text = p;
    return true;
}

// -- Inside records

// Bytes from the start of the records to record `index`; TENON_ABSENT if there is no such record.
static uint64_t locate_record_offset(const tn_field *field, uint64_t index, bool big_endian)
{
    if (index >= field->count) return TENON_ABSENT;
    if (!field->layout->tail) return index * field->layout->stride;
    if (!field->bytes) return TENON_ABSENT;
    return tn_layout_measure(field->layout, field->bytes, field->size, index, big_endian);
}

// The element that *inside names, moved past its name: ".position", or "" for the only element.
static const tenon_element *locate_read_element(const tenon_layout *layout, const char **inside)
{
    const char *name = **inside == '.' ? *inside + 1 : "";
    size_t size = strcspn(name, ".[");
    if (**inside == '.' && size == 0) return NULL;
    for (uint32_t i = 0; i < layout->element_count; i++) {
        const tenon_element *e = &layout->elements[i];
        if (strlen(e->name) != size || memcmp(e->name, name, size) != 0) continue;
        if (size) *inside = name + size;
        return e;
    }
    return NULL;
}

// "[3]", "[3].position", "[3].parent[2]", or "[3][2]" where the element with rows has no name.
static bool locate_find_in_records(tn_wanted *w, const char *inside, const tn_field *field)
{
    uint64_t record, row;
    if (!field->layout || !locate_read_index(&inside, &record)) return false;
    uint64_t at = locate_record_offset(field, record, field->big_endian);
    if (at == TENON_ABSENT) return false;
    uint64_t offset = field->offset + at, size = field->layout->stride;
    if (*inside) {
        const tenon_element *e = locate_read_element(field->layout, &inside);
        if (!e) return false;
        offset += e->offset;
        size = tn_element_size(e);
        if (*inside) {
            if (!locate_read_index(&inside, &row) || row >= e->rows) return false;
            size /= e->rows;
            offset += row * size;
        }
    }
    if (*inside) return false;
    w->offset = offset;
    w->size = size;
    return true;
}

// -- Among all fields

// The relation of a path to a field.
typedef enum relation { ELSEWHERE, AROUND, THERE } relation;

// Compare `path` with the path of the field `name` at the cursor, part by part, since it may be
// long. THERE: *inside is what follows the field's own path.
static relation locate_compare(const tn_io *io, const char *name, const char *path,
                               const char **inside)
{
    bool is_first = true;
    for (uint32_t i = 0; i <= io->depth; i++) {
        const tn_frame f =
            i < io->depth ? io->frames[i] : (tn_frame){.name = name, .index = TENON_NONE};
        uint64_t index;
        size_t size = strlen(f.name);
        if (size == 0) continue;  // An item's only field is the item.
        if (!*path) return is_first ? ELSEWHERE : AROUND;
        if (!is_first && *path++ != '.') return ELSEWHERE;
        is_first = false;
        if (strncmp(path, f.name, size) != 0) return ELSEWHERE;
        path += size;
        if (f.index == TENON_NONE) continue;
        if (!*path) return AROUND;
        if (!locate_read_index(&path, &index) || index != f.index) return ELSEWHERE;
    }
    *inside = path;
    return THERE;
}

// Note the place of `w` if it is this field, is inside it, or is a structure that starts with it.
// The count before an array makes the array look like a structure until the array itself
// follows.
static void locate_find(tn_wanted *w, const tn_io *io, const tn_field *field)
{
    const char *inside = "";
    relation r = locate_compare(io, field->name, w->path, &inside);
    bool is_start = r == AROUND && w->offset == TENON_ABSENT;
    w->is_settled = r == THERE && (!*inside || locate_find_in_records(w, inside, field));
    if (!is_start && (r != THERE || *inside)) return;
    w->offset = field->offset;
    w->size = is_start ? 0 : field->size;
    if (r == THERE && field->layout && field->bytes)
        w->array = (tenon_span){.data = field->bytes,
                                .size = field->size,
                                .count = field->count,
                                .layout = field->layout,
                                .big_endian = field->big_endian};
}

static void locate_look(tn_observer *self, tn_io *io, const tn_field *field)
{
    tn_locator *locator = (tn_locator *)self;
    for (uint64_t i = 0; i < locator->wanted_count; i++)
        if (!locator->wanted[i].is_settled) locate_find(&locator->wanted[i], io, field);
}

void tn_locator_init(tn_locator *locator, tn_wanted *wanted, uint64_t count)
{
    *locator =
        (tn_locator){.observer = {.field = locate_look}, .wanted = wanted, .wanted_count = count};
    for (uint64_t i = 0; i < count; i++)
        wanted[i] = (tn_wanted){.path = wanted[i].path, .offset = TENON_ABSENT};
}
