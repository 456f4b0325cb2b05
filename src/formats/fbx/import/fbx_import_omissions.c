// fbx_import_omissions.c: what the file says about shapes and motion that scenes cannot have.
// SPDX-License-Identifier: MIT

#include "formats/fbx/import/fbx_import_clips.h"

#include "core/text/text.h"

#include <string.h>

// The model that shows an object; the object itself if there is none.
static uint32_t fbx_import_omissions_model_of(const fbx_importer *importer, uint32_t object)
{
    uint32_t model = fbx_import_parent_of(importer, object, FBX_MODEL);
    return model == TENON_NONE ? object : model;
}

static void fbx_import_omissions_geometry(fbx_importer *importer, uint32_t object)
{
    const fbx_object *geometry = &importer->objects[object];
    const tenon_fbx_node *node = geometry->node;
    tenon_str type = geometry->type;
    uint32_t model = fbx_import_parent_of(importer, object, FBX_MODEL);
    if (model == TENON_NONE || tn_text_is(type, "Shape") || tn_text_is(type, "Line")) return;
    if (!tn_text_is(type, "Mesh")) {
        fbx_unread what = FBX_UNREAD_GEOMETRY;
        if (tn_text_is(type, "NurbsCurve")) what = FBX_UNREAD_CURVES;
        if (tn_text_is(type, "NurbsSurface") || tn_text_is(type, "TrimNurbsSurface") ||
            tn_text_is(type, "Nurb") || tn_text_is(type, "Nurbs"))
            what = FBX_UNREAD_SURFACES;
        fbx_import_count(importer, what, 1, model);
        return;
    }
    // Some programs write levels of subdivision even if the mesh is not to be subdivided.
    double preview = fbx_number(fbx_child(node, "PreviewDivisionLevels"), 0, 0);
    double render = fbx_number(fbx_child(node, "RenderDivisionLevels"), 0, 0);
    double smoothness = fbx_number(fbx_child(node, "Smoothness"), 0, 0);
    // ZBrush writes a smoothness of 3, and the defaults for all else, for plain meshes.
    double rule = fbx_number(fbx_child(node, "BoundaryRule"), 0, 0);
    bool is_smooth = smoothness == 1 || smoothness == 2 || (smoothness > 2 && rule > 0);
    bool is_divided = is_smooth && (preview > 0 || render > 0);
    fbx_import_count(importer, FBX_UNREAD_SUBDIVISION, is_divided, model);
}

static void fbx_import_omissions_clips(fbx_importer *importer)
{
    for (uint32_t c = 0; c < importer->clip_count; c++)
        for (uint32_t i = 0; i < importer->clips[c].track_count; i++) {
            const fbx_track *track = &importer->clips[c].tracks[i];
            tenon_str property = track->property;
            bool is_model = importer->objects[track->object].kind == FBX_MODEL, moves = false;
            for (int k = 0; k < 3; k++) moves = moves || fbx_import_curve_moves(&track->curves[k]);
            bool shows =
                is_model && (tn_text_is(property, "Visibility") || tn_text_is(property, "Show"));
            bool is_transform =
                is_model && (fbx_import_is_pivot(property) ||
                             (property.size > 4 && memcmp(property.data, "Lcl ", 4) == 0));
            if (!moves || is_transform) continue;
            if (shows)
                fbx_import_count(importer, FBX_UNREAD_VISIBILITY, 1, track->object);
            else if (!track->is_of_shape)
                fbx_import_count(importer, FBX_UNREAD_PROPERTIES, 1, track->object);
        }
}

void fbx_import_omissions(fbx_importer *importer)
{
    for (uint32_t i = 0; i < importer->object_count; i++) {
        const fbx_object *object = &importer->objects[i];
        if (object->kind == FBX_GEOMETRY) fbx_import_omissions_geometry(importer, i);
        bool is_active = object->kind == FBX_DEFORMER &&
                         tn_text_is(object->type, "VertexCacheDeformer") &&
                         fbx_import_property_number(object, "Active", 1) != 0;
        uint32_t geometry = fbx_import_parent_of(importer, i, FBX_GEOMETRY);
        uint32_t place = geometry == TENON_NONE ? i : geometry;
        place = fbx_import_omissions_model_of(importer, place);
        fbx_import_count(importer, FBX_UNREAD_CACHES, is_active, place);
        // A character is only a map of bones, unless it is active.
        if (object->kind != FBX_CONSTRAINT) continue;
        double fallback = tn_text_is(object->type, "Character") ? 0 : 1;
        bool binds = fbx_import_property_number(object, "Active", fallback) != 0;
        fbx_import_count(importer, FBX_UNREAD_CONSTRAINTS, binds, i);
    }
    fbx_import_omissions_clips(importer);
}
