// obj_export_text.c: buffered output of words and numbers for OBJ and MTL.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/math/math.h"

#include <float.h>
#include <string.h>

bool obj_failed(const obj_exporter *w)
{
    return w->e->err->code != TENON_OK;
}

void obj_flush(obj_exporter *w)
{
    if (w->used && !obj_failed(w)) (void)tn_export_write(w->e, w->buffer, w->used);
    w->used = 0;
}

void obj_put_bytes(obj_exporter *w, const char *bytes, size_t size)
{
    if (size > sizeof w->buffer - w->used) obj_flush(w);
    if (size > sizeof w->buffer) {
        if (!obj_failed(w)) (void)tn_export_write(w->e, bytes, size);
        return;
    }
    memcpy(w->buffer + w->used, bytes, size);
    w->used += size;
}

void obj_put(obj_exporter *w, const char *text)
{
    obj_put_bytes(w, text, strlen(text));
}

// Space for one number in the buffer.
static char *room(obj_exporter *w)
{
    if (TN_NUMBER_MAX > sizeof w->buffer - w->used) obj_flush(w);
    return w->buffer + w->used;
}

void obj_put_u64(obj_exporter *w, uint64_t value)
{
    w->used += tn_u64_text(value, room(w));
}

// Poses of huge scenes can overflow; OBJ cannot store infinity. Negative zeros, which poses also
// produce, are written as 0.
void obj_put_f32(obj_exporter *w, float value)
{
    bool is_finite = value - value == 0;
    w->not_finite_count += !is_finite;
    w->used += tn_f32_text(is_finite && value != 0 ? value : 0, room(w));
}

void obj_put_f32s(obj_exporter *w, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        obj_put(w, " ");
        obj_put_f32(w, values[i]);
    }
}

void obj_put_row(obj_exporter *w, const char *key, const double *values, uint32_t count)
{
    obj_put(w, key);
    for (uint32_t i = 0; i < count; i++) {
        obj_put(w, " ");
        obj_put_f32(w, tn_narrow(values[i], NULL));
    }
    obj_put(w, "\n");
}
