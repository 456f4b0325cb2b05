// bmw_check.c: the rules of BMW, and those for animations, textures, nodes and names.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"

#include "core/cursor/span.h"
#include "core/cursor/wide.h"
#include "core/files/file.h"
#include "core/text/tally.h"
#include "core/text/text.h"
#include "document/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ZERO    1e-5  // Tolerance for the last row, 0 0 0 1.
#define SHEAR   0.01  // Tolerance for the cosine of two columns.
#define BEOWOLF "beowolf"

const tenon_rule bmw_rules[BMW_RULE_COUNT] = {
    // -- The file as a whole
    {"bmw/layout-old", TENON_ERROR, "the engine reads the layouts R4 and R3",
     "convert with --as R4", BEOWOLF},
    {"bmw/not-finite", TENON_ERROR, "numbers are finite", NULL, NULL},
    {"bmw/text-utf8", TENON_WARNING, "names and paths are UTF-8", NULL, NULL},
    // -- Textures
    {"bmw/texture-count", TENON_WARNING, "there are as many textures as meshes, or none",
     "repeat textures so that mesh i has texture i, with a white texture for untextured meshes",
     NULL},
    {"bmw/texture-name", TENON_INFO, "a texture has the name that the engine looks for",
     "put a .dds file next to the model: the engine ignores .png and .jpg files", NULL},
    {"bmw/texture-kind", TENON_WARNING, "textures are DDS files",
     "save the texture as .dds: the engine loads nothing else", NULL},
    {"bmw/texture-path", TENON_WARNING, "a texture is in the model's folder or a subfolder",
     "put the texture next to the model and use its name without a folder", NULL},
    {"bmw/texture-missing", TENON_WARNING, "the file that the engine looks for exists", NULL, NULL},
    // -- Nodes and their names
    {"bmw/node-id-duplicate", TENON_WARNING, "every node has a different id",
     "rename one of two nodes with the same name in the source, and export again", NULL},
    {"bmw/node-id-order", TENON_WARNING, "ids count up from 0 in file order", NULL, NULL},
    {"bmw/node-mesh", TENON_ERROR, "nodes refer to meshes that exist", NULL, NULL},
    {"bmw/node-transform", TENON_WARNING,
     "a node with a mesh has no transform (the engine ignores it)",
     "apply the transform to the vertices", BEOWOLF},
    {"bmw/name-node", TENON_WARNING, "every name belongs to a node that exists", NULL, NULL},
    {"bmw/name-duplicate", TENON_WARNING, "a node has one name, different from all other nodes",
     NULL, NULL},
    {"bmw/name-missing", TENON_INFO, "every node has a name",
     "name the node: clips in other files find nodes by name", NULL},
    // -- Meshes
    {"bmw/mesh-reference", TENON_WARNING, "each mesh is used by exactly one node", NULL, NULL},
    {"bmw/mesh-faces", TENON_INFO, "a mesh has faces", NULL, NULL},
    {"bmw/index-range", TENON_ERROR, "faces refer to vertices that exist",
     "remove the face, or restore the missing vertices", NULL},
    {"bmw/color-range", TENON_WARNING, "colors are between 0 and 255",
     "limit colors to 0 to 255: the engine uses only the lowest 8 bits", NULL},
    {"bmw/normal-missing", TENON_WARNING,
     "normals are valid (the converter writes NaNs if the source has no normals)",
     "add normals to the source and export again", NULL},
    {"bmw/weight-vertex", TENON_ERROR, "weights refer to vertices that exist", NULL, NULL},
    {"bmw/weight-node", TENON_ERROR, "weights refer to nodes that exist", NULL, NULL},
    {"bmw/weight-duplicate", TENON_WARNING, "a vertex has one list of weights", NULL, NULL},
    {"bmw/weight-sum", TENON_WARNING, "the weights of a vertex sum to 1",
     "divide them by their sum", NULL},
    {"bmw/weight-influences", TENON_WARNING, "a vertex has at most 4 weights",
     "keep the 4 largest weights and divide them by their sum: the engine does not normalize them",
     NULL},
    {"bmw/weight-missing", TENON_INFO, "a mesh has weights for all of its vertices or for none",
     NULL, NULL},
    {"bmw/weight-unmoved", TENON_WARNING, "nodes with weights are animated",
     "move the channels from helper nodes of the FBX importer to the nodes with weights", NULL},
    {"bmw/weight-meshes", TENON_WARNING, "only one mesh has weights",
     "join the meshes: the engine mixes up the weights of vertices that have the same number in "
     "different meshes",
     BEOWOLF},
    {"bmw/node-limit", TENON_WARNING, "nodes that animations or weights use have ids below 128",
     "remove unused nodes", BEOWOLF},
    // -- Animations and matrices
    {"bmw/animation-empty", TENON_ERROR, "an animation has bones",
     "remove the animation: it crashes the engine", NULL},
    {"bmw/animation-node", TENON_ERROR, "animations refer to nodes that exist", NULL, NULL},
    {"bmw/animation-duplicate", TENON_WARNING, "an animation has one list of frames per node", NULL,
     NULL},
    {"bmw/animation-rate", TENON_WARNING, "the rate of an animation is not 0",
     "set the rate, in ticks per second", NULL},
    {"bmw/animation-frames", TENON_WARNING,
     "all bones of an animation have the same number of frames", NULL, NULL},
    {"bmw/animation-duration", TENON_INFO, "durations and rates are stored",
     "convert with --as R4, and give the rate with --rate", NULL},
    {"bmw/animation-old", TENON_WARNING,
     "frames are skinning matrices, as written by the latest converters",
     "export again: the frames of early converters deform the mesh", NULL},
    {"bmw/tick-zero", TENON_WARNING, "the first frame is a matrix",
     "replace it with the second frame: the latest converter divides 0 by 0", NULL},
    {"bmw/matrix-order", TENON_INFO, "the matrix order (rows or columns) can be detected",
     "choose one with --from bmw:R3-row or bmw:R3-column", NULL},
    {"bmw/matrix-mixed", TENON_WARNING, "all matrices have the same order", NULL, NULL},
    {"bmw/matrix-affine", TENON_WARNING, "the last row of a matrix is 0 0 0 1", NULL, NULL},
    {"bmw/matrix-shear", TENON_WARNING, "matrices have no shear", NULL, NULL},
    // -- The sidecar
    {"bmw/sidecar-invalid", TENON_ERROR, "the sidecar is JSON with values of the expected types",
     "correct the line: the engine rejects most invalid sidecars", NULL},
    {"bmw/sidecar-key", TENON_INFO, "the engine knows every key", NULL, NULL},
    {"bmw/sidecar-axis", TENON_ERROR,
     "the axis of a rotation is not 0 0 0 (the model would be invisible)",
     "set the axis, for example to \"0 1 0\" (vertical)", NULL},
    {"bmw/clip-missing", TENON_INFO, "a model with animations has clips",
     "add \"clips\" to the sidecar: the engine plays nothing without them", NULL},
    {"bmw/clip-default", TENON_ERROR, "the default clip exists",
     "set \"defaultAnim\" to the name of a clip: the engine crashes otherwise", NULL},
    {"bmw/one-tick-clip", TENON_WARNING, "the default clip has more than one tick",
     "repeat the frame and end the clip there: the engine shows a clip only when its tick changes",
     BEOWOLF},
    {"bmw/clip-duplicate", TENON_WARNING, "clips have different names",
     "rename all but one: the engine uses only the last", NULL},
    {"bmw/clip-range", TENON_WARNING, "a clip is within its animation and ends after its start",
     NULL, NULL},
    {"bmw/clip-animation", TENON_ERROR, "a clip plays an animation that exists", NULL, NULL},
    {"bmw/clip-target", TENON_WARNING, "a clip with start and end plays the model's own animation",
     "put the clips with files before those without", NULL},
    {"bmw/clip-file-path", TENON_WARNING, "a clip's file is in the model's folder or a subfolder",
     NULL, NULL},
    {"bmw/clip-file-missing", TENON_WARNING, "a clip's file exists", NULL, NULL},
    {"bmw/clip-file", TENON_ERROR, "a clip's file is a model with an animation", NULL, NULL},
    {"bmw/clip-nodes", TENON_WARNING,
     "the nodes that a clip's file animates have the same names in the model",
     "give the nodes the same names in both files: other nodes are matched by number", NULL},
    {"bmw/animation-unreached", TENON_WARNING, "every animation is played by a clip",
     "put the other animations in separate files: the engine plays only the first one of a file",
     NULL},
};

// -- Matrices

// What is wrong with the matrices of an animation, or of the nodes.
typedef struct bmw_matrices {
    uint32_t animation;  // TENON_NONE: of the nodes.
    bool is_row_major;
    uint64_t count;  // Of all.
    tn_tally first_nan, not_finite, mixed, not_affine, sheared;
    bool is_asymmetric;  // One of them.
    double worst;        // The largest squared cosine.
} bmw_matrices;

static void bmw_check_motion_tally(const bmw_matrices *all, tn_tally *tally, uint32_t bone,
                                   uint64_t frame)
{
    if (all->animation == TENON_NONE)
        tn_tally_path(tally, 1, "root");
    else
        tn_tally_path(tally, 1, "animations[%u].bones[%u].frames[%" PRIu64 "]", all->animation,
                      bone, frame);
}

static void bmw_check_matrix(bmw_matrices *all, const float m[16], uint32_t bone, uint64_t frame)
{
    int order = tn_stored_order(m);
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += m[i] - m[i];  // 0, or NaN from then on.
    all->count++;
    if (sum != 0) {
        bmw_check_motion_tally(all, frame == 0 ? &all->first_nan : &all->not_finite, bone, frame);
        return;
    }
    if (all->is_row_major ? order < 0 : order > 0) {
        bmw_check_motion_tally(all, &all->mixed, bone, frame);
        return;
    }
    int along = all->is_row_major ? 4 : 1, across = all->is_row_major ? 1 : 4, last = 3 * along;
    if (fabs(m[last]) > ZERO || fabs(m[last + across]) > ZERO ||
        fabs(m[last + 2 * across]) > ZERO || fabs(m[15] - 1.0) > ZERO)
        bmw_check_motion_tally(all, &all->not_affine, bone, frame);
    all->is_asymmetric = all->is_asymmetric || !tn_stored_is_symmetric(m);
    double shear = 0;  // The largest squared cosine between two columns.
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        double dot = 0, x = 0, y = 0;
        for (int i = 0; i < 3; i++) {
            double p = m[a * across + i * along], q = m[b * across + i * along];
            dot += p * q;
            x += p * p;
            y += q * q;
        }
        if (dot * dot > shear * x * y && x * y > 0) shear = dot * dot / (x * y);
    }
    if (shear > SHEAR * SHEAR) bmw_check_motion_tally(all, &all->sheared, bone, frame);
    if (shear > all->worst) all->worst = shear;
}

// -- Findings

static void bmw_check_report_matrices(bmw_checker *checker, const bmw_matrices *all)
{
    tn_found_tally(checker->check, "matrix-mixed", &all->mixed,
                   "%" PRIu64 " of %" PRIu64
                   " matrices are stored by %s, but the file was read as stored by %s",
                   all->mixed.count, all->count, all->is_row_major ? "columns" : "rows",
                   all->is_row_major ? "rows" : "columns");
    tn_found_tally(checker->check, "matrix-affine", &all->not_affine,
                   "the last row of %" PRIu64 " of %" PRIu64 " matrices is not 0 0 0 1",
                   all->not_affine.count, all->count);
    tn_found_tally(checker->check, "matrix-shear", &all->sheared,
                   "%" PRIu64 " of %" PRIu64
                   " matrices have shear; the largest cosine of two columns is %s",
                   all->sheared.count, all->count, bmw_check_number(sqrt(all->worst)).text);
}

// -- Nodes

static void bmw_check_tree_matrices(bmw_matrices *all, const tenon_bmw_node *node)
{
    bmw_check_matrix(all, node->transform, 0, 0);
    for (uint32_t i = 0; i < node->child_count; i++)
        bmw_check_tree_matrices(all, &node->children[i]);
}

// -- Animations

static void bmw_check_frames(bmw_checker *checker, uint32_t a)
{
    const tenon_bmw_animation *animation = &checker->doc->animations[a];
    bmw_matrices all = {.animation = a, .is_row_major = checker->doc->is_row_major};
    for (uint32_t b = 0; b < animation->bone_count; b++) {
        const tenon_span *frames = &animation->bones[b].frames;
        for (uint64_t i = 0, end; i < frames->count; i = end) {
            float many[16 * TN_LANES];
            end = frames->count - i < TN_LANES ? frames->count : i + TN_LANES;
            // Nearly all matrices are affine and much nearer to right angles than the rule
            // requires.
            if (bmw_matrix_load_lanes(frames, all.is_row_major, end, many) &&
                tn_loops_here()->are_affine(many, SHEAR * SHEAR / 4, 0)) {
                all.count += end - i;
                continue;
            }
            for (uint64_t k = i; k < end; k++) {
                float m[16];
                tn_copy_numbers(m, frames->data + 64 * k, 16, 4, frames->big_endian);
                bmw_check_matrix(&all, m, b, k);
            }
        }
    }
    tn_found_tally(checker->check, "tick-zero", &all.first_nan,
                   "tick 0 of %" PRIu64 " of %u bones is not a matrix", all.first_nan.count,
                   animation->bone_count);
    tn_found_tally(checker->check, "not-finite", &all.not_finite,
                   "%" PRIu64 " of %" PRIu64 " matrices contain a number that is not finite",
                   all.not_finite.count, all.count);
    bmw_check_report_matrices(checker, &all);
}

// Meshes must be last: the others record which nodes are animated.
static void bmw_check_motion(bmw_checker *checker)
{
    const tenon_bmw *doc = checker->doc;
    bool is_lost = checker->flags & TENON_BMW_FRAMES_INFERRED;
    for (uint32_t a = 0; a < doc->animation_count; a++) {
        if (doc->animations[a].bone_count == 0)
            tn_found(checker->check, "animation-empty", tn_path("animations[%u].bones", a),
                     "the animation has no bones");
        if (doc->animations[a].rate == 0 && !is_lost)
            tn_found(checker->check, "animation-rate", tn_path("animations[%u].rate", a),
                     "the rate is 0 ticks per second");
        const tenon_bmw_animation *animation = &checker->doc->animations[a];
        bool is_uneven = false, is_limit_reported = false;
        for (uint32_t b = 0; b < animation->bone_count; b++) {
            // Only in R2a, which has no durations, bones can have different numbers of frames.
            uint64_t first = animation->bones[0].frames.count,
                     own = animation->bones[b].frames.count;
            if (own != first && !is_uneven)
                tn_found(checker->check, "animation-frames",
                         tn_path("animations[%u].bones[%u].frames", a, b),
                         "the bone has %" PRIu64 " frames, but the first bone has %" PRIu64, own,
                         first);
            is_uneven = is_uneven || own != first;
            uint32_t id = animation->bones[b].node_id;
            uint32_t node = bmw_check_node_of_id(checker, id);
            tn_path_text path = tn_path("animations[%u].bones[%u].node_id", a, b);
            checker->has_motion = true;
            if (id >= BMW_SHADER_NODES && !is_limit_reported) {
                tn_found(checker->check, "node-limit", path, "the engine ignores node %u", id);
                is_limit_reported = true;
            }
            if (node != TENON_NONE) {
                if (checker->uses[node].animated_by == a + 1)
                    tn_found(checker->check, "animation-duplicate", path,
                             "node %u is animated twice", id);
                checker->uses[node].animated_by = a + 1;
            } else if (checker->has_nodes) {
                tn_found(checker->check, "animation-node", path,
                         "node %u does not exist; the model has %u nodes", id,
                         checker->nodes.count);
            }
        }
        bmw_check_frames(checker, a);
    }
    if (doc->animation_count == 0) return;
    if (is_lost)
        tn_found(checker->check, "animation-duration", tn_path("animations"),
                 "the durations and rates of %u animations are zeros", doc->animation_count);
    if (doc->is_row_major || is_lost)
        tn_found(checker->check, "animation-old", tn_path("animations"),
                 "the frames are row-major, as written by early converters");
}

uint32_t bmw_check_node_of_id(const bmw_checker *checker, uint32_t node_id)
{
    const bmw_sorted *nodes = &checker->nodes;
    // Nearly always, node i has the id i.
    bool is_there = node_id < nodes->count && nodes->names[node_id].node_id == node_id;
    return is_there ? node_id : bmw_names_find(nodes, (tenon_bmw_name){.node_id = node_id});
}

tn_shown bmw_check_number(double v)
{
    if (!(fabs(v) < 1e6)) return tn_show_f64(v);
    uint64_t thousandths = (uint64_t)(fabs(v) * 1000);
    tn_shown shown;
    snprintf(shown.text, sizeof shown.text, "%s%" PRIu64 ".%03" PRIu64, v < 0 ? "-" : "",
             thousandths / 1000, thousandths % 1000);
    return shown;
}

// -- Textures

// Check the texture of a material, or the sidecar's override of it.
static void bmw_check_texture(bmw_checker *checker, tn_path_text path, tenon_str texture)
{
    char wanted[BMW_NAME_SIZE], shown[96], place[TN_PATH_SIZE];
    const char *model_path = checker->check->opts->model_path;
    tn_check_inside(checker->check, "texture-path", path, texture);
    size_t size = tenon_bmw_texture_name(texture, wanted, sizeof wanted);
    if (size == 0) return;
    tn_text_clean(wanted, size, shown, sizeof shown);
    if (!tn_text_equal(texture, (tenon_str){wanted, (uint32_t)size}))
        tn_found(checker->check, "texture-name", path, "the engine looks for '%s'", shown);
    if (size < 4 || memcmp(wanted + size - 4, ".dds", 4) != 0)
        tn_found(checker->check, "texture-kind", path,
                 "'%s' does not have the extension of a DDS file", shown);
    if (!model_path || !tn_name_stays_inside(texture)) return;
    tenon_error err = {0};
    const tn_search search = {checker->files, model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, (tenon_str){wanted, (uint32_t)strlen(wanted)});
    if (err.code != TENON_OK)
        tn_check_fail(checker->check, &err);
    else if (found == TN_PLACE_MISSING)
        tn_found(checker->check, "texture-missing", path, "'%s' was not found next to the model",
                 shown);
}

static void bmw_check_textures(bmw_checker *checker)
{
    const tenon_str *overrides = checker->sidecar ? checker->sidecar->texture_overrides : NULL;
    uint32_t override_count = checker->sidecar ? checker->sidecar->texture_override_count : 0;
    uint64_t count = 0;
    tenon_str last = {"", 0};
    for (uint32_t m = 0; m < checker->doc->material_count; m++) {
        const tenon_bmw_material *material = &checker->doc->materials[m];
        for (uint32_t k = 0; k < material->texture_count; k++, count++) {
            // There is one for each mesh, so equal ones often follow each other.
            bool is_replaced = count < override_count && overrides[count].data;
            if (!is_replaced && !tn_text_equal(material->textures[k], last))
                bmw_check_texture(checker, tn_path("materials[%u].textures[%u]", m, k),
                                  material->textures[k]);
            last = material->textures[k];
        }
    }
    for (uint32_t i = 0; i < override_count; i++)
        if (overrides[i].data)
            bmw_check_texture(checker, tn_path("%s:textureOverrides[%u]", checker->sidecar_name, i),
                              overrides[i]);
    if (count < override_count) count = override_count;
    if (count && count != checker->doc->mesh_count)
        tn_found(checker->check, "texture-count", tn_path("materials"),
                 "textures: %" PRIu64 ", meshes: %u", count, checker->doc->mesh_count);
}

// -- The tree

// A node on the way to the current one.
typedef struct bmw_level {
    const tenon_bmw_node *node;
    uint32_t next;  // The child to be visited next.
} bmw_level;

// The path of a field of the node on the last level. A path that is too long ends with the last
// node that fits.
static tn_path_text bmw_check_node_path(const bmw_level *levels, uint32_t depth, const char *field)
{
    char path[sizeof((tn_path_text *)0)->text - 16] = "root";
    size_t size = strlen(path);
    for (uint32_t i = 0; i + 1 < depth; i++) {
        size_t room = sizeof path - size;
        int more = snprintf(path + size, room, ".children[%u]", levels[i].next - 1);
        if (more < 0 || (size_t)more >= room) return tn_path("%.*s", (int)size, path);
        size += (size_t)more;
    }
    return tn_path("%s.%s", path, field);
}

static bool bmw_check_is_identity(const float m[16])
{
    for (int i = 0; i < 16; i++) {
        float off = m[i] - (i % 5 == 0 ? 1.0f : 0.0f);
        if (!(off < 1e-5f && off > -1e-5f)) return false;
    }
    return true;
}

// Visit all nodes, and count those that use each mesh. Not recursive: messages need too much memory
// for a small stack.
static void bmw_check_nodes(bmw_checker *checker)
{
    bmw_level levels[TN_DEPTH_MAX] = {{&checker->doc->root, 0}};
    uint32_t depth = 1, next_id = 0, mesh_count = checker->doc->mesh_count;
    bool is_in_order = checker->flags & TENON_BMW_NODE_IDS;
    uint32_t *references = tn_check_alloc(checker->check, mesh_count, sizeof *references);
    if (!references) return;
    for (;;) {
        const tenon_bmw_node *node = levels[depth - 1].node;
        if (is_in_order && node->node_id != next_id) {
            is_in_order = false;
            tn_found(checker->check, "node-id-order", bmw_check_node_path(levels, depth, "node_id"),
                     "the id is %u, expected %u", node->node_id, next_id);
        }
        next_id++;
        if (node->meshes.count && !bmw_check_is_identity(node->transform))
            tn_found(checker->check, "node-transform",
                     bmw_check_node_path(levels, depth, "transform"),
                     "the engine ignores this node's transform and draws the mesh as stored");
        bool is_reported = false;
        for (uint64_t i = 0; i < node->meshes.count; i++) {
            uint32_t mesh = tn_span_u32(&node->meshes, i);
            if (mesh < mesh_count) {
                if (references[mesh] < UINT32_MAX) references[mesh]++;
            } else if (!is_reported) {
                tn_found(checker->check, "node-mesh", bmw_check_node_path(levels, depth, "meshes"),
                         "mesh %u, but the model has %u meshes", mesh, mesh_count);
                is_reported = true;
            }
        }
        // Up to the nearest level with a child that was not visited, and down to that child.
        while (depth > 0 && (depth == TN_DEPTH_MAX ||
                             levels[depth - 1].next >= levels[depth - 1].node->child_count))
            depth--;
        if (depth == 0) break;
        bmw_level *parent = &levels[depth - 1];
        levels[depth++] = (bmw_level){&parent->node->children[parent->next++], 0};
    }
    for (uint32_t m = 0; m < mesh_count; m++)
        if (references[m] != 1)
            tn_found(checker->check, "mesh-reference", tn_path("meshes[%u]", m),
                     "nodes that use the mesh: %u", references[m]);
    uint64_t repeated = 0;
    uint32_t first = 0;
    for (uint32_t i = 1; i < checker->nodes.count; i++)
        if (bmw_names_is_repeated(&checker->nodes, i) && repeated++ == 0)
            first = checker->nodes.names[checker->nodes.order[i]].node_id;
    if (repeated && (checker->flags & TENON_BMW_NODE_IDS))
        tn_found(checker->check, "node-id-duplicate", tn_path("root"),
                 "%" PRIu64 " of %u nodes have the same id as another node, for example %u",
                 repeated, checker->nodes.count, first);
}

// -- Names

static void bmw_check_names(bmw_checker *checker)
{
    tn_check *check = checker->check;
    const tenon_bmw *doc = checker->doc;
    if (!(checker->flags & TENON_BMW_NAMES)) return;
    for (uint32_t i = 0; i < doc->name_count; i++)
        if (bmw_check_node_of_id(checker, doc->names[i].node_id) == TENON_NONE)
            tn_found(check, "name-node", tn_path("names[%u].node_id", i),
                     "the name is for node %u, which does not exist", doc->names[i].node_id);
    uint32_t *room = tn_check_alloc(check, doc->name_count, 4 * sizeof *room);
    if (!room) return;
    bmw_sorted ids = bmw_names_sort(doc->names, doc->name_count, false, room);
    bmw_sorted texts =
        bmw_names_sort(doc->names, doc->name_count, true, room + 2 * (size_t)doc->name_count);
    for (uint32_t i = 1; i < doc->name_count; i++) {
        uint32_t id = ids.order[i], text = texts.order[i];
        if (bmw_names_is_repeated(&ids, i))
            tn_found(check, "name-duplicate", tn_path("names[%u].node_id", id),
                     "node %u already has a different name", doc->names[id].node_id);
        if (bmw_names_is_repeated(&texts, i))
            tn_found(check, "name-duplicate", tn_path("names[%u].name", text),
                     "node %u has the same name", doc->names[texts.order[i - 1]].node_id);
    }
    if (doc->name_count < checker->nodes.count)
        tn_found(check, "name-missing", tn_path("root"), "names: %u, nodes: %u", doc->name_count,
                 checker->nodes.count);
}

// -- All

void bmw_check(tn_check *check, const void *any)
{
    const tenon_bmw *doc = any;
    const tenon_files *files = check->opts->files;
    bmw_checker checker = {.check = check,
                           .doc = doc,
                           .flags = doc->base.dialect->flags,
                           .nodes = bmw_names_nodes_by_id(doc, check->arena),
                           .files = files ? files : tenon_system_files()};
    if (checker.nodes.order)
        checker.uses = tn_check_alloc(check, checker.nodes.count, sizeof *checker.uses);
    if (!checker.uses) {
        check->failed = true;
        return;
    }
    tn_view_check(check, doc);
    if (!(checker.flags & TENON_BMW_ANIMATIONS_FIRST))
        tn_found(check, "layout-old", tn_path("header"),
                 "the layout is %s, which the engine does not read", doc->base.dialect->name);
    bmw_check_sidecar(&checker);
    bmw_check_textures(&checker);
    // A root that was not read is all zeros, which is not a valid matrix.
    checker.has_nodes = doc->root.meshes.count || doc->root.child_count;
    for (int i = 0; i < 16; i++) checker.has_nodes |= doc->root.transform[i] != 0;
    if (checker.has_nodes) {
        bmw_check_nodes(&checker);
        bmw_check_names(&checker);
        bmw_matrices all = {.animation = TENON_NONE, .is_row_major = checker.doc->is_row_major};
        bmw_check_tree_matrices(&all, &checker.doc->root);
        bmw_check_report_matrices(&checker, &all);
        if (checker.doc->is_order_assumed && all.is_asymmetric)
            tn_found(checker.check, "matrix-order", tn_path("root"),
                     "read as stored by %s, but this cannot be detected without a translation",
                     checker.doc->is_row_major ? "rows" : "columns");
    }
    bmw_check_motion(&checker);
    bmw_check_meshes(&checker);  // Last: it needs to know which nodes are animated.
    tenon_bmw_sidecar_free(checker.sidecar);
}
