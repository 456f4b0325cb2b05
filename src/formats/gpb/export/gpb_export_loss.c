// gpb_export_loss.c: reports what a gameplay bundle cannot represent.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/text/text.h"

typedef struct gpb_loss_text {
    tenon_loss_kind kind;
    const char *feature, *why;
} gpb_loss_text;

static const gpb_loss_text gpb_loss_texts[GPB_LOSS_COUNT] = {
    [GPB_LOSS_INFLUENCES] = {TENON_APPROXIMATED, "influences",
                             "reduced to the four largest weights of each vertex"},
    [GPB_LOSS_PROJECTION] = {TENON_APPROXIMATED, "matrices of nodes",
                             "the last row was not 0 0 0 1"},
    [GPB_LOSS_CURVES] = {TENON_APPROXIMATED, "curves", "replaced by straight lines between keys"},
    [GPB_LOSS_TIMES] = {TENON_APPROXIMATED, "times of keys",
                        "rounded to whole milliseconds, at least 1"},
    [GPB_LOSS_PARTS] = {TENON_DROPPED, "parts of meshes", "they have nothing to draw"},
    [GPB_LOSS_TAILS] = {TENON_DROPPED, "vertices",
                        "left over: too few for another line or triangle"},
    [GPB_LOSS_MESHES] = {TENON_DROPPED, "meshes", "they are empty or not used by a node"},
    [GPB_LOSS_MIRRORED] = {TENON_MADE_UP, "meshes",
                           "copies with reversed triangles for mirrored nodes, which the engine "
                           "would show inside out"},
    [GPB_LOSS_ELEMENTS] = {TENON_DEFAULTED, "vertex elements",
                           "filled in, because all vertices of a mesh need the same elements: 0 "
                           "for texture coordinates, white for colors"},
    [GPB_LOSS_NORMALS] = {TENON_MADE_UP, "normals", "computed from the faces: lighting needs them"},
    [GPB_LOSS_TANGENTS] = {TENON_MADE_UP, "tangents",
                           "needed by normal maps or by other parts of the mesh"},
    [GPB_LOSS_COLORS] = {TENON_DROPPED, "second vertex colors", "a vertex has only one color"},
    [GPB_LOSS_WEIGHTS] = {TENON_DROPPED, "weights", "the node of the mesh has no skin"},
    [GPB_LOSS_PLACES] = {TENON_APPROXIMATED, "places of skinned meshes",
                         "moved to the scene root: the engine also applies the node's transform"},
    [GPB_LOSS_MODEL_NODES] =
        {TENON_MADE_UP, "nodes",
         "added at the scene root for skinned meshes: the engine also applies the "
         "node's transform"},
    [GPB_LOSS_SHEAR] = {TENON_MADE_UP, "nodes", "a sheared transform is split into two nodes"},
    [GPB_LOSS_BIND_JOINTS] =
        {TENON_MADE_UP, "nodes",
         "copies of joints that have different inverse bind matrices: the engine "
         "stores one for each joint"},
    [GPB_LOSS_PALETTES] = {TENON_APPROXIMATED, "skins",
                           "they have more joints than the shaders of some devices allow"},
    [GPB_LOSS_SKINS] = {TENON_DROPPED, "skins", "not used by a mesh"},
    [GPB_LOSS_SKIN_NAMES] = {TENON_APPROXIMATED, "names of skins",
                             "replaced by the names of their nodes"},
    [GPB_LOSS_CAMERAS] = {TENON_DROPPED, "cameras", "not used by a node"},
    [GPB_LOSS_SHARED_CAMERAS] = {TENON_APPROXIMATED, "shared cameras", "copied for each node"},
    [GPB_LOSS_CAMERA_NUMBERS] = {TENON_DEFAULTED, "cameras",
                                 "missing values were set: aspect ratio 4:3, near plane 0.01, far "
                                 "plane 1000 times the near plane"},
    [GPB_LOSS_ACTIVE_CAMERA] = {TENON_DEFAULTED, "active camera", "set to the first camera"},
    [GPB_LOSS_LIGHTS] = {TENON_DROPPED, "lights", "not used by a node"},
    [GPB_LOSS_SHARED_LIGHTS] = {TENON_APPROXIMATED, "shared lights", "copied for each node"},
    [GPB_LOSS_INTENSITIES] = {TENON_APPROXIMATED, "intensities of lights",
                              "multiplied into the colors"},
    [GPB_LOSS_RANGES] = {TENON_DEFAULTED, "ranges of lights",
                         "set to the distance at which the light has faded to 1 percent"},
    [GPB_LOSS_MATERIALS] = {TENON_DROPPED, "materials", "not used by a mesh"},
    [GPB_LOSS_VARIANTS] = {TENON_MADE_UP, "materials",
                           "copies for mesh parts that need a different shader"},
    [GPB_LOSS_NO_MATERIAL] = {TENON_MADE_UP, "materials",
                              "the engine does not draw a mesh without a material"},
    [GPB_LOSS_NO_FILE] = {TENON_DROPPED, "contents of materials",
                          "writing a .material file was turned off"},
    [GPB_LOSS_METAL] = {TENON_DROPPED, "metal and roughness",
                        "not supported by the engine's materials"},
    [GPB_LOSS_EMISSIVE] = {TENON_DROPPED, "emissive colors",
                           "not supported by the engine's materials"},
    [GPB_LOSS_SPECULAR] = {TENON_APPROXIMATED, "specular colors",
                           "in the engine, highlights have the color of the light"},
    [GPB_LOSS_UNLIT] = {TENON_APPROXIMATED, "unlit materials",
                        "written as materials whose shader has no lights"},
    [GPB_LOSS_CUTOFF] = {TENON_APPROXIMATED, "alpha cutoffs", "the engine always uses 0.5"},
    [GPB_LOSS_STRENGTHS] = {TENON_DROPPED, "strengths of textures",
                            "not supported by the engine's materials"},
    [GPB_LOSS_SLOTS] = {TENON_DROPPED, "textures",
                        "the engine supports only base color, normal, specular and light maps"},
    [GPB_LOSS_UV_SETS] = {TENON_APPROXIMATED, "textures",
                          "the engine uses the second texture coordinates for light maps, and the "
                          "first for all others"},
    [GPB_LOSS_PLACEMENTS] =
        {TENON_APPROXIMATED, "places of textures",
         "all textures use the scale and offset of the first, without rotation"},
    [GPB_LOSS_EDGES] = {TENON_APPROXIMATED, "edges of textures",
                        "the engine supports only repeat and clamp"},
    [GPB_LOSS_PATHS] = {TENON_DROPPED, "textures",
                        "the path has characters that a .material file cannot hold"},
    [GPB_LOSS_JPEG] = {TENON_APPROXIMATED, "textures", "the engine does not read JPEG files"},
    [GPB_LOSS_MATERIAL_NAMES] = {TENON_APPROXIMATED, "names of materials",
                                 "changed: each must be one word, and unique"},
    [GPB_LOSS_EMPTY_CLIPS] = {TENON_DROPPED, "animations", "they do not move anything"},
    [GPB_LOSS_ANCHORS] =
        {TENON_MADE_UP, "channels",
         "added so that clips of equal length are not merged when the file is read"},
    [GPB_LOSS_CONSTANTS] =
        {TENON_MADE_UP, "channels",
         "added for mirrored or flat nodes, so that the channels hold the whole transform"},
    [GPB_LOSS_LENGTHS] = {TENON_APPROXIMATED, "lengths of clips",
                          "rounded to whole milliseconds, at least 1"},
    [GPB_LOSS_GROUPED] = {TENON_APPROXIMATED, "names of clips",
                          "the skeleton's part of the first clip is called 'animations', as the "
                          "engine's encoder does; other clips keep their names"},
    [GPB_LOSS_MIRRORING] =
        {TENON_APPROXIMATED, "mirroring animations",
         "the engine shows a mesh inside out while a key mirrors it and the rest pose does not"},
    [GPB_LOSS_EVENTS] = {TENON_DROPPED, "events", "not supported by this format"},
    [GPB_LOSS_NUMBERS] = {TENON_APPROXIMATED, "numbers", "too large: set to the largest float"},
    [GPB_LOSS_EXTRAS] = {TENON_DROPPED, "extras", "not supported by this format"},
    [GPB_LOSS_NAMES] = {TENON_APPROXIMATED, "names",
                        "changed: each must be unique and shorter than 5000 bytes"},
    [GPB_LOSS_NO_NAMES] = {TENON_MADE_UP, "names", "every object of a bundle needs one"},
};

// Count the losses of objects that are not written.
static void gpb_export_loss_count_unwritten(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    for (uint32_t i = 0; i < scene->mesh_count; i++)
        gpb_export_count_loss(exporter, GPB_LOSS_MESHES, exporter->meshes[i].block == TENON_NONE,
                              "meshes", i);
    for (uint32_t i = 0; i < scene->skin_count; i++) {
        bool is_shown = exporter->joints[i] != NULL;
        gpb_export_count_loss(exporter, GPB_LOSS_SKINS, !is_shown, "skins", i);
    }
    for (uint32_t i = 0; i < exporter->node_count; i++) {
        uint32_t shown = exporter->nodes[i].mesh_node;
        if (shown == TENON_NONE || scene->nodes[shown].skin == TENON_NONE) continue;
        tenon_str name = scene->skins[scene->nodes[shown].skin].name;
        tenon_str id = {exporter->nodes[i].xref.data + 1, exporter->nodes[i].xref.size - 1};
        gpb_export_count_loss(exporter, GPB_LOSS_SKIN_NAMES, !tn_text_equal(name, id), "skins",
                              scene->nodes[shown].skin);
    }
    for (uint32_t i = 0; i < scene->animation_count; i++)
        gpb_export_count_loss(exporter, GPB_LOSS_EVENTS, scene->animations[i].event_count,
                              "animations", i);
}

void gpb_export_report_losses(gpb_exporter *exporter)
{
    gpb_export_loss_count_unwritten(exporter);
    if (!exporter->export->opts->without_materials)
        tn_export_report_picture_names(exporter->export);
    for (int i = 0; i < GPB_LOSS_COUNT; i++) {
        const gpb_loss_text *text = &gpb_loss_texts[i];
        const tn_tally *loss = &exporter->losses[i];
        if (i < GPB_MEASURED_COUNT)
            tn_export_approximate(exporter->export,
                                  i == GPB_LOSS_INFLUENCES ? TN_MEASURE_INFLUENCES
                                                           : TN_MEASURE_REMAINDER,
                                  text->feature, loss->count, loss->path, text->why);
        else
            tn_export_report_tally(exporter->export, loss, text->kind, text->feature, text->why);
    }
}
