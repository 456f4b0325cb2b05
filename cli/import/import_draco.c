// import_draco.c: tenon-import decodes meshes that are compressed by Draco.
// SPDX-License-Identifier: MIT

#include "import/import_draco.h"

#include "import/import_format.h"
#include "import/import_protocol.h"
#include "import/import_run.h"
#include "input/job.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

enum { MESH_SIZE = 12, PART_SIZE = 16 };

static uint8_t *import_draco_put(uint8_t *out, uint64_t number, int size)
{
    for (int i = 0; i < size; i++) *out++ = (uint8_t)(number >> 8 * i);
    return out;
}

// The message for tenon-import; NULL if out of memory. *expected is the size of the answer.
static uint8_t *import_draco_message(const tenon_draco_mesh *meshes, uint32_t count, size_t *size,
                                     uint64_t *expected)
{
    *size = 0;
    *expected = 0;
    for (uint32_t i = 0; i < count; i++) {
        *size += MESH_SIZE + PART_SIZE * (size_t)meshes[i].part_count + (size_t)meshes[i].size;
        for (uint32_t k = 0; k < meshes[i].part_count; k++) *expected += meshes[i].parts[k].size;
    }
    uint8_t *message = malloc(*size ? *size : 1), *out = message;
    for (uint32_t i = 0; message && i < count; i++) {
        const tenon_draco_mesh *mesh = &meshes[i];
        out = import_draco_put(out, mesh->size, 8);
        out = import_draco_put(out, mesh->part_count, 4);
        for (uint32_t k = 0; k < mesh->part_count; k++) {
            out = import_draco_put(out, mesh->parts[k].id, 4);
            out = import_draco_put(out, mesh->parts[k].component_type, 4);
            out = import_draco_put(out, mesh->parts[k].width, 4);
            out = import_draco_put(out, mesh->parts[k].count, 4);
        }
        memcpy(out, mesh->data, (size_t)mesh->size);
        out += mesh->size;
    }
    return message;
}

bool import_decode_draco(void *user, const tenon_draco_mesh *meshes, uint32_t count,
                         tenon_error *err)
{
    static const import_format format = {
        .name = "draco", .title = "geometry compressed by Draco", .is_draco = true};
    const import_draco_user *job = user;
    imported_model result;
    tenon_bytes model = {0};
    size_t size;
    uint64_t expected;
    uint8_t *message = import_draco_message(meshes, count, &size, &expected);
    if (!message) return job_out_of_memory(err);
    model.data = message;
    model.size = size;
    bool ok = import_run(job->opts, job->file, &format, &model, &result, err);
    free(message);
    if (!ok) return false;
    const uint8_t *at = result.data;
    if (result.size != expected) {
        *err = report_make(TENON_ERR_VALUE, "the importer's result has another size");
        ok = false;
    }
    for (uint32_t i = 0; ok && i < count; i++)
        for (uint32_t k = 0; k < meshes[i].part_count; k++) {
            memcpy(meshes[i].parts[k].out, at, (size_t)meshes[i].parts[k].size);
            at += meshes[i].parts[k].size;
        }
    free(result.data);
    return ok;
}
