// gltf_import_cameras.c: cameras and lights; extras.
// SPDX-License-Identifier: MIT

#include "formats/gltf/import/gltf_import.h"

#include "core/math/math.h"

#include <string.h>

// -- Cameras

static void gltf_import_camera(gltf_importer *importer, const tn_json_value *camera)
{
    const tn_json_value *type = tn_json_tree_get(camera, "type");
    bool is_orthographic = tn_json_tree_is(type, "orthographic");
    if (!is_orthographic && !tn_json_tree_is(type, "perspective")) {
        gltf_import_fail(importer, TENON_ERR_VALUE, type ? type : camera,
                         "'type' of a camera must be 'perspective' or 'orthographic'");
        return;
    }
    const tn_json_value *from =
        gltf_import_object(importer, camera, is_orthographic ? "orthographic" : "perspective");
    uint32_t index = tn_add_camera(importer->builder, gltf_import_text(importer, camera, "name"));
    if (importer->builder->failed) return;
    tenon_camera *to = &importer->builder->scene->cameras[index];
    to->is_orthographic = is_orthographic;
    if (is_orthographic) {
        to->half_width = gltf_import_number(importer, from, "xmag", to->half_width);
        to->half_height = gltf_import_number(importer, from, "ymag", to->half_height);
        // A negative size mirrors the picture.
        if (to->half_width < 0) to->half_width = -to->half_width;
        if (to->half_height < 0) to->half_height = -to->half_height;
    } else {
        to->field_of_view = gltf_import_number(importer, from, "yfov", to->field_of_view);
        to->aspect_ratio = gltf_import_number(importer, from, "aspectRatio", 0);
    }
    to->near_plane = gltf_import_number(importer, from, "znear", to->near_plane);
    to->far_plane = gltf_import_number(importer, from, "zfar", 0);
}

// -- Lights

static void gltf_import_cameras_light(gltf_importer *importer, const tn_json_value *light)
{
    static const char *const kinds[] = {"directional", "point", "spot"};
    const tn_json_value *type = tn_json_tree_get(light, "type");
    uint32_t kind = 0;
    while (kind < 3 && !tn_json_tree_is(type, kinds[kind])) kind++;
    if (kind == 3) {
        gltf_import_fail(importer, TENON_ERR_VALUE, type ? type : light,
                         "'type' of a light must be 'directional', 'point' or 'spot'");
        return;
    }
    uint32_t index = tn_add_light(importer->builder, gltf_import_text(importer, light, "name"));
    if (importer->builder->failed) return;
    tenon_light *to = &importer->builder->scene->lights[index];
    const tn_json_value *spot = gltf_import_object(importer, light, "spot");
    to->kind = (tenon_light_kind)kind;
    gltf_import_numbers(importer, light, "color", to->color, 3);
    to->intensity = gltf_import_number(importer, light, "intensity", 1);
    to->range = gltf_import_number(importer, light, "range", 0);
    to->inner_angle = gltf_import_number(importer, spot, "innerConeAngle", 0);
    to->outer_angle = gltf_import_number(importer, spot, "outerConeAngle", TN_PI / 4);
}

void gltf_import_cameras(gltf_importer *importer)
{
    // Nodes refer to cameras by index, so a lost one is replaced by a default.
    for (uint32_t i = 0;
         i < gltf_import_count(importer, GLTF_LIST_CAMERAS) && !importer->builder->failed; i++) {
        const tn_json_value *camera = gltf_import_item(importer, GLTF_LIST_CAMERAS, i);
        gltf_import_camera(importer, camera);
        if (gltf_recover_skip_damaged(importer, "cameras", camera) &&
            importer->builder->scene->camera_count == i)
            (void)tn_add_camera(importer->builder, (tenon_str){"", 0});
    }
    for (uint32_t i = 0;
         i < gltf_import_count(importer, GLTF_LIST_LIGHTS) && !importer->builder->failed; i++) {
        const tn_json_value *light = gltf_import_item(importer, GLTF_LIST_LIGHTS, i);
        gltf_import_cameras_light(importer, light);
        if (gltf_recover_skip_damaged(importer, "lights", light) &&
            importer->builder->scene->light_count == i)
            (void)tn_add_light(importer->builder, (tenon_str){"", 0});
    }
}

// -- Extras

void gltf_import_extras(gltf_importer *importer, const tn_json_value *object, tenon_extra_of of,
                        uint32_t index, const char *const *known)
{
    const tn_json_value *extras = tn_json_tree_get(object, "extras");
    bool is_object = tn_json_tree_kind_of(extras) == TN_TREE_OBJECT;
    if (extras && !is_object) gltf_import_count_loss(importer, GLTF_UNREAD_EXTRAS, 1, extras);
    for (uint32_t i = 0; is_object && i < extras->size && !importer->builder->failed; i++) {
        const tn_json_value *member = tn_json_tree_at(extras, i);
        tn_json_tree_kind kind = tn_json_tree_kind_of(member);
        uint32_t k = 0;
        while (known && known[k] && !gltf_import_has_key(member, known[k])) k++;
        if (known && known[k]) continue;
        if (kind != TN_TREE_STRING && kind != TN_TREE_NUMBER && kind != TN_TREE_BOOL) {
            gltf_import_count_loss(importer, GLTF_UNREAD_EXTRAS, 1, member);
            continue;
        }
        gltf_import_count_loss(importer, GLTF_UNREAD_EXTRA_KINDS, kind != TN_TREE_STRING, member);
        char *name = gltf_import_scratch(importer, (uint64_t)member->key_size + 1, 1);
        if (!name) return;
        memcpy(name, member->key, member->key_size);
        tn_add_extra(importer->builder, of, index, name, (tenon_str){member->text, member->size});
    }
}
