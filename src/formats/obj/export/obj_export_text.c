// obj_export_text.c: buffered output of words and numbers for OBJ and MTL.
// SPDX-License-Identifier: MIT

#include "formats/obj/export/obj_export.h"

#include "core/math/math.h"

#include <float.h>
#include <string.h>

bool obj_has_failed(const obj_exporter *exporter)
{
    return exporter->export->err->code != TENON_OK;
}

void obj_flush(obj_exporter *exporter)
{
    if (exporter->used && !obj_has_failed(exporter))
        (void)tn_export_write(exporter->export, exporter->buffer, exporter->used);
    exporter->used = 0;
}

void obj_write_bytes(obj_exporter *exporter, const char *bytes, size_t size)
{
    if (size > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    if (size > sizeof exporter->buffer) {
        if (!obj_has_failed(exporter)) (void)tn_export_write(exporter->export, bytes, size);
        return;
    }
    memcpy(exporter->buffer + exporter->used, bytes, size);
    exporter->used += size;
}

void obj_write(obj_exporter *exporter, const char *text)
{
    obj_write_bytes(exporter, text, strlen(text));
}

// Space for one number in the buffer.
static char *room(obj_exporter *exporter)
{
    if (TN_NUMBER_MAX > sizeof exporter->buffer - exporter->used) obj_flush(exporter);
    return exporter->buffer + exporter->used;
}

void obj_write_u64(obj_exporter *exporter, uint64_t value)
{
    exporter->used += tn_u64_text(value, room(exporter));
}

// Poses of huge scenes can overflow; OBJ cannot store infinity. Negative zeros, which poses also
// produce, are written as 0.
void obj_write_f32(obj_exporter *exporter, float value)
{
    bool is_finite = value - value == 0;
    exporter->not_finite_count += !is_finite;
    exporter->used += tn_f32_text(is_finite && value != 0 ? value : 0, room(exporter));
}

void obj_write_f32s(obj_exporter *exporter, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, values[i]);
    }
}

void obj_write_row(obj_exporter *exporter, const char *key, const double *values, uint32_t count)
{
    obj_write(exporter, key);
    for (uint32_t i = 0; i < count; i++) {
        obj_write(exporter, " ");
        obj_write_f32(exporter, tn_narrow(values[i], NULL));
    }
    obj_write(exporter, "\n");
}
