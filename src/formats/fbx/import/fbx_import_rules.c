// fbx_import_rules.c: what other programs get wrong when they import a file: skins without bind
// poses, uneven and negative scales, too many weights, pivots that move.
// SPDX-License-Identifier: MIT
//
// The objects and links of the import are used, so that all versions are checked alike.

#include "formats/fbx/import/fbx_import_models.h"
#include "formats/fbx/import/fbx_import_old.h"

#include "core/text/number.h"
#include "core/text/text.h"
#include "document/document.h"
#include "document/findings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define INFLUENCES_MOST 4     // Weights of a vertex that every engine reads.
#define EVEN            1e-3  // Scales that differ by a smaller share are equal.

// A joint that a bind pose lists, by its id or, before version 7, by its name.
typedef struct posed_joint {
    tn_named named;
    int64_t id;
} posed_joint;

typedef struct fbx_rule_check {
    tn_check *check;
    fbx_importer *importer;
    tn_name_tree posed;
    bool *is_joint;   // Of each model: a limb, or a bone of a cluster.
    uint32_t *roots;  // Of each model: the one at the top.
} fbx_rule_check;

static tn_path_text fbx_import_rules_path(const fbx_importer *importer, uint32_t object)
{
    char path[140];
    fbx_path(importer->doc, importer->objects[object].node, path, sizeof path);
    return tn_path("%s", path);
}

static const char *fbx_import_rules_name(const fbx_importer *importer, uint32_t object,
                                         char out[48])
{
    tenon_str name = importer->objects[object].name;
    (void)tn_text_clean(name.data, name.size, out, 48);
    return out;
}

// -- Bind poses

// The key by which value number `at` of a node names an object. *id is where an id is kept.
static tenon_str fbx_import_rules_key(const fbx_importer *importer, const tenon_fbx_node *node,
                                      uint32_t at, int64_t *id)
{
    *id = fbx_int(node, at, 0);
    if (importer->is_old) return fbx_text(node, at);
    return (tenon_str){(const char *)id, sizeof *id};
}

static void fbx_import_rules_read_poses(fbx_rule_check *rules)
{
    fbx_importer *importer = rules->importer;
    const tenon_fbx_node *list = fbx_child(&importer->doc->root, "Objects");
    if (!list) list = &importer->doc->root;
    for (uint32_t i = 0; i < list->child_count; i++) {
        const tenon_fbx_node *pose = &list->children[i];
        if (!fbx_is_named(pose, "Pose")) continue;
        posed_joint *joints = fbx_import_alloc(importer, pose->child_count, sizeof *joints);
        for (uint32_t k = 0; joints && k < pose->child_count; k++) {
            const tenon_fbx_node *node = fbx_child(&pose->children[k], "Node");
            if (!fbx_is_named(&pose->children[k], "PoseNode") || !node) continue;
            joints[k].named.name = fbx_import_rules_key(importer, node, 0, &joints[k].id);
            (void)tn_name_enter(&rules->posed, &joints[k].named);
        }
    }
}

static bool fbx_import_rules_is_posed(const fbx_rule_check *rules, uint32_t object)
{
    int64_t id;
    const tenon_fbx_node *node = rules->importer->objects[object].node;
    tenon_str key = fbx_import_rules_key(rules->importer, node, 0, &id);
    return tn_name_find(&rules->posed, key) != NULL;
}

// -- Skins

static bool fbx_import_rules_has_matrices(const tenon_fbx_node *cluster)
{
    return fbx_number_count(fbx_child(cluster, "Transform")) >= 16 &&
           fbx_number_count(fbx_child(cluster, "TransformLink")) >= 16;
}

// Count the weights of each vertex that a cluster adds.
static void fbx_import_rules_count_weights(fbx_importer *importer, const tenon_fbx_node *cluster,
                                           uint16_t *counts, uint64_t point_count)
{
    uint64_t count = 0, weight_count = 0;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    const int32_t *points = fbx_import_i32s(importer, fbx_child(cluster, "Indexes"), &count);
    const double *weights = fbx_import_f64s(importer, fbx_child(cluster, "Weights"), &weight_count);
    for (uint64_t i = 0; weights && i < count && i < weight_count; i++) {
        uint32_t point = (uint32_t)points[i];
        if (point < point_count && weights[i] > 0 && counts[point] < UINT16_MAX) counts[point]++;
    }
    tn_arena_rewind(&importer->scratch, mark);
}

// The skins of a geometry.
static void fbx_import_rules_skin(fbx_rule_check *rules, uint32_t geometry)
{
    fbx_importer *importer = rules->importer;
    const tenon_fbx_node *mesh = importer->objects[geometry].node;
    fbx_links skins = fbx_import_children(importer, geometry);
    uint64_t point_count = fbx_number_count(fbx_child(mesh, "Vertices")) / 3;
    uint32_t unbound = 0, unposed = 0, clusters = 0, roots[2] = {TENON_NONE, TENON_NONE};
    uint32_t first_unbound = TENON_NONE, first_unposed = TENON_NONE;
    tn_mark mark = tn_arena_mark(&importer->scratch);
    uint16_t *counts = fbx_import_alloc(importer, point_count, sizeof *counts);
    for (uint32_t i = 0; i < skins.count && !importer->builder->failed; i++) {
        uint32_t skin = importer->links[skins.items[i]].child;
        bool is_skin = importer->objects[skin].kind == FBX_DEFORMER &&
                       tn_text_is(importer->objects[skin].type, "Skin");
        fbx_links links = fbx_import_children(importer, skin);
        for (uint32_t k = 0; is_skin && k < links.count && !importer->builder->failed; k++) {
            uint32_t cluster = importer->links[links.items[k]].child;
            if (importer->objects[cluster].kind != FBX_DEFORMER) continue;
            uint32_t bone = fbx_import_child_of(importer, cluster, FBX_MODEL);
            if (bone == TENON_NONE) continue;
            const tenon_fbx_node *node = importer->objects[cluster].node;
            uint32_t root = importer->objects[bone].index;
            rules->is_joint[root] = true;
            root = rules->roots[root];
            if (roots[0] == TENON_NONE) roots[0] = root;
            if (roots[0] != root && roots[1] == TENON_NONE) roots[1] = root;
            if (!fbx_import_rules_has_matrices(node) && unbound++ == 0) first_unbound = bone;
            if (!fbx_import_rules_is_posed(rules, bone) && unposed++ == 0) first_unposed = bone;
            clusters++;
            fbx_import_rules_count_weights(importer, node, counts, point_count);
        }
    }
    uint32_t crowded = 0, most = 0;
    for (uint64_t i = 0; i < point_count && !importer->builder->failed; i++) {
        crowded += counts[i] > INFLUENCES_MOST;
        most = counts[i] > most ? counts[i] : most;
    }
    tn_arena_rewind(&importer->scratch, mark);
    tn_path_text path = fbx_import_rules_path(importer, geometry);
    char name[48], other[48];
    if (unbound)
        tn_found(rules->check, "bind-matrix", path,
                 "%" PRIu32 " of %" PRIu32 " joints have no bind matrix, the first is '%s'",
                 unbound, clusters, fbx_import_rules_name(importer, first_unbound, name));
    if (unposed)
        tn_found(rules->check, "bind-pose", path,
                 "%" PRIu32 " of %" PRIu32 " joints are in no bind pose, the first is '%s'",
                 unposed, clusters, fbx_import_rules_name(importer, first_unposed, name));
    if (roots[1] != TENON_NONE)
        tn_found(rules->check, "joint-roots", path,
                 "the joints are below '%s' and '%s', which have no parent in common",
                 fbx_import_rules_name(importer, importer->models[roots[0]].object, name),
                 fbx_import_rules_name(importer, importer->models[roots[1]].object, other));
    if (crowded)
        tn_found(rules->check, "influences", path,
                 "%" PRIu32 " of %" PRIu64 " vertices have more than %d weights, at most %" PRIu32,
                 crowded, point_count, INFLUENCES_MOST, most);
}

// -- Scales

static const char *fbx_import_rules_numbers(const double v[3], char out[3 * TN_NUMBER_MAX])
{
    char *end = out;
    for (int k = 0; k < 3; k++) {
        if (k) *end++ = ',', *end++ = ' ';
        end += tn_f32_text(tn_to_float(v[k]), end);
    }
    return out;
}

static bool fbx_import_rules_is_even(const double scale[3])
{
    double low = fmin(fmin(scale[0], scale[1]), scale[2]);
    double high = fmax(fmax(scale[0], scale[1]), scale[2]);
    return high - low <= EVEN * fmax(fabs(high), fabs(low));
}

static void fbx_import_rules_scales(fbx_rule_check *rules)
{
    const fbx_importer *importer = rules->importer;
    for (uint32_t i = 0; i < importer->model_count; i++) {
        const fbx_model *model = &importer->models[i];
        const double *s = model->scale;
        char name[48], numbers[3 * TN_NUMBER_MAX];
        bool is_mirrored = s[0] * s[1] * s[2] < 0;
        bool is_uneven = rules->is_joint[i] && !fbx_import_rules_is_even(s);
        if (!is_mirrored && !is_uneven) continue;
        tn_path_text path = fbx_import_rules_path(importer, model->object);
        (void)fbx_import_rules_name(importer, model->object, name);
        if (is_mirrored)
            tn_found(rules->check, "negative-scale", path, "the scale of '%s' is %s", name,
                     fbx_import_rules_numbers(s, numbers));
        if (is_uneven)
            tn_found(rules->check, "joint-scale", path, "the scale of the joint '%s' is %s", name,
                     fbx_import_rules_numbers(s, numbers));
    }
}

// -- Curves of version 7

// The least and the largest value of each axis of a curve node.
static void fbx_import_rules_ranges(fbx_importer *importer, uint32_t curve_node, double low[3],
                                    double high[3])
{
    static const char *const axes[] = {"d|X", "d|Y", "d|Z"};
    fbx_links links = fbx_import_children(importer, curve_node);
    for (int k = 0; k < 3; k++)
        low[k] = high[k] =
            fbx_import_property_number(&importer->objects[curve_node], axes[k], low[k]);
    for (uint32_t i = 0; i < links.count && !importer->builder->failed; i++) {
        const fbx_link *link = &importer->links[links.items[i]];
        uint64_t count = 0;
        int axis = 0;
        while (axis < 3 && !tn_text_is(link->property, axes[axis])) axis++;
        if (axis == 3 || importer->objects[link->child].kind != FBX_CURVE) continue;
        const tenon_fbx_node *node = importer->objects[link->child].node;
        tn_mark mark = tn_arena_mark(&importer->scratch);
        const double *values = fbx_import_f64s(importer, fbx_child(node, "KeyValueFloat"), &count);
        if (count) low[axis] = HUGE_VAL, high[axis] = -HUGE_VAL;
        for (uint64_t v = 0; v < count; v++) {
            low[axis] = fmin(low[axis], fbx_import_finite(values[v]));
            high[axis] = fmax(high[axis], fbx_import_finite(values[v]));
        }
        tn_arena_rewind(&importer->scratch, mark);
    }
}

static void fbx_import_rules_curve_node(fbx_rule_check *rules, uint32_t curve_node)
{
    fbx_importer *importer = rules->importer;
    fbx_links targets = fbx_import_parents(importer, curve_node);
    for (uint32_t i = 0; i < targets.count && !importer->builder->failed; i++) {
        const fbx_link *target = &importer->links[targets.items[i]];
        if (importer->objects[target->parent].kind != FBX_MODEL) continue;
        bool is_scale = tn_text_is(target->property, "Lcl Scaling");
        bool is_pivot = fbx_import_is_pivot(target->property);
        const fbx_model *model = &importer->models[importer->objects[target->parent].index];
        is_scale = is_scale && rules->is_joint[importer->objects[target->parent].index];
        if (!is_scale && !is_pivot) continue;
        double low[3], high[3];
        memcpy(low, model->scale, sizeof low);
        fbx_import_rules_ranges(importer, curve_node, low, high);
        bool moves = low[0] < high[0] || low[1] < high[1] || low[2] < high[2];
        bool is_uneven = !(fbx_import_rules_is_even(low) && fbx_import_rules_is_even(high));
        if (!(is_pivot && moves) && !(is_scale && is_uneven)) continue;
        char name[48], property[32];
        (void)tn_text_clean(target->property.data, target->property.size, property,
                            sizeof property);
        tn_path_text path = fbx_import_rules_path(importer, curve_node);
        (void)fbx_import_rules_name(importer, target->parent, name);
        if (is_pivot && moves)
            tn_found(rules->check, "animated-pivot", path, "curves move '%s' of '%s'", property,
                     name);
        if (is_scale && is_uneven)
            tn_found(rules->check, "joint-scale", path,
                     "curves scale the axes of the joint '%s' differently", name);
    }
}

// -- All of them

static void fbx_import_rules_apply(fbx_rule_check *rules)
{
    fbx_importer *importer = rules->importer;
    bool ok = importer->is_old ? fbx_import_old_objects(importer) : fbx_import_objects(importer);
    if (!ok || !fbx_import_index_links(importer) || !fbx_import_models(importer)) return;
    fbx_import_rules_read_poses(rules);
    rules->is_joint = fbx_import_alloc(importer, importer->model_count, sizeof *rules->is_joint);
    rules->roots = fbx_import_alloc(importer, importer->model_count, sizeof *rules->roots);
    if (importer->builder->failed) return;
    for (uint32_t i = 0; i < importer->model_count; i++) {
        uint32_t parent = importer->models[i].parent;  // Which comes first.
        rules->roots[i] = parent == TENON_NONE ? i : rules->roots[parent];
        tenon_str type = importer->objects[importer->models[i].object].type;
        rules->is_joint[i] =
            tn_text_is(type, "LimbNode") || tn_text_is(type, "Limb") || tn_text_is(type, "Root");
    }
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++)
        if (importer->objects[i].kind == FBX_GEOMETRY) fbx_import_rules_skin(rules, i);
    if (!importer->builder->failed) fbx_import_rules_scales(rules);
    for (uint32_t i = 0; i < importer->object_count && !importer->builder->failed; i++)
        if (importer->objects[i].kind == FBX_CURVE_NODE) fbx_import_rules_curve_node(rules, i);
}

void fbx_import_check(tn_check *check, const void *any)
{
    static const tenon_events no_events = {0};
    const tenon_fbx *doc = any;
    const uint64_t limit = doc->base.owner->arena.limit;
    const tenon_scene_opts opts = {.allocator = check->opts->allocator};
    tenon_error err = {0};
    tn_scene_builder builder = {
        .opts = &opts,
        .err = &err,
        .pulse = {.events = &no_events, .budget = check->opts->allocator.budget}};
    fbx_importer importer = {
        .builder = &builder,
        .doc = doc,
        .version = doc->version,
        .is_old = doc->version && doc->version < 7000,
        // Objects take more memory than the nodes that they are made from.
        .scratch =
            tn_arena_make(&check->opts->allocator, limit < UINT64_MAX / 4 ? 4 * limit : UINT64_MAX),
    };
    builder.arena = &importer.scratch;
    fbx_rule_check rules = {.check = check, .importer = &importer};
    fbx_import_rules_apply(&rules);
    tn_pulse_end(&builder.pulse);
    // Arrays that are damaged or too large are findings of another rule.
    if (builder.failed && err.code == TENON_ERR_MEMORY) tn_check_fail(check, &err);
    tn_arena_free(&importer.scratch);
}
