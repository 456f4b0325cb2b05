// test_rig.c: all meshes of a scene, moved by one list of bones.
// SPDX-License-Identifier: MIT

#include "exchange/rig.h"
#include "motion_help.h"

// -- Scenes

static float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

static float binds[][16] = {
    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1},
    {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 5, 0, 1},
};

// A skin of `count` joints, whose inverse binds follow each other in `from`.
static uint32_t add_skin(hand *h, uint32_t *joints, uint32_t count, float *from)
{
    h->skins[h->scene.skin_count] = (tenon_skin){.name = hand_text("skin"),
                                                 .root = TENON_NONE,
                                                 .joint_count = count,
                                                 .joints = joints,
                                                 .inverse_binds = from};
    return h->scene.skin_count++;
}

// A triangle on a separate node that the joints of a skin move.
static tenon_primitive *add_skinned(hand *h, uint32_t skin, uint32_t influences, uint16_t *joints,
                                    float *weights)
{
    uint32_t node = hand_node(h, "skinned", TENON_NONE);
    tenon_primitive *p = hand_mesh(h, "mesh", node, triangle, 3);
    h->nodes[node].skin = skin;
    p->influence_count = influences;
    p->joints = joints;
    p->weights = weights;
    return p;
}

static void check_scene(const tenon_scene *scene)
{
    tenon_error err;
    bool holds = tenon_scene_check(scene, &err);
    if (!holds) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(holds);
}

static void make_rig(writing *w, const tenon_scene *scene, tn_rigid rigid, bool keep, tn_rig *rig)
{
    check_scene(scene);
    writing_begin(w, scene, NULL);
    CHECK(tn_rig_make(&w->e, rigid, keep, rig));
    CHECK(w->err.code == TENON_OK);
}

// All vertices moved by one joint, as streams for `influences` of them.
static void move_by(uint16_t joint, uint32_t influences, uint16_t *joints, float *weights)
{
    for (uint32_t i = 0; i < 3 * influences; i++) {
        joints[i] = i % influences == 0 ? joint : 0;
        weights[i] = i % influences == 0;
    }
}

// -- Bones

static bool has_bones(const uint32_t *bones, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return bones[0] == a && bones[1] == b && bones[2] == c && bones[3] == d;
}

TEST(equal_joints_of_two_skins_are_one_bone)
{
    hand h;
    hand_begin(&h);
    uint32_t root = hand_node(&h, "root", TENON_NONE), arm = hand_node(&h, "arm", root);
    uint32_t first[] = {arm, root}, second[] = {root, arm};
    float first_binds[32], second_binds[32];
    memcpy(first_binds, binds[1], 64), memcpy(first_binds + 16, binds[0], 64);
    memcpy(second_binds, binds[0], 64), memcpy(second_binds + 16, binds[2], 64);
    uint16_t joints[2][12];
    float weights[2][12];
    for (int i = 0; i < 2; i++) {
        move_by(0, 4, joints[i], weights[i]);
        joints[i][0] = 1;
    }
    add_skinned(&h, add_skin(&h, first, 2, first_binds), 4, joints[0], weights[0]);
    add_skinned(&h, add_skin(&h, second, 2, second_binds), 4, joints[1], weights[1]);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    // The root once; the arm twice, since its inverse binds differ, in the order of the skins.
    CHECK(rig.bone_count == 3);
    CHECK(rig.bones[0].node == root && rig.bones[1].node == arm && rig.bones[2].node == arm);
    CHECK(rig.bones[0].inverse_bind.m[12] == 0);
    CHECK(rig.bones[1].inverse_bind.m[12] == 5 && rig.bones[1].inverse_bind.m[13] == 0);
    CHECK(rig.bones[2].inverse_bind.m[12] == 0 && rig.bones[2].inverse_bind.m[13] == 5);
    CHECK(rig.part_count == 2 && rig.parts[0].is_skinned && rig.parts[1].is_skinned);
    CHECK(rig.parts[0].bones[0] == 1 && rig.parts[0].bones[1] == 0);
    CHECK(rig.parts[1].bones[0] == 0 && rig.parts[1].bones[1] == 2);
    writing_end(&w);
}

TEST(zero_of_either_sign_is_the_same_bind)
{
    hand h;
    hand_begin(&h);
    uint32_t root = hand_node(&h, "root", TENON_NONE), joints_of[] = {root, root};
    float both[32];
    memcpy(both, binds[0], 64), memcpy(both + 16, binds[0], 64);
    both[16 + 12] = -0.0f;
    uint16_t joints[12];
    float weights[12];
    move_by(0, 4, joints, weights);
    joints[0] = 1;
    add_skinned(&h, add_skin(&h, joints_of, 2, both), 4, joints, weights);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    CHECK(rig.bone_count == 1);
    CHECK(rig.parts[0].bones[0] == 0 && rig.parts[0].bones[1] == 0);
    writing_end(&w);
}

static void ignore_loss(void *user, const tenon_loss *loss)
{
    (void)user, (void)loss;
}

// How many bones there are if the second of two joints of a node is bound a little differently.
static uint32_t count_bones(uint32_t entry, float more, uint64_t *reported)
{
    hand h;
    hand_begin(&h);
    uint32_t root = hand_node(&h, "root", TENON_NONE), joints_of[] = {root, root};
    float both[32];
    memcpy(both, binds[1], 64), memcpy(both + 16, binds[1], 64);
    both[16 + entry] += more;
    uint16_t joints[12];
    float weights[12];
    move_by(0, 4, joints, weights);
    joints[0] = 1;
    add_skinned(&h, add_skin(&h, joints_of, 2, both), 4, joints, weights);
    writing w;
    tn_rig rig;
    writing_begin(&w, &h.scene, NULL);
    w.opts.events.on_loss = ignore_loss;
    CHECK(tn_rig_make(&w.e, TN_RIGID_ALL, false, &rig));
    const tn_approximation *approximation = w.e.state->approximations;
    *reported = approximation ? approximation->loss.count : 0;
    writing_end(&w);
    return rig.bone_count;
}

TEST(binds_that_differ_by_rounding_are_one_bone)
{
    uint64_t reported;
    CHECK(count_bones(0, 0, &reported) == 1 && reported == 0);
    CHECK(count_bones(0, 5e-7f, &reported) == 1 && reported == 1);
    CHECK(count_bones(1, -5e-7f, &reported) == 1 && reported == 1);
    CHECK(count_bones(0, 2e-6f, &reported) == 2 && reported == 0);
    // Positions are compared relative to the bone's distance from the origin, which is 5.
    CHECK(count_bones(12, 4e-6f, &reported) == 1 && reported == 1);
    CHECK(count_bones(13, 4e-6f, &reported) == 1 && reported == 1);
    CHECK(count_bones(13, 6e-6f, &reported) == 2 && reported == 0);
    CHECK(count_bones(15, 5e-7f, &reported) == 2);  // Never of the last row.
}

TEST(joints_without_weight_are_bones_only_on_request)
{
    hand h;
    hand_begin(&h);
    uint32_t root = hand_node(&h, "root", TENON_NONE), arm = hand_node(&h, "arm", root);
    uint32_t list[] = {root, arm}, spare_list[] = {arm};
    uint16_t joints[12];
    float weights[12];
    move_by(1, 4, joints, weights);  // The unused influences name joint 0, with weight 0.
    add_skinned(&h, add_skin(&h, list, 2, binds[0]), 4, joints, weights);
    add_skin(&h, spare_list, 1, binds[2]);  // No node has it.
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    CHECK(rig.bone_count == 1 && rig.bones[0].node == arm);
    CHECK(rig.parts[0].bones[0] == TENON_NONE && rig.parts[0].bones[1] == 0);
    uint32_t bones[TN_INFLUENCES];
    float kept[TN_INFLUENCES];
    tn_part_influences(&rig.parts[0], 0, bones, kept);
    CHECK(has_bones(bones, 0, 0, 0, 0) && kept[0] == 1 && kept[1] == 0);
    writing_end(&w);
    make_rig(&w, &h.scene, TN_RIGID_ALL, true, &rig);
    CHECK(rig.bone_count == 3 && rig.bones[0].node == root && rig.bones[2].node == arm);
    CHECK(rig.parts[0].bones[0] == 0 && rig.parts[0].bones[1] == 1);
    CHECK(rig.bones[2].inverse_bind.m[13] == 5);
    writing_end(&w);
}

TEST(a_mesh_with_two_skins_takes_the_joints_of_both)
{
    hand h;
    hand_begin(&h);
    uint32_t arm = hand_node(&h, "arm", TENON_NONE), leg = hand_node(&h, "leg", TENON_NONE);
    uint16_t joints[12];
    float weights[12];
    move_by(0, 4, joints, weights);
    add_skinned(&h, add_skin(&h, &arm, 1, binds[0]), 4, joints, weights);
    uint32_t again = hand_node(&h, "again", TENON_NONE);
    h.nodes[again].mesh = 0;
    h.nodes[again].skin = add_skin(&h, &leg, 1, binds[0]);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    CHECK(rig.bone_count == 2 && rig.bones[0].node == arm && rig.bones[1].node == leg);
    CHECK(rig.part_count == 2 && rig.parts[0].bones[0] == 0 && rig.parts[1].bones[0] == 1);
    writing_end(&w);
}

// -- Parts

TEST(a_mesh_on_two_nodes_gives_two_sets_of_parts)
{
    hand h;
    hand_begin(&h);
    uint32_t a = hand_node(&h, "a", TENON_NONE), b = hand_node(&h, "b", TENON_NONE);
    hand_mesh(&h, "mesh", a, triangle, 3);
    h.primitives[1] = (tenon_primitive){.mode = TENON_TRIANGLES, .material = TENON_NONE};
    h.primitives[2] = h.primitives[0];
    h.meshes[0].primitive_count = 3;
    h.nodes[b].mesh = 0;
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    static const uint32_t wanted[4][3] = {{0, 0, 0}, {0, 2, 0}, {1, 0, 1}, {1, 2, 1}};
    CHECK(rig.part_count == 4 && rig.bone_count == 2);
    for (uint32_t i = 0; i < 4; i++) {
        const tn_part *part = &rig.parts[i];
        CHECK(part->node == wanted[i][0] && part->primitive == wanted[i][1] && part->mesh == 0);
        CHECK(part->p == &h.primitives[wanted[i][1]] && !part->is_skinned);
        CHECK(part->bone == wanted[i][2]);
    }
    writing_end(&w);
}

// A root, a node below it that a clip may move, and one below that.
static void make_branch(hand *h)
{
    hand_begin(h);
    uint32_t root = hand_node(h, "root", TENON_NONE);
    uint32_t middle = hand_node(h, "middle", root), leaf = hand_node(h, "leaf", middle);
    for (uint32_t i = root; i <= leaf; i++) hand_mesh(h, "mesh", i, triangle, 3);
}

static float two_times[] = {0, 1};

TEST(rigid_parts_get_bones_as_requested)
{
    hand h;
    make_branch(&h);
    float values[] = {0, 0, 0, 0, 1, 0};
    hand_clip(&h, "lift", 1);
    hand_channel(&h, 1, TENON_TRANSLATION, 2, two_times, values);
    static const struct {
        tn_rigid rigid;
        uint32_t bone_count, bones[3];
    } cases[] = {
        {TN_RIGID_WITHOUT_BONES, 0, {TENON_NONE, TENON_NONE, TENON_NONE}},
        {TN_RIGID_MOVING, 2, {TENON_NONE, 0, 1}},
        {TN_RIGID_ALL, 3, {0, 1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        writing w;
        tn_rig rig;
        make_rig(&w, &h.scene, cases[i].rigid, false, &rig);
        CHECK(rig.bone_count == cases[i].bone_count && rig.part_count == 3);
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t bones[TN_INFLUENCES] = {9, 9, 9, 9}, bone = cases[i].bones[k];
            float weights[TN_INFLUENCES] = {9, 9, 9, 9};
            CHECK(rig.parts[k].bone == bone);
            CHECK(tn_part_influences(&rig.parts[k], 1, bones, weights) == 0);
            CHECK(weights[0] == (bone != TENON_NONE) && weights[1] == 0 && weights[3] == 0);
            CHECK(bones[0] == (bone == TENON_NONE ? 0 : bone) && bones[1] == 0 && bones[3] == 0);
        }
        writing_end(&w);
    }
}

TEST(a_rigid_part_shares_the_bone_of_a_joint_that_moves_it_alike)
{
    hand h;
    hand_begin(&h);
    uint32_t root = hand_node(&h, "root", TENON_NONE), arm = hand_node(&h, "arm", root);
    uint32_t list[] = {arm, root};
    hand_mesh(&h, "mesh", arm, triangle, 3);
    hand_mesh(&h, "mesh", root, triangle, 3);
    uint16_t joints[12];
    float weights[12];
    move_by(0, 4, joints, weights);
    joints[0] = 1;
    add_skinned(&h, add_skin(&h, list, 2, binds[0]), 4, joints, weights);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    // Root: once as a joint that is bound elsewhere, and once rigid, which comes second.
    CHECK(rig.bone_count == 3);
    CHECK(rig.parts[0].node == root && rig.parts[0].bone == 1 && rig.bones[0].node == root);
    CHECK(rig.bones[0].inverse_bind.m[12] == 5 && rig.bones[1].inverse_bind.m[12] == 0);
    CHECK(rig.parts[1].node == arm && rig.parts[1].bone == 2 && rig.parts[2].bones[0] == 2);
    writing_end(&w);
}

// -- What moves

// Whether the node of the only channel moves, and the one below it, but not the one above.
static bool moves_with(hand *h)
{
    writing w;
    check_scene(&h->scene);
    writing_begin(&w, &h->scene, NULL);
    bool *moves = tn_moving_nodes(&w.e);
    CHECK(moves && !moves[0] && moves[1] == moves[2]);
    bool result = moves && moves[1];
    writing_end(&w);
    return result;
}

TEST(channels_that_hold_the_rest_pose_move_nothing)
{
    hand h;
    make_branch(&h);
    CHECK(!moves_with(&h));
    h.nodes[1].translation[0] = 1.0 / 3;
    h.nodes[1].rotation[0] = 0.6, h.nodes[1].rotation[3] = 0.8;
    float place[] = {1.0f / 3, 0, 0, 1.0f / 3, 0, 0};
    float turn[] = {0.6f, 0, 0, 0.8f, -0.6f, 0, 0, -0.8f}, size[] = {1, 1, 1};
    hand_clip(&h, "still", 1);
    hand_channel(&h, 1, TENON_TRANSLATION, 2, two_times, place);
    hand_channel(&h, 1, TENON_ROTATION, 2, two_times, turn);
    hand_channel(&h, 1, TENON_SCALE, 1, two_times, size);
    CHECK(!moves_with(&h));
    place[5] = 1e-3f;
    CHECK(moves_with(&h));
    place[5] = 0, turn[4] = 0.6f;
    CHECK(moves_with(&h));
    turn[4] = -0.6f, size[2] = 2;  // Held, but not where the rest pose is.
    CHECK(moves_with(&h));
    size[2] = 1;
    CHECK(!moves_with(&h));
}

TEST(a_channel_holds_the_value_of_all_its_keys)
{
    hand h;
    make_branch(&h);
    float sizes[] = {1, 1, 2, 1, 1, 2}, turns[18] = {0, 0, 0, 0, 5, 5, 5, 5, 0, 0, 0, -1};
    hand_clip(&h, "still", 1);
    const tenon_channel *size = hand_channel(&h, 1, TENON_SCALE, 2, two_times, sizes);
    CHECK(tn_channel_holds(size, (double[]){1, 1, 2}));
    CHECK(!tn_channel_holds(size, (double[]){1, 1, 1}));
    sizes[5] = 2.001f;
    CHECK(!tn_channel_holds(size, (double[]){1, 1, 2}));
    // Of a single key, tangents have no effect.
    tenon_channel *turn = hand_channel(&h, 1, TENON_ROTATION, 1, two_times, turns + 4);
    turn->curve = TENON_CUBIC;
    CHECK(tn_channel_holds(turn, (double[]){0, 0, 0, 1}));
    CHECK(!tn_channel_holds(turn, (double[]){0, 1, 0, 0}));
}

TEST(tangents_move_what_returns_to_its_position)
{
    hand h;
    make_branch(&h);
    float values[18] = {0};
    hand_clip(&h, "bump", 1);
    hand_channel(&h, 1, TENON_TRANSLATION, 2, two_times, values)->curve = TENON_CUBIC;
    CHECK(!moves_with(&h));
    values[7] = 1;
    CHECK(moves_with(&h));
}

// -- Influences

// One vertex three times, each with 12 influences of a skin of 8 joints, the last of which is the
// same bone as the first.
typedef struct crowd {
    hand h;
    uint32_t list[8];
    float inverse[8 * 16];
    uint16_t joints[36];
    float weights[36];
    writing w;
    tn_rig rig;
} crowd;

static void make_crowd(crowd *c, const uint16_t *joints, const float *weights, uint32_t count)
{
    hand_begin(&c->h);
    for (uint32_t i = 0; i < 8; i++) {
        c->list[i] = i < 7 ? hand_node(&c->h, "joint", TENON_NONE) : 0;
        memcpy(c->inverse + 16 * (size_t)i, binds[0], 64);
    }
    for (uint32_t i = 0; i < 36; i++) c->joints[i] = 4;  // Unused ones may name any joint.
    memset(c->weights, 0, sizeof c->weights);
    for (uint32_t i = 0; i < 3; i++) {
        memcpy(c->joints + 12 * (size_t)i, joints, count * sizeof *joints);
        memcpy(c->weights + 12 * (size_t)i, weights, count * sizeof *weights);
    }
    add_skinned(&c->h, add_skin(&c->h, c->list, 8, c->inverse), 12, c->joints, c->weights);
    make_rig(&c->w, &c->h.scene, TN_RIGID_ALL, true, &c->rig);
    CHECK(c->rig.bone_count == 7);
}

TEST(few_influences_keep_their_bits)
{
    static const uint16_t joints[] = {5, 2, 4, 6};
    static const float given[] = {0.1f, 0.3f, 0, 0.599995f};  // Almost 1 in all.
    crowd c;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    make_crowd(&c, joints, given, 4);
    CHECK(tn_part_influences(&c.rig.parts[0], 2, bones, weights) == 0);
    CHECK(has_bones(bones, 6, 2, 5, 0));
    CHECK(weights[0] == 0.599995f && weights[1] == 0.3f && weights[2] == 0.1f && weights[3] == 0);
    char path[64] = "none";
    CHECK(tn_rig_crowded(&c.w.e, &c.rig, path, sizeof path) == 0);
    CHECK_STR(path, "none");
    writing_end(&c.w);
}

TEST(of_many_influences_the_heaviest_stay)
{
    static const uint16_t joints[] = {6, 5, 4, 3, 2, 1};
    static const float given[] = {0.125f, 0.25f, 0.125f, 0.0625f, 0.3125f, 0.125f};
    crowd c;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    make_crowd(&c, joints, given, 6);
    // Of the three of weight 1/8, the bone with the highest number is left out.
    CHECK(tn_part_influences(&c.rig.parts[0], 0, bones, weights) == 0.1875);
    CHECK(has_bones(bones, 2, 5, 1, 4));
    CHECK(weights[0] == (float)(0.3125 / 0.8125) && weights[1] == (float)(0.25 / 0.8125));
    CHECK(weights[2] == weights[3] && weights[3] == (float)(0.125 / 0.8125));
    char path[64];
    CHECK(tn_rig_crowded(&c.w.e, &c.rig, path, sizeof path) == 3);
    CHECK_STR(path, "meshes[0].primitives[0]");
    writing_end(&c.w);
}

TEST(influences_of_the_same_bone_are_added)
{
    static const uint16_t joints[] = {0, 3, 7, 3, 5, 6, 0};
    static const float given[] = {0.125f, 0.125f, 0.125f, 0.25f, 0.125f, 0.125f, 0.125f};
    crowd c;
    uint32_t bones[TN_INFLUENCES];
    float weights[TN_INFLUENCES];
    make_crowd(&c, joints, given, 7);
    CHECK(tn_part_influences(&c.rig.parts[0], 1, bones, weights) == 0);
    CHECK(has_bones(bones, 0, 3, 5, 6));
    CHECK(weights[0] == 0.375f && weights[1] == 0.375f && weights[2] == 0.125f);
    CHECK(tn_rig_crowded(&c.w.e, &c.rig, (char[1]){0}, 1) == 0);
    writing_end(&c.w);
}

#define LOTS 20000  // Joints, and influences of one vertex.

// Every joint twice; the last ones are heavier.
static void make_lots(hand *h, uint16_t *joints, float *weights, uint32_t *list, float *inverse)
{
    hand_begin(h);
    hand_node(h, "joint", TENON_NONE);
    for (uint32_t i = 0; i < LOTS; i++) {
        memcpy(inverse + 16 * (size_t)i, binds[0], 64);
        inverse[16 * (size_t)i + 12] = (float)i;
        list[i] = 0;
        joints[i] = (uint16_t)(i % (LOTS / 2));
        weights[i] = joints[i] == LOTS / 2 - 2 ? 0.25f : 0.5f / (LOTS - 2);
    }
    h->nodes[0].mesh = TENON_NONE;
}

TEST(very_many_influences_of_a_vertex_are_handled)
{
    hand h;
    uint16_t *joints = malloc(3 * LOTS * sizeof *joints);
    float *weights = malloc(3 * LOTS * sizeof *weights);
    uint32_t *list = malloc(LOTS * sizeof *list);
    float *inverse = malloc(LOTS * 16 * sizeof *inverse);
    make_lots(&h, joints, weights, list, inverse);
    for (uint32_t i = LOTS; i < 3 * LOTS; i++)
        joints[i] = joints[i - LOTS], weights[i] = weights[i - LOTS];
    add_skinned(&h, add_skin(&h, list, LOTS, inverse), LOTS, joints, weights);
    writing w;
    tn_rig rig;
    uint32_t bones[TN_INFLUENCES];
    float kept[TN_INFLUENCES];
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    CHECK(rig.bone_count == LOTS / 2);
    for (uint32_t vertex = 0; vertex < 3; vertex++) {  // All three are alike.
        double left = tn_part_influences(&rig.parts[0], vertex, bones, kept), sum = 0;
        CHECK(hand_near(left, 0.5 * (LOTS - 8) / (LOTS - 2), 1e-6));
        CHECK(has_bones(bones, LOTS / 2 - 2, 0, 1, 2));
        for (uint32_t i = 0; i < TN_INFLUENCES; i++) sum += (double)kept[i];
        CHECK(hand_near(sum, 1, 1e-6));
    }
    writing_end(&w);
    free(joints), free(weights), free(list), free(inverse);
}

// -- Poses

// The rig puts every vertex where the pose does.
TEST(bones_and_weights_agree_with_the_pose)
{
    hand h;
    hand_begin(&h);
    uint64_t state = 7;
    uint32_t list[4];
    for (uint32_t i = 0; i < 4; i++) {
        list[3 - i] = hand_node(&h, "joint", i ? i - 1 : TENON_NONE);
        for (int k = 0; k < 3; k++) h.nodes[i].translation[k] = chain_number(&state, 1);
        for (int k = 0; k < 3; k++) h.nodes[i].scale[k] = 1 + chain_number(&state, 0.5);
    }
    float inverse[64], weights[12];
    uint16_t joints[12];
    for (uint32_t i = 0; i < 64; i++)
        inverse[i] = i % 4 == 3 ? i % 16 == 15 : (float)chain_number(&state, 1);
    for (uint32_t i = 0; i < 12; i++)
        joints[i] = (uint16_t)((i * 7 + 1) % 4), weights[i] = (float)(1 + i % 4) / 10;
    add_skinned(&h, add_skin(&h, list, 4, inverse), 4, joints, weights);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, false, &rig);
    tenon_pose *pose = tenon_pose_new(&h.scene, NULL, NULL);
    float posed[9];
    tenon_pose_skin(pose, 4, 0, posed, NULL);
    for (uint32_t v = 0; v < 3; v++) {
        uint32_t bones[TN_INFLUENCES];
        float kept[TN_INFLUENCES];
        tn_vec3 sum = {0, 0, 0}, p = {(double)triangle[3 * v], (double)triangle[3 * v + 1], 0};
        tn_part_influences(&rig.parts[0], v, bones, kept);
        for (uint32_t i = 0; i < TN_INFLUENCES; i++) {
            tn_mat4 global;
            memcpy(global.m, tenon_pose_global(pose, rig.bones[bones[i]].node), sizeof global.m);
            tn_mat4 moved = tn_mat4_mul(&global, &rig.bones[bones[i]].inverse_bind);
            sum = tn_vec3_add(sum, tn_vec3_scale(tn_mat4_point(&moved, p), (double)kept[i]));
        }
        CHECK(hand_at(posed + 3 * v, sum.x, sum.y, sum.z));
    }
    tenon_pose_free(pose);
    writing_end(&w);
}

// -- Sizes

// Many skins that all have the same joint, each bound in its own way or in one of two.
static uint32_t bones_of_many_skins(uint32_t skin_count, uint32_t ways)
{
    static tenon_skin skins[20000];
    static float inverse[20000][16];
    static uint32_t joint;
    hand h;
    hand_begin(&h);
    hand_node(&h, "joint", TENON_NONE);
    for (uint32_t i = 0; i < skin_count; i++) {
        memcpy(inverse[i], binds[0], 64);
        inverse[i][14] = (float)((i * 7919) % ways);
        skins[i] = (tenon_skin){.name = hand_text("skin"),
                                .root = TENON_NONE,
                                .joint_count = 1,
                                .joints = &joint,
                                .inverse_binds = inverse[i]};
    }
    h.scene.skins = skins;
    h.scene.skin_count = skin_count;
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_ALL, true, &rig);
    for (uint32_t i = 1; i < rig.bone_count && ways == skin_count; i++)
        CHECK(rig.bones[i].inverse_bind.m[14] == (double)((i * 7919) % ways));
    uint32_t count = rig.bone_count;
    writing_end(&w);
    return count;
}

TEST(many_skins_take_linear_time)
{
    CHECK(bones_of_many_skins(20000, 2) == 2);
    CHECK(bones_of_many_skins(20000, 20000) == 20000);
}

#define DEEP 100000

TEST(deep_chains_are_walked_without_recursion)
{
    hand h;
    hand_begin(&h);
    tenon_node *nodes = malloc(DEEP * sizeof *nodes);
    hand_node(&h, "link", TENON_NONE);
    hand_mesh(&h, "mesh", 0, triangle, 3);
    for (uint32_t i = 0; i < DEEP; i++) {
        nodes[i] = h.nodes[0];
        nodes[i].parent = i ? i - 1 : TENON_NONE;
    }
    h.scene.nodes = nodes;
    h.scene.node_count = DEEP;
    float values[] = {0, 0, 0, 0, 1, 0};
    hand_clip(&h, "lift", 1);
    hand_channel(&h, 10, TENON_TRANSLATION, 2, two_times, values);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_MOVING, false, &rig);
    CHECK(rig.part_count == DEEP && rig.bone_count == DEEP - 10);
    CHECK(rig.parts[9].bone == TENON_NONE && rig.parts[10].bone == 0);
    CHECK(rig.parts[DEEP - 1].bone == DEEP - 11 && rig.bones[DEEP - 11].node == DEEP - 1);
    writing_end(&w);
    free(nodes);
}

TEST(empty_scenes_have_empty_rigs)
{
    hand h;
    hand_begin(&h);
    writing w;
    tn_rig rig;
    make_rig(&w, &h.scene, TN_RIGID_MOVING, true, &rig);
    CHECK(rig.bone_count == 0 && rig.part_count == 0);
    CHECK(tn_rig_crowded(&w.e, &rig, NULL, 0) == 0);
    writing_end(&w);
}

// -- Memory

TEST(every_allocation_may_fail)
{
    hand h;
    make_branch(&h);
    uint32_t list[] = {0, 1};
    uint16_t joints[60];
    float weights[60];
    move_by(1, 20, joints, weights);
    add_skinned(&h, add_skin(&h, list, 2, binds[0]), 20, joints, weights);
    bool done = false;
    for (uint64_t refused = 1; !done && refused < 100; refused++) {
        hand_memory memory = {.refused = refused};
        tenon_allocator allocator = hand_allocator(&memory);
        writing w;
        tn_rig rig;
        writing_begin(&w, &h.scene, &allocator);
        done = tn_rig_make(&w.e, TN_RIGID_MOVING, false, &rig);
        CHECK(done == (w.err.code == TENON_OK) && done == (memory.calls < refused));
        writing_end(&w);
        CHECK(memory.live == 0);
    }
    CHECK(done);
}

int main(void)
{
    RUN(equal_joints_of_two_skins_are_one_bone);
    RUN(zero_of_either_sign_is_the_same_bind);
    RUN(binds_that_differ_by_rounding_are_one_bone);
    RUN(joints_without_weight_are_bones_only_on_request);
    RUN(a_mesh_with_two_skins_takes_the_joints_of_both);
    RUN(a_mesh_on_two_nodes_gives_two_sets_of_parts);
    RUN(rigid_parts_get_bones_as_requested);
    RUN(a_rigid_part_shares_the_bone_of_a_joint_that_moves_it_alike);
    RUN(channels_that_hold_the_rest_pose_move_nothing);
    RUN(a_channel_holds_the_value_of_all_its_keys);
    RUN(tangents_move_what_returns_to_its_position);
    RUN(few_influences_keep_their_bits);
    RUN(of_many_influences_the_heaviest_stay);
    RUN(influences_of_the_same_bone_are_added);
    RUN(very_many_influences_of_a_vertex_are_handled);
    RUN(bones_and_weights_agree_with_the_pose);
    RUN(many_skins_take_linear_time);
    RUN(deep_chains_are_walked_without_recursion);
    RUN(empty_scenes_have_empty_rigs);
    RUN(every_allocation_may_fail);
    TEST_END();
}
