// gltf_export_losses.c: what glTF cannot hold of a scene, counted, and told in the end.
// SPDX-License-Identifier: MIT

#include "formats/gltf/export/gltf_export.h"

#include <stdio.h>

typedef struct gltf_loss_text {
    tenon_loss_kind kind;
    const char *feature, *why;
} gltf_loss_text;

static const gltf_loss_text gltf_loss_texts[GLTF_LOST_COUNT] = {
    [GLTF_LOST_PARTS] = {TENON_DROPPED, "parts of meshes", "there is nothing to draw in them"},
    [GLTF_LOST_TAILS] = {TENON_DROPPED, "vertices", "they make no whole line or triangle"},
    [GLTF_LOST_MESHES] = {TENON_DROPPED, "meshes", "they are empty, or no node shows them"},
    [GLTF_LOST_WEIGHTS] = {TENON_DROPPED, "weights", "the node that shows the mesh has no skin"},
    [GLTF_LOST_COLORS] = {TENON_APPROXIMATED, "vertex colors", "they were not within 0 and 1"},
    [GLTF_LOST_COLOR_SETS] = {TENON_DROPPED, "second vertex colors", "there are no first ones"},
    [GLTF_LOST_UV_GAPS] = {TENON_MADE_UP, "texture coordinates",
                           "sets are numbered without a gap: a copy fills it"},
    [GLTF_LOST_TANGENTS] = {TENON_MADE_UP, "tangents", "a normal texture needs them"},
    [GLTF_LOST_PLACES] = {TENON_APPROXIMATED, "places of skinned meshes",
                          "only their joints move them, so that they stand at the top"},
    [GLTF_LOST_SHEAR] = {TENON_MADE_UP, "nodes", "a sheared transform takes two of them"},
    [GLTF_LOST_PROJECTION] = {TENON_APPROXIMATED, "matrices of nodes",
                              "their last row was not 0 0 0 1"},
    [GLTF_LOST_ROOTS] = {TENON_MADE_UP, "nodes", "the joints of a skin need one above all"},
    [GLTF_LOST_TWINS] = {TENON_MADE_UP, "nodes", "a node is a joint of a skin only once"},
    [GLTF_LOST_SKELETONS] = {TENON_DROPPED, "roots of skins", "they are not above all joints"},
    [GLTF_LOST_BINDS] = {TENON_APPROXIMATED, "inverse bind matrices",
                         "their last row was not 0 0 0 1"},
    [GLTF_LOST_SKINS] = {TENON_DROPPED, "skins", "no mesh is shown with them"},
    [GLTF_LOST_MATERIALS] = {TENON_DROPPED, "materials", "no mesh uses them"},
    [GLTF_LOST_NUMBERS] = {TENON_APPROXIMATED, "materials", "a number was out of its range"},
    [GLTF_LOST_HIGHLIGHTS] = {TENON_DROPPED, "specular colors and shininess",
                              "materials have no place for them: only extras name them"},
    [GLTF_LOST_SLOTS] = {TENON_DROPPED, "specular, displacement and light map textures",
                         "materials have no place for them: only extras name them"},
    [GLTF_LOST_TEXTURES] = {TENON_DROPPED, "textures",
                            "the mesh has no texture coordinates for them"},
    [GLTF_LOST_NORMAL_TEXTURES] = {TENON_DROPPED, "normal textures",
                                   "the mesh has no normals or no faces"},
    [GLTF_LOST_PICTURES_MISSING] = {TENON_DROPPED, "pictures",
                                    "they are not there: only extras name them"},
    [GLTF_LOST_PICTURES_OUTSIDE] = {TENON_DROPPED, "pictures",
                                    "they are outside of the model's folder: only extras name "
                                    "them"},
    [GLTF_LOST_PICTURES_UNLOADED] = {TENON_APPROXIMATED, "pictures",
                                     "they could not be loaded: the file names them"},
    [GLTF_LOST_PICTURES_UNSEEN] =
        {TENON_DROPPED, "pictures",
         "they could not be loaded, and glTF takes only PNG and JPEG: only extras "
         "name them"},
    [GLTF_LOST_PICTURES_BROKEN] = {TENON_DROPPED, "pictures",
                                   "they are damaged or of an unknown kind"},
    [GLTF_LOST_PICTURES_UNCODED] = {TENON_DROPPED, "pictures",
                                    "they would have to become PNG, which cannot be done here"},
    [GLTF_LOST_ANIMATIONS] = {TENON_DROPPED, "animations", "nothing moves in them"},
    [GLTF_LOST_CAMERAS] = {TENON_DROPPED, "cameras", "no node has them"},
    [GLTF_LOST_CAMERA_NUMBERS] = {TENON_DEFAULTED, "cameras", "a number was out of its range"},
    [GLTF_LOST_LIGHTS] = {TENON_DROPPED, "lights", "no node has them"},
    [GLTF_LOST_LIGHT_NUMBERS] = {TENON_DEFAULTED, "lights", "a number was out of its range"},
    [GLTF_LOST_EXTRAS] = {TENON_DROPPED, "extras",
                          "their object is not written, or another one has their name"},
};

void gltf_report_loss(gltf_exporter *w, gltf_lost what, uint64_t count, const char *list,
                      uint32_t index)
{
    tn_tally_at(&w->losses[what], count, list, index);
}

void gltf_report_losses(const gltf_exporter *w)
{
    for (int i = 0; i < GLTF_LOST_COUNT; i++) {
        const gltf_loss_text *text = &gltf_loss_texts[i];
        tn_export_report_tally(w->e, &w->losses[i], text->kind, text->feature, text->why);
    }
}
