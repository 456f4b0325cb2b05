// gpb_export_loss.c: what a gameplay bundle cannot hold of a scene, counted, and told in the end.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/text/text.h"

typedef struct gpb_loss_text {
    tenon_loss_kind kind;
    const char *feature, *why;
} gpb_loss_text;

static const gpb_loss_text gpb_loss_texts[GPB_LOST_COUNT] = {
    [GPB_LOST_INFLUENCES] = {TENON_APPROXIMATED, "influences",
                             "four joints move a vertex: the heaviest ones"},
    [GPB_LOST_PROJECTION] = {TENON_APPROXIMATED, "matrices of nodes",
                             "their last row was not 0 0 0 1"},
    [GPB_LOST_CURVES] = {TENON_APPROXIMATED, "curves", "they became straight lines"},
    [GPB_LOST_TIMES] = {TENON_APPROXIMATED, "times of keys",
                        "they are whole milliseconds, and at least one"},
    [GPB_LOST_PARTS] = {TENON_DROPPED, "parts of meshes", "there is nothing to draw in them"},
    [GPB_LOST_TAILS] = {TENON_DROPPED, "vertices", "they make no whole line or triangle"},
    [GPB_LOST_MESHES] = {TENON_DROPPED, "meshes", "they are empty, or no node shows them"},
    [GPB_LOST_MIRRORED] = {TENON_MADE_UP, "meshes",
                           "nodes that mirror them have copies with reversed triangles, since the "
                           "engine's front face is fixed"},
    [GPB_LOST_ELEMENTS] = {TENON_DEFAULTED, "vertex elements",
                           "all vertices of a mesh have the same: texture coordinates are 0, "
                           "colors white"},
    [GPB_LOST_NORMALS] = {TENON_MADE_UP, "normals",
                          "light needs them: the faces around each vertex tell them"},
    [GPB_LOST_TANGENTS] = {TENON_MADE_UP, "tangents",
                           "normal maps need them, or other parts of the mesh have them"},
    [GPB_LOST_COLORS] = {TENON_DROPPED, "second vertex colors", "a vertex has one color"},
    [GPB_LOST_WEIGHTS] = {TENON_DROPPED, "weights", "the node that shows the mesh has no skin"},
    [GPB_LOST_PLACES] = {TENON_APPROXIMATED, "places of skinned meshes",
                         "the engine moves them by their node as well, so that it stands at the "
                         "top"},
    [GPB_LOST_HOLDERS] = {TENON_MADE_UP, "nodes",
                          "the engine moves skinned meshes by their node as well: one at the top "
                          "has the mesh"},
    [GPB_LOST_SHEAR] = {TENON_MADE_UP, "nodes", "a sheared transform takes two of them"},
    [GPB_LOST_TWINS] = {TENON_MADE_UP, "nodes",
                        "a joint has one inverse bind matrix in the engine, also in several "
                        "skins"},
    [GPB_LOST_PALETTES] = {TENON_APPROXIMATED, "skins",
                           "they have more joints than the shaders of some devices take"},
    [GPB_LOST_SKINS] = {TENON_DROPPED, "skins", "no mesh is shown with them"},
    [GPB_LOST_SKIN_NAMES] = {TENON_APPROXIMATED, "names of skins",
                             "they go by those of the nodes that show them"},
    [GPB_LOST_CAMERAS] = {TENON_DROPPED, "cameras", "no node has them"},
    [GPB_LOST_SHARED_CAMERAS] = {TENON_APPROXIMATED, "shared cameras",
                                 "they are written once for each node"},
    [GPB_LOST_CAMERA_NUMBERS] = {TENON_DEFAULTED, "cameras",
                                 "they need an aspect ratio and planes: 4:3, 0.01, and a thousand "
                                 "times the near one"},
    [GPB_LOST_ACTIVE_CAMERA] = {TENON_DEFAULTED, "active camera", "it is the first one"},
    [GPB_LOST_LIGHTS] = {TENON_DROPPED, "lights", "no node has them"},
    [GPB_LOST_SHARED_LIGHTS] = {TENON_APPROXIMATED, "shared lights",
                                "they are written once for each node"},
    [GPB_LOST_INTENSITIES] = {TENON_APPROXIMATED, "intensities of lights",
                              "they go into their colors"},
    [GPB_LOST_RANGES] = {TENON_DEFAULTED, "ranges of lights",
                         "they need one: where they have faded to a hundredth"},
    [GPB_LOST_MATERIALS] = {TENON_DROPPED, "materials", "no mesh uses them"},
    [GPB_LOST_VARIANTS] = {TENON_MADE_UP, "materials",
                           "parts that need other shaders have others of them"},
    [GPB_LOST_NO_MATERIAL] = {TENON_MADE_UP, "materials", "the engine draws nothing without one"},
    [GPB_LOST_NO_FILE] = {TENON_DROPPED, "contents of materials",
                          "no .material file is to be written"},
    [GPB_LOST_METAL] = {TENON_DROPPED, "metal and roughness", "the engine's materials have none"},
    [GPB_LOST_EMISSIVE] = {TENON_DROPPED, "emissive colors", "the engine's materials have none"},
    [GPB_LOST_SPECULAR] = {TENON_APPROXIMATED, "specular colors",
                           "highlights have the color of the light"},
    [GPB_LOST_UNLIT] = {TENON_APPROXIMATED, "unlit materials",
                        "only the absence of lights in their shaders says so"},
    [GPB_LOST_CUTOFF] = {TENON_APPROXIMATED, "alpha cutoffs", "that of the engine is 0.5"},
    [GPB_LOST_STRENGTHS] = {TENON_DROPPED, "strengths of textures",
                            "the engine's materials have none"},
    [GPB_LOST_SLOTS] = {TENON_DROPPED, "textures",
                        "only base color, normal, specular and light maps have a place"},
    [GPB_LOST_UV_SETS] = {TENON_APPROXIMATED, "textures",
                          "light maps take the second texture coordinates, others the first"},
    [GPB_LOST_PLACEMENTS] = {TENON_APPROXIMATED, "places of textures",
                             "all are scaled and moved as the first one, none is turned"},
    [GPB_LOST_EDGES] = {TENON_APPROXIMATED, "edges of textures", "they repeat or clamp"},
    [GPB_LOST_PATHS] = {TENON_DROPPED, "textures", "their paths cannot be written"},
    [GPB_LOST_JPEG] = {TENON_APPROXIMATED, "textures", "the engine reads no JPEG files"},
    [GPB_LOST_MATERIAL_NAMES] = {TENON_APPROXIMATED, "names of materials",
                                 "they are words, and no two the same"},
    [GPB_LOST_EMPTY_CLIPS] = {TENON_DROPPED, "animations", "nothing moves in them"},
    [GPB_LOST_ANCHORS] = {TENON_MADE_UP, "channels",
                          "clips of one length that move different things would be taken for one: "
                          "all move one node"},
    [GPB_LOST_CONSTANTS] = {TENON_MADE_UP, "channels",
                            "of what is mirrored or flat, all of the transform is in its channels"},
    [GPB_LOST_LENGTHS] = {TENON_APPROXIMATED, "lengths of clips",
                          "they are whole milliseconds, and at least one"},
    [GPB_LOST_GROUPED] = {TENON_APPROXIMATED, "names of clips",
                          "as the encoder has it, what the skeleton does in the first clip is "
                          "called animations; further clips keep their names"},
    [GPB_LOST_MIRRORING] = {TENON_APPROXIMATED, "mirroring animations",
                            "the engine's front face is fixed: what a key mirrors otherwise than "
                            "the rest pose is shown inside out"},
    [GPB_LOST_EVENTS] = {TENON_DROPPED, "events", "animations have none"},
    [GPB_LOST_NUMBERS] = {TENON_APPROXIMATED, "numbers",
                          "what is too large became the largest float"},
    [GPB_LOST_EXTRAS] = {TENON_DROPPED, "extras", "there is no place for them"},
    [GPB_LOST_NAMES] = {TENON_APPROXIMATED, "names",
                        "all objects of a bundle have different ones, of less than 5000 bytes"},
    [GPB_LOST_NO_NAMES] = {TENON_MADE_UP, "names", "all objects of a bundle have one"},
};

// What objects that are not written lose.
static void gpb_count_rest(gpb_exporter *m)
{
    const tenon_scene *s = m->scene;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        gpb_export_lose(m, GPB_LOST_MESHES, m->meshes[i].block == TENON_NONE, "meshes", i);
    for (uint32_t i = 0; i < s->skin_count; i++) {
        bool is_shown = m->joints[i] != NULL;
        gpb_export_lose(m, GPB_LOST_SKINS, !is_shown, "skins", i);
    }
    for (uint32_t i = 0; i < m->node_count; i++) {
        uint32_t shown = m->nodes[i].shows;
        if (shown == TENON_NONE || s->nodes[shown].skin == TENON_NONE) continue;
        tenon_str name = s->skins[s->nodes[shown].skin].name;
        tenon_str id = {m->nodes[i].xref.data + 1, m->nodes[i].xref.size - 1};
        gpb_export_lose(m, GPB_LOST_SKIN_NAMES, !tn_text_equal(name, id), "skins",
                        s->nodes[shown].skin);
    }
    for (uint32_t i = 0; i < s->animation_count; i++)
        gpb_export_lose(m, GPB_LOST_EVENTS, s->animations[i].event_count, "animations", i);
}

void gpb_report_losses(gpb_exporter *m)
{
    gpb_count_rest(m);
    if (!m->e->opts->without_materials) tn_export_report_picture_names(m->e);
    for (int i = 0; i < GPB_LOST_COUNT; i++) {
        const gpb_loss_text *text = &gpb_loss_texts[i];
        const tn_tally *loss = &m->losses[i];
        if (i < GPB_MEASURED_COUNT)
            tn_export_approximate(
                m->e, i == GPB_LOST_INFLUENCES ? TN_MEASURE_INFLUENCES : TN_MEASURE_REMAINDER,
                text->feature, loss->count, loss->path, text->why);
        else
            tn_export_report_tally(m->e, loss, text->kind, text->feature, text->why);
    }
}
