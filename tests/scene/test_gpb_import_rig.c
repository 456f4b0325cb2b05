// test_gpb_import_rig.c: where the skinned meshes of gameplay bundles are, wherever their skeletons
// are.
// SPDX-License-Identifier: MIT

#include "gpb_direct.h"
#include "gpb_import_help.h"
#include "hand_scene.h"

// -- The arm

// Compare the four vertices of the arm with what was computed by hand.
static void check_arm(const tenon_scene *s, uint32_t clip, double seconds, const double want[4][3])
{
    float got[12] = {0};
    tenon_error err;
    tenon_pose *pose = tenon_pose_new(s, NULL, &err);
    tenon_pose_set(pose, clip, seconds);
    tenon_pose_skin(pose, node_named(s, "body"), 0, got, NULL);
    for (int i = 0; i < 12; i++) CHECK(close_to(got[i], want[i / 3][i % 3], 1e-6));
    tenon_pose_free(pose);
}

static const double arm_at_rest[4][3] = {{-0.25, 0, 0}, {0.25, 0, 0}, {-0.25, 1, 0}, {0.25, 1, 0}};

// The body twice as large, and ten to the right.
static const float large[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 10, 0, 0, 1};
static const double large_at_rest[4][3] = {{9.5, 0, 0}, {10.5, 0, 0}, {9.5, 2, 0}, {10.5, 2, 0}};
// The hand rotates by a quarter turn around Y: what was at X is at -Z.
static const double large_turned[4][3] = {{9.5, 0, 0}, {10.5, 0, 0}, {10, 2, 0.5}, {10, 2, -0.5}};

TEST(a_skin_moves_its_mesh)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_scene *s = scene_of(doc, NULL, NULL);
    const double turned[4][3] = {{-0.25, 0, 0}, {0.25, 0, 0}, {0, 1, 0.25}, {0, 1, -0.25}};
    CHECK(s->node_count == 4 && s->skins[0].joint_count == 2);
    CHECK(s->nodes[node_named(s, "hand")].parent == node_named(s, "arm"));
    check_arm(s, TENON_NONE, 0, arm_at_rest);
    check_arm(s, 0, 0.5, turned);
    done(s, doc);
}

TEST(the_node_of_a_skinned_mesh_moves_it_too)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    scene->nodes[1].children[0].light.light_type = 0;
    memcpy(scene->nodes[2].transform, large, sizeof large);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    check_arm(s, TENON_NONE, 0, large_at_rest);
    check_arm(s, 0, 0.5, large_turned);
    CHECK(s->node_count == 4 && s->nodes[node_named(s, "arm")].parent == node_named(s, "body"));
    CHECK(lost_count(&lost, "parents of skeletons") == 1 && lost_count(&lost, "joints") == 0);
    done(s, doc);
}

TEST(a_skeleton_with_other_nodes_stays_and_is_copied)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    memcpy(scene->nodes[2].transform, large, sizeof large);
    tenon_scene *s = scene_of(doc, NULL, &lost);
    check_arm(s, TENON_NONE, 0, large_at_rest);
    check_arm(s, 0, 0.5, large_turned);
    CHECK(s->node_count == 6 && s->nodes[node_named(s, "arm")].parent == TENON_NONE);
    CHECK(s->nodes[node_named(s, "hand")].light == 0 && lost_count(&lost, "joints") == 2);
    // The lamp rotates as well, where it was.
    CHECK(s->animations[0].channel_count == 8);
    done(s, doc);
}

TEST(a_mesh_inside_of_its_own_skeleton_is_moved_twice)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    tenon_gpb_node *arm = &scene->nodes[1];
    tenon_gpb_node *children = tenon_doc_alloc(&doc->base, 2 * sizeof *children);
    if (!children) abort();
    arm->children[0].light.light_type = 0;
    children[0] = arm->children[0];
    children[1] = scene->nodes[2];
    *arm =
        (tenon_gpb_node){arm->reference, 2, {0}, {"", 0}, 2, children, .model = {.mesh = {"", 0}}};
    memcpy(arm->transform, large, sizeof large);
    scene->node_count = 2;
    // World of the arm, twice: x -> 2 (2 x + 10) + 10.
    const double want[4][3] = {{29, 0, 0}, {31, 0, 0}, {29, 4, 0}, {31, 4, 0}};
    tenon_scene *s = scene_of(doc, NULL, NULL);
    check_arm(s, TENON_NONE, 0, want);
    CHECK(s->node_count == 5);  // The arm twice, since the mesh needs it; the hand once.
    done(s, doc);
}

TEST(the_bind_shape_comes_first)
{
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    memcpy(scene->nodes[2].model.skin.bind_shape, large, sizeof large);
    tenon_scene *s = scene_of(doc, NULL, NULL);
    check_arm(s, TENON_NONE, 0, large_at_rest);
    done(s, doc);
}

TEST(missing_joints_are_synthesized)
{
    losses lost = {0};
    tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
    tenon_gpb_skin *skin = &gpb_block(doc, TENON_GPB_SCENE)->body.scene.nodes[2].model.skin;
    skin->joints[1] = (tenon_str){"#claw", 5};
    skin->bind_poses.count = 1;
    tenon_scene *s = scene_of(doc, NULL, &lost);
    CHECK(node_named(s, "claw") == s->skins[0].joints[1] && s->skins[0].root == TENON_NONE);
    CHECK(lost_count(&lost, "joints") == 1 && lost_count(&lost, "inverse bind matrices") == 1);
    CHECK_STR(lost_path(&lost, "joints"), "blocks[1].scene.nodes[2].model.skin.joints[1]");
    check_arm(s, TENON_NONE, 0, arm_at_rest);
    done(s, doc);
}

// -- Any tree

#define NODES 14

static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static float some(void)
{
    return (float)below(4096) / 1024 - 2;
}

// Scale, rotation and translation of a key; the rotation is of length 1.
static void random_key(float key[10])
{
    double length = 0;
    for (int i = 0; i < 10; i++) key[i] = some();
    for (int i = 0; i < 3; i++) key[i] = 0.5f + (float)below(1024) / 1024;
    for (int i = 3; i < 7; i++) length += (double)key[i] * key[i];
    if (length < 0.01) key[6] = 1, length += 1;
    for (int i = 3; i < 7; i++) key[i] = (float)(key[i] / sqrt(length));
}

static void random_matrix(float m[16])
{
    float key[10];
    double q[4], turn[9];
    random_key(key);
    for (int i = 0; i < 4; i++) q[i] = key[3 + i];
    direct_set_turn(q, turn);
    memset(m, 0, 16 * sizeof *m);
    for (int k = 0; k < 3; k++) {
        for (int row = 0; row < 3; row++) m[4 * k + row] = (float)turn[3 * k + row] * key[k];
        m[12 + k] = key[7 + k];
    }
    m[15] = 1;
}

static void random_skin(tenon_gpb *doc, tenon_gpb_node *node)
{
    static const char *const xrefs[NODES] = {"#a", "#b", "#c", "#d", "#e", "#f", "#g",
                                             "#h", "#i", "#j", "#k", "#l", "#m", "#n"};
    tenon_gpb_skin *skin = &node->model.skin;
    float poses[32];
    skin->joints = tenon_doc_alloc(&doc->base, 2 * sizeof *skin->joints);
    if (!skin->joints) abort();
    uint32_t first = below(NODES), second = (first + 1 + below(NODES - 1)) % NODES;
    skin->joints[0] = hand_text(xrefs[first]);
    skin->joints[1] = hand_text(xrefs[second]);
    random_matrix(poses);
    random_matrix(poses + 16);
    uint8_t *bytes = tenon_doc_alloc(&doc->base, sizeof poses);
    if (!bytes) abort();
    wire_copy(bytes, poses, sizeof poses / 4, 4);
    skin->bind_poses.data = bytes;
    if (below(2)) random_matrix(skin->bind_shape);
}

// A node of a random tree; those below it follow it in the alphabet.
static void random_node(tenon_gpb *doc, tenon_gpb_node *node, const tenon_gpb_node *body,
                        uint32_t number)
{
    *node = (tenon_gpb_node){.reference = number,
                             .node_type = 1 + below(2),
                             .parent_id = {"", 0},
                             .model = {.mesh = {"", 0}}};
    random_matrix(node->transform);
    for (int i = 0; i < 16 && number % 2; i++) node->transform[i] = i % 5 == 0;
    if (below(6) == 0) node->light = (tenon_gpb_light){.light_type = 1, .reference = TENON_NONE};
    if (below(3)) return;
    node->model = body->model;
    node->model.has_skin = below(4) > 0;
    if (node->model.has_skin) random_skin(doc, node);
}

static void random_tree(tenon_gpb *doc)
{
    static const char *const ids[NODES] = {"a", "b", "c", "d", "e", "f", "g",
                                           "h", "i", "j", "k", "l", "m", "n"};
    tenon_gpb_scene *scene = &gpb_block(doc, TENON_GPB_SCENE)->body.scene;
    tenon_gpb_node body = scene->nodes[2], nodes[NODES];
    uint32_t parents[NODES], mesh = gpb_block(doc, TENON_GPB_MESH)->reference;
    tenon_gpb_reference *references = tenon_doc_alloc(&doc->base, (NODES + 1) * sizeof *references);
    if (!references) abort();
    references[NODES] = doc->references[mesh];
    for (uint32_t i = 0; i < NODES; i++) {
        references[i] = (tenon_gpb_reference){hand_text(ids[i]), TENON_GPB_NODE, 0};
        random_node(doc, &nodes[i], &body, i);
        parents[i] = i && below(4) ? below(i) : TENON_NONE;
    }
    doc->references = references;
    doc->reference_count = NODES + 1;
    for (uint32_t i = 0; i < doc->block_count; i++) doc->blocks[i].reference = TENON_NONE;
    gpb_block(doc, TENON_GPB_MESH)->reference = NODES;
    // Children are finished before they are copied to their parents.
    for (uint32_t i = NODES + 1; i-- > 0;) {
        uint32_t parent = i ? i - 1 : TENON_NONE, count = 0;
        tenon_gpb_node *children = tenon_doc_alloc(&doc->base, NODES * sizeof *children);
        if (!children) abort();
        for (uint32_t k = 0; k < NODES; k++)
            if (parents[k] == parent) children[count++] = nodes[k];
        if (i) nodes[i - 1].children = children, nodes[i - 1].child_count = count;
        if (!i) scene->nodes = children, scene->node_count = count;
    }
}

// Two animations of different lengths that move some nodes, wherever they are.
static void random_motion(tenon_gpb *doc)
{
    static const char *const ids[2][4] = {{"a", "d", "g", "m"}, {"b", "c", "f", "n"}};
    tenon_gpb_animations *all = &gpb_block(doc, TENON_GPB_ANIMATIONS)->body.animations;
    tenon_gpb_channel model = all->animations[0].channels[0];
    for (uint32_t i = 0; i < 2; i++) {
        tenon_gpb_channel *channels = tenon_doc_alloc(&doc->base, 4 * sizeof *channels);
        if (!channels) abort();
        for (uint32_t k = 0; k < 4; k++) {
            const uint32_t times[2] = {0, 1000 + 500 * i};
            float keys[20];
            random_key(keys);
            random_key(keys + 10);
            channels[k] = model;
            channels[k].target_id = hand_text(ids[i][k]);
            channels[k].target_attribute = 17;
            own_span(doc, &channels[k].key_times, times, 2);
            own_span(doc, &channels[k].values, keys, 20);
        }
        all->animations[i] = (tenon_gpb_animation){
            .id = all->animations[i].id, .channel_count = 2 + below(3), .channels = channels};
    }
}

TEST(skinned_meshes_are_in_place_in_any_tree)
{
    static direct d;
    losses lost = {0};
    double most = 0;
    for (uint32_t round = 0; round < 400; round++) {
        tenon_gpb *doc = gpb_open_copy(GPB_SCENE);
        tenon_error err;
        random_state = 1 + round;
        random_tree(doc);
        random_motion(doc);
        direct_begin(&d, doc);
        tenon_scene *s = scene_of(doc, NULL, round < 50 ? &lost : NULL);
        tenon_pose *pose = tenon_pose_new(s, NULL, &err);
        if (!pose) abort();
        most = fmax(most, direct_compare(&d, s, pose, TENON_NONE, 0));
        CHECK(s->animation_count == 2);
        for (uint32_t i = 0; i < s->animation_count; i++) {
            most = fmax(most, direct_compare(&d, s, pose, i, 0));
            most = fmax(most, direct_compare(&d, s, pose, i, s->animations[i].duration));
        }
        tenon_pose_free(pose);
        done(s, doc);
    }
    if (!(most <= 1e-5)) fprintf(stderr, "off by %g of the diagonal\n", most);
    CHECK(most <= 1e-5);
    CHECK(lost_count(&lost, "parents of skeletons") > 0 && lost_count(&lost, "joints") > 0);
}

int main(void)
{
    RUN(a_skin_moves_its_mesh);
    RUN(the_node_of_a_skinned_mesh_moves_it_too);
    RUN(a_skeleton_with_other_nodes_stays_and_is_copied);
    RUN(a_mesh_inside_of_its_own_skeleton_is_moved_twice);
    RUN(the_bind_shape_comes_first);
    RUN(missing_joints_are_synthesized);
    RUN(skinned_meshes_are_in_place_in_any_tree);
    TEST_END();
}
