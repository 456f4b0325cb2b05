// gltf_export_losses.c: what glTF cannot hold of a scene, counted, and reported at the end.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>

typedef struct gltf_loss_text {
    tenon_loss_kind kind;
    const char *feature, *why;
} gltf_loss_text;

static const gltf_loss_text gltf_loss_texts[GLTF_LOST_COUNT] = {
    [GLTF_LOST_PARTS] = {TENON_DROPPED, "parts of meshes", "they have nothing to draw"},
    [GLTF_LOST_VERTICES] = {TENON_DROPPED, "vertices",
                            "left over: too few for another line or triangle"},
    [GLTF_LOST_MESHES] = {TENON_DROPPED, "meshes", "they are empty or not used by a node"},
    [GLTF_LOST_WEIGHTS] = {TENON_DROPPED, "weights", "the node of the mesh has no skin"},
    [GLTF_LOST_COLORS] = {TENON_APPROXIMATED, "vertex colors", "clamped to 0 to 1"},
    [GLTF_LOST_COLOR_SETS] = {TENON_DROPPED, "second vertex colors",
                              "there is no first set of vertex colors"},
    [GLTF_LOST_UV_GAPS] = {TENON_MADE_UP, "texture coordinates",
                           "a copy of another set: sets must be numbered without gaps"},
    [GLTF_LOST_TANGENTS] = {TENON_MADE_UP, "tangents", "needed by a normal texture"},
    [GLTF_LOST_PLACES] = {TENON_APPROXIMATED, "places of skinned meshes",
                          "moved to the scene root: skinned meshes ignore their node's transform"},
    [GLTF_LOST_SHEAR] = {TENON_MADE_UP, "nodes", "a sheared transform is split into two nodes"},
    [GLTF_LOST_PROJECTION] = {TENON_APPROXIMATED, "matrices of nodes",
                              "the last row was not 0 0 0 1"},
    [GLTF_LOST_ROOTS] = {TENON_MADE_UP, "nodes", "the joints of a skin need a common root"},
    [GLTF_LOST_JOINT_COPIES] =
        {TENON_MADE_UP, "nodes",
         "copies of joints that occur twice in a skin, which is not allowed"},
    [GLTF_LOST_SKELETONS] = {TENON_DROPPED, "roots of skins",
                             "they are not an ancestor of all joints"},
    [GLTF_LOST_BINDS] = {TENON_APPROXIMATED, "inverse bind matrices",
                         "the last row was not 0 0 0 1"},
    [GLTF_LOST_SKINS] = {TENON_DROPPED, "skins", "not used by a mesh"},
    [GLTF_LOST_MATERIALS] = {TENON_DROPPED, "materials", "not used by a mesh"},
    [GLTF_LOST_NUMBERS] = {TENON_APPROXIMATED, "materials", "a value was outside its range"},
    [GLTF_LOST_HIGHLIGHTS] = {TENON_DROPPED, "specular colors and shininess",
                              "not supported by glTF materials: stored in extras"},
    [GLTF_LOST_SLOTS] = {TENON_DROPPED, "specular, displacement and light map textures",
                         "not supported by glTF materials: stored in extras"},
    [GLTF_LOST_TEXTURES] = {TENON_DROPPED, "textures",
                            "the mesh does not have their texture coordinates"},
    [GLTF_LOST_NORMAL_TEXTURES] = {TENON_DROPPED, "normal textures",
                                   "the mesh has no normals or no faces"},
    [GLTF_LOST_PICTURES_MISSING] = {TENON_DROPPED, "pictures",
                                    "the files do not exist: the paths are stored in extras"},
    [GLTF_LOST_PICTURES_OUTSIDE] =
        {TENON_DROPPED, "pictures",
         "the files are outside the model's folder: the paths are stored in extras"},
    [GLTF_LOST_PICTURES_UNLOADED] = {TENON_APPROXIMATED, "pictures",
                                     "the files could not be loaded: only the paths are written"},
    [GLTF_LOST_PICTURES_UNAVAILABLE] =
        {TENON_DROPPED, "pictures",
         "the files could not be loaded, and glTF allows only PNG and "
         "JPEG: the paths are stored in extras"},
    [GLTF_LOST_PICTURES_BROKEN] = {TENON_DROPPED, "pictures",
                                   "they are damaged or of an unknown type"},
    [GLTF_LOST_PICTURES_UNCONVERTED] = {TENON_DROPPED, "pictures",
                                        "they need conversion to PNG, which is not available here"},
    [GLTF_LOST_ANIMATIONS] = {TENON_DROPPED, "animations", "they do not move anything"},
    [GLTF_LOST_CAMERAS] = {TENON_DROPPED, "cameras", "not used by a node"},
    [GLTF_LOST_CAMERA_NUMBERS] = {TENON_DEFAULTED, "cameras", "a value was outside its range"},
    [GLTF_LOST_LIGHTS] = {TENON_DROPPED, "lights", "not used by a node"},
    [GLTF_LOST_LIGHT_NUMBERS] = {TENON_DEFAULTED, "lights", "a value was outside its range"},
    [GLTF_LOST_EXTRAS] = {TENON_DROPPED, "extras",
                          "their object is not written, or another value has the same name"},
};

void gltf_report_loss(gltf_exporter *exporter, gltf_loss what, uint64_t count, const char *list,
                      uint32_t index)
{
    tn_tally_at(&exporter->losses[what], count, list, index);
}

void gltf_report_losses(const gltf_exporter *exporter)
{
    for (int i = 0; i < GLTF_LOST_COUNT; i++) {
        const gltf_loss_text *text = &gltf_loss_texts[i];
        tn_export_report_tally(exporter->export, &exporter->losses[i], text->kind, text->feature,
                               text->why);
    }
}
