// gpb_export_tree.c: plans the tree of nodes, and exports it with models, cameras and lights.
// SPDX-License-Identifier: MIT

#include "formats/gpb/export/gpb_export.h"

#include "core/math/sort.h"
#include "core/math/tree_links.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "exchange/bind_matrices.h"

#include <math.h>
#include <string.h>

#define GPB_PALETTE_MOST 37  // Joints that fit into the uniforms of every device.
#define GPB_ASPECT_RATIO (4.0 / 3)
#define GPB_NEAR_PLANE   0.01
#define GPB_FAR_PLANE    1000.0  // Relative to the near plane.

// -- Planning nodes
//
// The engine stores scale, rotation and translation: a sheared transform needs two nodes. It
// transforms skinned vertices by their joints and then by the node of the mesh, and it removes the
// whole tree that contains the joints from the scene. So the node of a skinned mesh must be at the
// origin, in a tree without joints.
//
// The engine stores the inverse bind matrix in the joint. If skins have different matrices for a
// node, or one skin contains a node twice, an additional joint below the node gets the other
// matrix.

bool gpb_is_skinned(const gpb_exporter *exporter, uint32_t node)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    return n->skin != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
}

// Add a root node without a transform for a node of the scene. NULL if the exporter has failed.
static gpb_node_plan *gpb_add_node(gpb_exporter *exporter, uint32_t origin, const char *suffix)
{
    tenon_str name = gpb_join(exporter, exporter->nodes[origin].name, suffix);
    if (exporter->node_count == exporter->node_room) {
        uint64_t room = 2 * (uint64_t)exporter->node_room + 16;
        gpb_node_plan *larger = gpb_alloc(exporter, room, sizeof *larger);
        if (larger && room >= TENON_NONE)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many nodes");
        if (exporter->failed) return NULL;
        memcpy(larger, exporter->nodes, exporter->node_count * sizeof *larger);
        exporter->nodes = larger;
        exporter->node_room = (uint32_t)room;
    }
    gpb_node_plan *node = &exporter->nodes[exporter->node_count++];
    *node = (gpb_node_plan){.origin = origin,
                            .name = name,
                            .parent = TENON_NONE,
                            .local = tn_mat4_identity(),
                            .source = TENON_NONE,
                            .mesh_node = TENON_NONE};
    return exporter->failed ? NULL : node;
}

// Split a sheared transform, m = u s v^T: the upper node rotates by u and scales by s. The lower
// node, which represents the node of the scene, rotates by v^T.
static void gpb_split_sheared(gpb_exporter *exporter, uint32_t node)
{
    tn_mat4 matrix = exporter->nodes[node].local;
    tn_trs trs;
    if (!exporter->scene->nodes[node].has_matrix || exporter->has_channel[node]) return;
    if (!(tn_mat4_decompose(&matrix, &trs) & TN_TRS_SHEARED)) return;
    tn_mat3 linear = tn_mat4_upper(&matrix);
    tn_svd svd = tn_mat3_svd(&linear);
    tn_mat3 scale = {{svd.s.x, 0, 0, 0, svd.s.y, 0, 0, 0, svd.s.z}};
    tn_mat3 outer = tn_mat3_mul(&svd.u, &scale), inner = tn_mat3_transpose(&svd.v);
    gpb_node_plan *upper = gpb_add_node(exporter, node, "_shear");
    if (!upper) return;
    upper->parent = exporter->nodes[node].parent;
    upper->local = tn_mat4_from_mat3(&outer, (tn_vec3){matrix.m[12], matrix.m[13], matrix.m[14]});
    exporter->nodes[node].parent = (uint32_t)(upper - exporter->nodes);
    exporter->nodes[node].local = tn_mat4_from_mat3(&inner, (tn_vec3){0, 0, 0});
    tn_tally_at(&exporter->lost.shear, 1, "nodes", node);
}

void gpb_plan_nodes(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint32_t count = scene->node_count;
    bool *has_channel = gpb_alloc(exporter, count, sizeof *has_channel);
    bool *has_children = gpb_alloc(exporter, count, sizeof *has_children);
    bool *stays = gpb_alloc(exporter, count, sizeof *stays);  // At the origin, for ever.
    uint32_t *roots = gpb_alloc(exporter, count, sizeof *roots);
    bool *has_joints = gpb_alloc(exporter, count, sizeof *has_joints);  // Trees, by root.
    if (exporter->failed) return;
    for (uint32_t i = 0; i < scene->animation_count; i++)
        for (uint32_t k = 0; k < scene->animations[i].channel_count; k++)
            has_channel[scene->animations[i].channels[k].node] = true;
    exporter->has_channel = has_channel;
    // Plan the nodes of the scene. The last row of a matrix is ignored by the engine and in poses.
    exporter->nodes = gpb_alloc(exporter, scene->node_count, sizeof *exporter->nodes);
    if (exporter->failed) return;
    exporter->node_count = exporter->node_room = scene->node_count;
    for (uint32_t i = 0; i < scene->node_count; i++) {
        const tenon_node *n = &scene->nodes[i];
        bool is_drawn = n->mesh != TENON_NONE && exporter->meshes[n->mesh].is_drawn;
        tn_mat4 local = tn_node_local(n);
        tn_tally_at(&exporter->lost.projection, !tn_mat4_is_affine(&local), "nodes", i);
        for (int k = 0; k < 4; k++) local.m[4 * k + 3] = k == 3;
        exporter->nodes[i] = (gpb_node_plan){.origin = i,
                                             .name = n->name,
                                             .parent = n->parent,
                                             .local = local,
                                             .is_joint = n->is_joint,
                                             .source = i,
                                             .mesh_node = is_drawn ? i : TENON_NONE};
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        uint32_t parent = scene->nodes[i].parent;
        bool is_root = parent == TENON_NONE;
        roots[i] = is_root ? i : roots[parent];
        // As floats, as in the file.
        stays[i] = (is_root || stays[parent]) && !exporter->moves[i] && !has_channel[i];
        for (int k = 0; k < 16; k++)
            if (tn_to_float(exporter->nodes[i].local.m[k]) != (float)(k % 5 == 0)) stays[i] = false;
        if (!is_root) has_children[parent] = true;
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        if (!gpb_is_skinned(exporter, i)) continue;
        const tenon_skin *skin = &scene->skins[scene->nodes[i].skin];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            exporter->nodes[skin->joints[k]].is_joint = true;
            has_joints[roots[skin->joints[k]]] = true;
        }
    }
    for (uint32_t i = 0; i < count && !exporter->failed; i++) {
        const tenon_node *n = &scene->nodes[i];
        gpb_node_plan *plan = &exporter->nodes[i];
        bool is_skinned = plan->mesh_node != TENON_NONE && n->skin != TENON_NONE;
        bool is_apart = !has_joints[roots[i]];
        bool is_bare = !has_children[i] && n->camera == TENON_NONE && n->light == TENON_NONE &&
                       !plan->is_joint && !has_channel[i];
        if (plan->mesh_node != TENON_NONE && !is_skinned) exporter->meshes[n->mesh].is_rigid = true;
        if (is_skinned) exporter->meshes[n->mesh].is_skinned = true;
        // Move a node with a skinned mesh to the origin, outside of trees with joints. If it has
        // more than the mesh, a new node gets the mesh instead.
        if (is_skinned && !(is_apart && stays[i]) && is_bare) {
            bool keeps_parent = is_apart && n->parent != TENON_NONE && stays[n->parent];
            if (!keeps_parent) plan->parent = TENON_NONE;
            plan->local = tn_mat4_identity();
            tn_tally_at(&exporter->lost.places, 1, "nodes", i);
        } else if (is_skinned && !(is_apart && stays[i])) {
            plan->mesh_node = TENON_NONE;
            gpb_node_plan *model_node = gpb_add_node(exporter, i, "_model");
            if (model_node) model_node->mesh_node = i;
            tn_tally_at(&exporter->lost.model_nodes, 1, "nodes", i);
        }
        // A bare node that was moved to the origin is no longer sheared.
        if (!exporter->failed) gpb_split_sheared(exporter, i);
    }
}

// -- Joints

// Joint number `index` of a skin.
typedef struct gpb_bind {
    uint32_t skin, index, node;
    const float *matrix;
} gpb_bind;

static int gpb_compare_matrices(const float *a, const float *b)
{
    for (int i = 0; i < 16; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool gpb_bind_before(const void *context, uint32_t a, uint32_t b)
{
    const gpb_bind *x = &((const gpb_bind *)context)[a], *y = &((const gpb_bind *)context)[b];
    if (x->node != y->node) return x->node < y->node;
    return gpb_compare_matrices(x->matrix, y->matrix) < 0;
}

void gpb_plan_joints(gpb_exporter *exporter)
{
    const tenon_scene *scene = exporter->scene;
    uint64_t room = 0;
    exporter->joints = gpb_alloc(exporter, scene->skin_count, sizeof *exporter->joints);
    for (uint32_t i = 0; i < scene->node_count && !exporter->failed; i++) {
        uint32_t skin = scene->nodes[i].skin;
        if (!gpb_is_skinned(exporter, i) || exporter->joints[skin]) continue;
        exporter->joints[skin] =
            gpb_alloc(exporter, scene->skins[skin].joint_count, sizeof *exporter->joints[skin]);
        room += scene->skins[skin].joint_count;
    }
    if (room >= TENON_NONE)
        exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT, "too many joints");
    // All joints of all skins in use, in the order of the skins.
    gpb_bind *binds = gpb_alloc(exporter, room, sizeof *binds);
    uint32_t *sorted = gpb_alloc(exporter, room, 2 * sizeof *sorted);
    const float **shared = exporter->failed ? NULL : tn_shared_bind_matrices(exporter->export);
    exporter->failed = exporter->failed || !shared;
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->skin_count && !exporter->failed; i++) {
        const tenon_skin *skin = &scene->skins[i];
        for (uint32_t k = 0; exporter->joints[i] && k < skin->joint_count; k++)
            binds[count++] = (gpb_bind){i, k, skin->joints[k], shared[k]};
        shared += skin->joint_count;
    }
    if (exporter->failed) return;
    tn_sort_all(sorted, count, gpb_bind_before, binds);
    for (uint32_t first = 0, end; first < count && !exporter->failed; first = end) {
        for (end = first + 1; end < count && binds[sorted[end]].node == binds[sorted[first]].node;)
            end++;
        // Binds sorted[first] to sorted[end - 1] are of one node. The node itself gets the matrix
        // of the first skin, and each other matrix gets an additional joint.
        uint32_t earliest = sorted[first], joint = TENON_NONE;
        for (uint32_t i = first; i < end; i++)
            if (sorted[i] < earliest) earliest = sorted[i];
        for (uint32_t i = first; i < end && !exporter->failed; i++) {
            const gpb_bind *bind = &binds[sorted[i]];
            bool is_same = i > first && !gpb_bind_before(binds, sorted[i - 1], sorted[i]);
            bool is_main = gpb_compare_matrices(bind->matrix, binds[earliest].matrix) == 0;
            if (!is_same && is_main) joint = bind->node;
            if (!is_same && !is_main) {
                gpb_node_plan *copy = gpb_add_node(exporter, bind->node, "_bind");
                if (!copy) return;
                copy->parent = bind->node;
                copy->is_joint = true;
                joint = (uint32_t)(copy - exporter->nodes);
                tn_tally_at(&exporter->lost.bind_joints, 1, "nodes", bind->node);
            }
            exporter->joints[bind->skin][bind->index] = joint;
        }
    }
}

// -- Cameras, lights and models

// In a scene, aspect ratio and planes are optional.
static void gpb_export_camera(gpb_exporter *exporter, uint32_t node, tenon_gpb_camera *camera)
{
    uint32_t index = exporter->scene->nodes[node].camera;
    if (index == TENON_NONE) return;
    const tenon_camera *from = &exporter->scene->cameras[index];
    bool is_flat = from->is_orthographic;
    bool has_aspect = from->aspect_ratio > 0, has_near = from->near_plane > 0 || is_flat;
    double near_plane = has_near ? from->near_plane : GPB_NEAR_PLANE;
    bool has_far = from->far_plane > near_plane;
    double far_plane = GPB_FAR_PLANE * (near_plane > 0 ? near_plane : 1);
    double aspect = has_aspect ? from->aspect_ratio : GPB_ASPECT_RATIO;
    if (!has_aspect && is_flat && from->half_height > 0 && from->half_width > 0)
        aspect = from->half_width / from->half_height;
    camera->camera_type = is_flat ? 2 : 1;
    camera->aspect_ratio = gpb_narrow(exporter, aspect);
    camera->near_plane = gpb_narrow(exporter, near_plane);
    camera->far_plane = gpb_narrow(exporter, has_far ? from->far_plane : far_plane);
    if (is_flat) {
        camera->magnification[0] = gpb_narrow(exporter, 2 * from->half_width);
        camera->magnification[1] = gpb_narrow(exporter, 2 * from->half_height);
    } else {
        camera->field_of_view = gpb_narrow(exporter, tn_degrees(from->field_of_view));
    }
    tn_tally_at(&exporter->lost.camera_numbers, !has_aspect || !has_near || !has_far, "cameras",
                index);
    camera->reference = gpb_add_reference(exporter, TENON_GPB_CAMERA, from->name, index);
}

// In the engine, the intensity is part of the color. The importer finds the same intensity if it is
// above 1 and the color has a component of 1.
static void gpb_export_light(gpb_exporter *exporter, uint32_t node, tenon_gpb_light *light)
{
    uint32_t index = exporter->scene->nodes[node].light;
    if (index == TENON_NONE) return;
    const tenon_light *from = &exporter->scene->lights[index];
    bool has_range = from->range > 0 || from->kind == TENON_DIRECTIONAL_LIGHT;
    double faded = sqrt(GPB_FADED * (from->intensity > 0 ? from->intensity : 1));
    double most = 0, brightest = from->color[0];
    for (int k = 0; k < 3; k++) {
        light->color[k] = gpb_narrow(exporter, from->color[k] * from->intensity);
        if (light->color[k] > most) most = light->color[k];
        if (from->color[k] > brightest) brightest = from->color[k];
    }
    bool is_kept = from->intensity == 1 ? brightest <= 1 : most > 1 && brightest == 1;
    tn_tally_at(&exporter->lost.intensities, !is_kept, "lights", index);
    light->light_type = (uint8_t)(from->kind + 1);
    if (from->kind != TENON_DIRECTIONAL_LIGHT)
        light->range = gpb_narrow(exporter, has_range ? from->range : faded);
    if (from->kind == TENON_SPOT_LIGHT) {
        light->inner_angle = gpb_narrow(exporter, from->inner_angle);
        light->outer_angle = gpb_narrow(exporter, from->outer_angle);
    }
    tn_tally_at(&exporter->lost.ranges, !has_range, "lights", index);
    light->reference = gpb_add_reference(exporter, TENON_GPB_LIGHT, from->name, index);
}

static void gpb_export_model(gpb_exporter *exporter, uint32_t node, tenon_gpb_model *model)
{
    const tenon_node *n = &exporter->scene->nodes[node];
    const gpb_mesh_plan *mesh = &exporter->meshes[n->mesh];
    const tenon_primitive *primitives = exporter->scene->meshes[n->mesh].primitives;
    model->mesh = mesh->xref;
    model->has_skin = n->skin != TENON_NONE;
    model->materials = gpb_alloc(exporter, mesh->part_count, sizeof *model->materials);
    if (model->has_skin) {
        const tenon_skin *from = &exporter->scene->skins[n->skin];
        tenon_gpb_skin *skin = &model->skin;
        for (int i = 0; i < 16; i += 5) skin->bind_shape[i] = 1;
        skin->root_joint = (tenon_str){"", 0};
        skin->joints = gpb_alloc(exporter, from->joint_count, sizeof *skin->joints);
        skin->bind_poses =
            gpb_make_span(exporter, from->inverse_binds, from->joint_count, &gpb_matrix_layout);
        if (exporter->failed) return;
        skin->joint_count = from->joint_count;
        for (uint32_t i = 0; i < from->joint_count; i++)
            skin->joints[i] = exporter->nodes[exporter->joints[n->skin][i]].xref;
        tn_tally_at(&exporter->lost.palettes, from->joint_count > GPB_PALETTE_MOST, "skins",
                    n->skin);
    }
    bool has_any = false;
    for (uint32_t i = 0; i < mesh->part_count && !exporter->failed; i++) {
        const gpb_material_plan *plan =
            gpb_find_material(exporter, node, &primitives[mesh->parts[i]]);
        tenon_gpb_material *material = &model->materials[i];
        *material = (tenon_gpb_material){.name = {"", 0}, .effect = {"", 0}};
        if (!plan) continue;
        material->name = plan->name;
        gpb_export_parameters(exporter, plan->source, material);
        has_any = has_any || plan->name.size || material->parameter_count;
    }
    // Old encoders wrote no names.
    model->material_count = has_any ? mesh->part_count : 0;
}

// -- Extras of the scene

// The first node with a camera that has this name; any name if `name` is NULL.
static uint32_t gpb_find_camera(const gpb_exporter *exporter, const tenon_str *name)
{
    for (uint32_t i = 0; i < exporter->scene->node_count; i++) {
        const tenon_node *n = &exporter->scene->nodes[i];
        if (n->camera != TENON_NONE && (!name || tn_text_equal(n->name, *name))) return i;
    }
    return TENON_NONE;
}

// Export the active camera and the ambient color.
static void gpb_export_extras(gpb_exporter *exporter, tenon_gpb_scene *scene)
{
    static const tenon_str ambient = {"ambient_color", 13}, active = {"active_camera", 13};
    const tenon_scene *from = exporter->scene;
    const tenon_str *camera = NULL;
    for (uint32_t i = 0; i < from->extra_count; i++) {
        const tenon_extra *extra = &from->extras[i];
        bool is_own = extra->of == TENON_EXTRA_OF_SCENE;
        bool is_camera = is_own && tn_text_equal(extra->name, active);
        // "0.1/0.2/0.3"
        tenon_str rest = extra->value;
        bool is_color = is_own && tn_text_equal(extra->name, ambient);
        for (int k = 0; k < 3 && is_color; k++) {
            tenon_str word = tn_text_cut(&rest, '/');
            is_color = !rest.data == (k == 2) &&
                       tn_f32_parse(word.data, word.size, &scene->ambient_color[k]);
        }
        bool is_parameter = exporter->effects && gpb_is_parameter(extra);
        if (is_camera) camera = &extra->value;
        tn_tally_at(&exporter->lost.extras, !is_camera && !is_color && !is_parameter, "extras", i);
    }
    // Without a name, the first camera is the active one, as in the encoder.
    uint32_t node = gpb_find_camera(exporter, camera);
    if (node == TENON_NONE && camera) node = gpb_find_camera(exporter, NULL);
    if (node != TENON_NONE) {
        scene->active_camera = exporter->nodes[node].xref;
        tn_tally_at(&exporter->lost.active_camera, !camera, "nodes", node);
    }
    // Count the cameras and lights that several nodes use, or none.
    gpb_export_losses *lost = &exporter->lost;
    uint32_t *cameras = gpb_alloc(exporter, from->camera_count, sizeof *cameras);
    uint32_t *lights = gpb_alloc(exporter, from->light_count, sizeof *lights);
    for (uint32_t i = 0; i < from->node_count && !exporter->failed; i++) {
        const tenon_node *n = &from->nodes[i];
        if (n->camera != TENON_NONE) cameras[n->camera]++;
        if (n->light != TENON_NONE) lights[n->light]++;
    }
    for (uint32_t i = 0; i < from->camera_count && !exporter->failed; i++) {
        tn_tally_at(&lost->cameras, cameras[i] == 0, "cameras", i);
        tn_tally_at(&lost->shared_cameras, cameras[i] > 1, "cameras", i);
    }
    for (uint32_t i = 0; i < from->light_count && !exporter->failed; i++) {
        tn_tally_at(&lost->lights, lights[i] == 0, "lights", i);
        tn_tally_at(&lost->shared_lights, lights[i] > 1, "lights", i);
    }
}

// -- The tree

// A node in the order of writing, and its depth.
typedef struct gpb_ordered_node {
    uint32_t node, depth;
} gpb_ordered_node;

// Append a list of siblings to the order. Returns how many there are.
static uint32_t gpb_append_siblings(const tn_tree_link *links, uint32_t first, uint32_t depth,
                                    gpb_ordered_node *order)
{
    uint32_t count = 0;
    for (uint32_t at = first; at != TN_NO_NODE; at = links[at].next_sibling)
        order[count++] = (gpb_ordered_node){at, depth};
    return count;
}

// Siblings are neighbors, so one array contains all nodes.
void gpb_export_tree(gpb_exporter *exporter, tenon_gpb_scene *scene)
{
    uint32_t node_count = exporter->node_count;
    tn_tree_link *links = gpb_alloc(exporter, node_count, sizeof *links);
    gpb_ordered_node *order = gpb_alloc(exporter, node_count, sizeof *order);
    tenon_gpb_node *nodes = gpb_alloc(exporter, node_count, sizeof *nodes);
    if (exporter->failed) return;
    // Link the nodes to trees, in the order of the scene. Added nodes are last, but the upper node
    // of a sheared one takes its place.
    uint32_t root = TN_NO_NODE;
    for (uint32_t i = 0; i < node_count; i++)
        links[i] = (tn_tree_link){exporter->nodes[i].parent, TN_NO_NODE, TN_NO_NODE};
    for (uint32_t i = node_count; i-- > 0;) {
        uint32_t origin = exporter->nodes[i].origin, parent = exporter->nodes[i].parent;
        bool is_upper = origin != i && exporter->nodes[origin].parent == i;
        if (is_upper) continue;
        tn_tree_put_first(links, node_count, i, &root);
        bool is_lower = origin == i && parent != TENON_NONE && exporter->nodes[parent].origin == i;
        if (is_lower) tn_tree_put_first(links, node_count, parent, &root);
    }
    uint32_t count = gpb_append_siblings(links, root, 0, order);
    scene->nodes = nodes;
    scene->node_count = count;
    scene->active_camera = (tenon_str){"", 0};
    for (uint32_t i = 0; i < node_count && !exporter->failed; i++) {
        const gpb_node_plan *from = &exporter->nodes[order[i].node];
        tenon_gpb_node *to = &nodes[i];
        if (order[i].depth >= TN_DEPTH_MAX)
            exporter->failed = !tn_error(exporter->export->err, TENON_ERR_LIMIT,
                                         "nodes[%u] has %d ancestors: this is too deep to be read",
                                         from->origin, TN_DEPTH_MAX);
        to->children = nodes + count;
        to->child_count = gpb_append_siblings(links, links[order[i].node].first_child,
                                              order[i].depth + 1, order + count);
        count += to->child_count;
        to->reference = from->reference;
        to->node_type = from->is_joint ? 2 : 1;
        for (int k = 0; k < 16; k++) to->transform[k] = gpb_narrow(exporter, from->local.m[k]);
        to->parent_id = (tenon_str){"", 0};
        to->camera.reference = to->light.reference = TENON_NONE;
        to->model.mesh = (tenon_str){"", 0};
        if (from->source != TENON_NONE) {
            gpb_export_camera(exporter, from->source, &to->camera);
            gpb_export_light(exporter, from->source, &to->light);
        }
        if (from->mesh_node != TENON_NONE) gpb_export_model(exporter, from->mesh_node, &to->model);
    }
    gpb_export_extras(exporter, scene);
}
