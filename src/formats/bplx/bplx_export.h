// bplx_export.h: what the files that export a scene as BPLX share.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_BPLX_BPLX_EXPORT_H
#define TN_FORMATS_BPLX_BPLX_EXPORT_H

#include "formats/bplx/bplx_format.h"

#include "exchange/clips/motion.h"
#include "exchange/export_document.h"
#include "exchange/rig.h"

typedef struct bplx_exporter {
    tn_export export;  // With the scene as it was prepared.
    const tenon_scene *scene;
    tenon_bplx *doc;
    tenon_pose *pose;  // At rest.
    tn_rig rig;
    bool *is_used;         // Of each material.
    bool is_blank;         // Some part has no material.
    uint32_t *node_bones;  // Of each node; TENON_NONE: not a bone.
    uint32_t *bone_nodes;  // Of each bone.
    uint64_t not_finite;
    uint64_t reversed;  // Normals that were reversed.
    tn_tally empty, sheared, curves;
} bplx_exporter;

// Write a scene.
bool bplx_export(const tn_export *export);

// Memory of the document, which is kept when that of the export is rewound.
void *bplx_export_alloc(bplx_exporter *exporter, uint64_t count, size_t size);

// A span of numbers of four bytes: `numbers`, in the byte order of the file.
bool bplx_export_span(bplx_exporter *exporter, const void *numbers, uint64_t count,
                      const tenon_layout *layout, tenon_span *span);

// -- bplx_export_mesh.c, bplx_export_bones.c

bool bplx_export_mesh(bplx_exporter *exporter);
bool bplx_export_bones(bplx_exporter *exporter);
bool bplx_export_clips(bplx_exporter *exporter);

// -- bplx_export_loss.c

void bplx_export_report_losses(const bplx_exporter *exporter);

#endif  // TN_FORMATS_BPLX_BPLX_EXPORT_H
