// draco_meshes.c: the message with meshes that are compressed by Draco, and its answer.
// SPDX-License-Identifier: MIT

#include "draco_meshes.h"

#include "../../cli/import/import_protocol.h"
#include "../system/import_pipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESH_SIZE = 12, PART_SIZE = 16 };

static uint64_t draco_meshes_number(const unsigned char *from, int size)
{
    uint64_t number = 0;
    for (int i = size; i-- > 0;) number = number << 8 | from[i];
    return number;
}

static int draco_meshes_fail(const char *why)
{
    (void)fprintf(stderr, "tenon-import: %s\n", why);
    return EXIT_FAILURE;
}

int draco_run(const unsigned char *message, size_t size)
{
    static const unsigned sizes[] = {1, 1, 2, 2, 0, 4, 4};  // Of components, from 5120 on.
#if !HAS_DRACO
    (void)message;
    (void)size;
    (void)sizes;
    (void)draco_meshes_number;
    (void)draco_meshes_fail("it was built without libdraco");
    return IMPORT_LACKS_LIBRARY;
#else
    while (size > 0) {
        if (size < MESH_SIZE) return draco_meshes_fail("the message ends too early");
        uint64_t data_size = draco_meshes_number(message, 8);
        uint64_t part_count = draco_meshes_number(message + 8, 4);
        message += MESH_SIZE, size -= MESH_SIZE;
        if (part_count > size / PART_SIZE || data_size > size - part_count * PART_SIZE)
            return draco_meshes_fail("the message ends too early");
        draco_part *parts = calloc((size_t)part_count + 1, sizeof *parts);
        if (!parts) return draco_meshes_fail("out of memory");
        for (uint64_t k = 0; k < part_count; k++, message += PART_SIZE, size -= PART_SIZE) {
            draco_part *part = &parts[k];
            part->id = (unsigned)draco_meshes_number(message, 4);
            part->component_type = (unsigned)draco_meshes_number(message + 4, 4);
            part->width = (unsigned)draco_meshes_number(message + 8, 4);
            part->count = (unsigned)draco_meshes_number(message + 12, 4);
            unsigned kind = part->component_type - 5120;
            if (kind > 6 || !sizes[kind] || part->width < 1 || part->width > 4)
                return draco_meshes_fail("the message has an unknown type");
            part->size = (size_t)part->count * part->width * sizes[kind];
            part->out = calloc(part->size ? part->size : 1, 1);
            if (!part->out) return draco_meshes_fail("out of memory");
        }
        const char *why = "";
        if (!draco_decode(message, (size_t)data_size, parts, (unsigned)part_count, &why))
            return draco_meshes_fail(why);
        for (uint64_t k = 0; k < part_count; k++) {
            pipe_send_data(parts[k].out, parts[k].size);
            free(parts[k].out);
        }
        free(parts);
        message += data_size, size -= (size_t)data_size;
    }
    pipe_send_done();
    return EXIT_SUCCESS;
#endif
}
