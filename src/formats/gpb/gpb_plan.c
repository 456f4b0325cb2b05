// gpb_plan.c: where the objects of a bundle start, by its reference table.
// SPDX-License-Identifier: MIT

#include "gpb_format.h"

#include <string.h>

static bool gpb_is_object(const tenon_gpb_reference *r)
{
    bool known = r->type == TENON_GPB_SCENE || r->type == TENON_GPB_ANIMATIONS ||
                 r->type == TENON_GPB_MESH || r->type == TENON_GPB_FONT;
    return known && r->offset > 0;
}

// Bottom-up merge sort: stable, in n log n steps whatever the file holds.
static void gpb_sort(struct gpb_start *items, struct gpb_start *spare, uint32_t count)
{
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t low = 0; low < count; low += 2 * width) {
            uint64_t middle = low + width < count ? low + width : count;
            uint64_t high = low + 2 * width < count ? low + 2 * width : count;
            for (uint64_t a = low, b = middle, k = low; k < high; k++) {
                bool first = a < middle && (b >= high || items[a].offset <= items[b].offset);
                spare[k] = first ? items[a++] : items[b++];
            }
        }
        memcpy(items, spare, count * sizeof *items);
    }
}

gpb_plan gpb_make_plan(tn_io *io, const tenon_gpb *doc)
{
    gpb_plan plan = {0};
    plan.starts = tn_io_alloc(io, "blocks", doc->reference_count, sizeof *plan.starts);
    struct gpb_start *spare = tn_io_alloc(io, "blocks", doc->reference_count, sizeof *spare);
    if (io->failed) return plan;
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->reference_count; i++) {
        const tenon_gpb_reference *r = &doc->references[i];
        if (gpb_is_object(r)) plan.starts[count++] = (struct gpb_start){r->offset, r->type};
    }
    gpb_sort(plan.starts, spare, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && plan.starts[i].offset == plan.starts[i - 1].offset) continue;
        plan.starts[plan.count++] = plan.starts[i];
        plan.mesh_count += plan.starts[i].type == TENON_GPB_MESH;
    }
    return plan;
}
