// gpb_links.c: reads other bundles that a bundle names as "file#id".
// SPDX-License-Identifier: MIT
//
// Dialect "document" has such names, relative to the bundle. Only files in its folder or below are
// read, and their own links are not followed.

#include "formats/gpb/sidecar/gpb_links.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"
#include "formats/gpb/gpb_format.h"

#include <stdio.h>
#include <string.h>

gpb_link *gpb_follow_link(gpb_links *links, tenon_str file, tenon_error *err)
{
    tn_error_clear(err);
    for (uint32_t i = 0; i < links->count; i++)
        if (tn_text_equal(links->items[i].file, file)) return &links->items[i];
    if (links->count == GPB_LINKS_MOST) return NULL;
    gpb_link *link = &links->items[links->count++];
    *link = (gpb_link){.file = file};
    char place[TN_PATH_SIZE];
    const tn_search search = {links->files, links->model_path, place, sizeof place, err, NULL};
    tn_place found = links->model_path ? tn_find_sidecar(&search, file) : TN_PLACE_MISSING;
    if (err->code != TENON_OK) return NULL;
    if (found != TN_PLACE_FOUND) {
        (void)snprintf(link->why, sizeof link->why, "%s",
                       found == TN_PLACE_OUTSIDE ? "it is not in the folder of the bundle"
                                                 : "it does not exist");
        return link;
    }
    const tenon_read_opts opts = {
        .allocator = *links->allocator, .files = links->files, .beside = links->model_path};
    tenon_error why;
    link->doc = tn_doc_open_file(&tn_gpb_format, place, &opts, &why);
    if (link->doc)
        return gpb_index_make(&link->index, tenon_as_gpb(link->doc), links->arena, err) ? link
                                                                                        : NULL;
    if (tn_is_outage(&why)) {
        *err = why;
        return NULL;
    }
    (void)snprintf(link->why, sizeof link->why, "it cannot be read: %.120s", why.message);
    return link;
}

uint32_t gpb_find_linked(const gpb_link *link, tenon_str xref, uint32_t kind)
{
    uint32_t skip = link->file.size + 1;
    tenon_str id = {xref.data + skip, xref.size - skip};
    uint32_t reference = link->doc && id.size ? gpb_index_find_id(&link->index, id) : TENON_NONE;
    if (reference == TENON_NONE) return TENON_NONE;
    if (kind == TENON_GPB_NODE) return link->index.node_of[reference];
    uint32_t block = link->index.block_of[reference];
    bool is_right = block != TENON_NONE && link->index.doc->blocks[block].kind == kind;
    return is_right ? block : TENON_NONE;
}

void gpb_links_free(gpb_links *links)
{
    for (uint32_t i = 0; i < links->count; i++) tn_doc_free(links->items[i].doc);
    links->count = 0;
}
