// test_bbmod_export.c: scenes exported as BBMOD models: nodes, bones, vertices, and scale, which
// BBMOD does not have.
// SPDX-License-Identifier: MIT

#include "bbmod_export_help.h"

#define SLACK 1e-6

// -- Small scenes

static void place(uint32_t node, double x, double y, double z)
{
    double *t = b.scene->nodes[node].translation;
    t[0] = x, t[1] = y, t[2] = z;
}

static void scale(uint32_t node, double x, double y, double z)
{
    double *s = b.scene->nodes[node].scale;
    s[0] = x, s[1] = y, s[2] = z;
}

// A quarter turn around z.
static void turn(uint32_t node)
{
    double *r = b.scene->nodes[node].rotation;
    r[0] = r[1] = 0, r[2] = r[3] = sqrt(0.5);
}

// Keys of a node from 0 to 1 second, `each` numbers each.
static void add_keys(uint32_t clip, uint32_t index, uint32_t node, tenon_target target,
                     const float *first, const float *last)
{
    tenon_channel *channel = &b.scene->animations[clip].channels[index];
    uint32_t each = target == TENON_ROTATION ? 4 : 3;
    channel->node = node;
    channel->target = target;
    tn_channel_alloc(&b, channel, 2);
    channel->times[1] = 1;
    memcpy(channel->values, first, each * sizeof *first);
    memcpy(channel->values + each, last, each * sizeof *last);
    b.scene->animations[clip].duration = 1;
}

static const float here[3] = {0, 0, 0}, there[3] = {1, 2, 3};
static const float still[4] = {0, 0, 0, 1}, turned[4] = {0, 0.70710678f, 0, 0.70710678f};

// A root, two joints below it, of which the second has the mesh's last vertex, and a rigid mesh.
// The skin lists the joints the other way round.
static void make_rig(void)
{
    start(NULL);
    uint32_t root = tn_add_node(&b, str("root"), TENON_NONE);
    uint32_t low = tn_add_node(&b, str("low"), root), high = tn_add_node(&b, str("high"), low);
    place(low, 0, 1, 2);
    place(high, 0, 3, 0);
    turn(high);
    uint32_t rigid = add_mesh_node(&b, "rigid", root, add_triangle(&b, "rigid", 5, 0));
    place(rigid, 4, 0, 6);
    uint32_t soft = add_mesh_node(&b, "soft", root, add_triangle(&b, "soft", 1, TN_WITH_SKIN));
    uint32_t skin = tn_add_skin(&b, str("skin"), 2);
    b.scene->nodes[soft].skin = skin;
    b.scene->skins[skin].joints[0] = high;
    b.scene->skins[skin].joints[1] = low;
    tenon_primitive *p = b.scene->meshes[b.scene->nodes[soft].mesh].primitives;
    p->joints[0] = p->joints[4] = 1;
    p->weights[0] = 0.75f;
    p->weights[1] = 0.25f;
}

// -- What the engine demands

TEST(bones_come_first_in_the_order_of_the_skin)
{
    make_rig();
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    const tenon_bbmod_node *root = &model->root, *low = &root->children[0];
    CHECK_STR(model->base.dialect->name, "3.4");
    CHECK(model->node_count == 5 && root->child_count == 3 && low->child_count == 1);
    CHECK_STR(low->children[0].name.data, "high");
    CHECK(low->children[0].index == 0 && low->children[0].is_bone == 1);
    CHECK(low->index == 1 && low->is_bone == 1);
    CHECK(root->index == 2 && root->is_bone == 0);
    CHECK(root->children[1].index == 3 && root->children[2].index == 4);
    CHECK(model->bones.count == 2 && float_at(model->bones.data + 36) == 1);
    CHECK(errors_in("", NULL) == 0);
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    tenon_doc_free(&model->base);
    done();
}

TEST(the_space_is_mirrored)
{
    make_rig();
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    CHECK(origin_is(model->root.children[0].transform, 0, 1, -2));
    CHECK(origin_is(model->root.children[1].transform, 4, 0, -6));
    // Position and normal, since the source has no more; the second and third corner are exchanged.
    const double first[] = {0, 0, -5, 0, 0, -1}, second[] = {0, 1, -5}, third[] = {1, 0, -5};
    CHECK(model->meshes[0].vertices.layout->stride == 24);
    CHECK(floats_are(vertex_of(model, 0, 0), first, 6));
    CHECK(floats_are(vertex_of(model, 0, 1), second, 3));
    CHECK(floats_are(vertex_of(model, 0, 2), third, 3));
    CHECK(model->meshes[0].bbox_min[2] == -5 && model->meshes[0].bbox_max[0] == 1);
    // Bones and weights of the soft one: the heavier first.
    const double influences[] = {1, 0, 0, 0, 0.75, 0.25, 0, 0};
    CHECK(model->meshes[1].vertices.layout->stride == 56);
    CHECK(floats_are(vertex_of(model, 1, 0) + 24, influences, 8));
    tenon_doc_free(&model->base);
    done();
}

static double side_of_tangent(void)
{
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    double side = (double)float_at(vertex_of(model, 0, 0) + 32 + 12);
    tenon_doc_free(&model->base);
    return side;
}

TEST(the_sign_of_tangents_changes_with_the_handedness)
{
    start(NULL);
    uint32_t all = TN_WITH_NORMALS | TN_WITH_TANGENTS | TN_WITH_UV0;
    uint32_t node = add_mesh_node(&b, "tri", TENON_NONE, add_triangle(&b, "tri", 0, all));
    CHECK(side_of_tangent() == -1);
    scale(node, -1, 1, 1);
    CHECK(side_of_tangent() == 1);
    done();
}

TEST(there_is_one_root)
{
    start(NULL);
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    CHECK(model->node_count == 1 && model->mesh_count == 0 && model->material_count == 0);
    CHECK_STR(model->root.name.data, "RootNode");
    tenon_doc_free(&model->base);
    tn_add_node(&b, str("one"), TENON_NONE);
    CHECK(make_bbmod((tenon_export_opts){0}));
    model = made_model();
    CHECK(model->node_count == 1 && !reported(TENON_SYNTHESIZED, "nodes"));
    CHECK_STR(model->root.name.data, "one");
    tenon_doc_free(&model->base);
    tn_add_node(&b, str("two"), TENON_NONE);
    CHECK(make_bbmod((tenon_export_opts){0}));
    model = made_model();
    CHECK(model->node_count == 3 && model->root.child_count == 2);
    CHECK(reported(TENON_SYNTHESIZED, "nodes")->count == 1);
    CHECK(errors_in("", NULL) == 0);
    tenon_doc_free(&model->base);
    done();
}

TEST(points_and_lines_are_kept)
{
    static const struct {
        tenon_mode mode;
        uint32_t type, vertex_count;
    } rows[] = {{TENON_POINTS, 1, 3},
                {TENON_LINES, 2, 2},
                {TENON_LINE_STRIP, 2, 4},
                {TENON_LINE_LOOP, 2, 6},
                {TENON_TRIANGLE_STRIP, 4, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(NULL);
        uint32_t mesh = add_triangle(&b, "tri", 0, 0);
        b.scene->meshes[mesh].primitives->mode = rows[i].mode;
        add_mesh_node(&b, "tri", TENON_NONE, mesh);
        CHECK(make_bbmod((tenon_export_opts){0}));
        tenon_bbmod *model = made_model();
        CHECK(model->meshes[0].primitive_type == rows[i].type);
        CHECK(model->meshes[0].vertices.count == rows[i].vertex_count);
        CHECK(errors_in("", NULL) == 0);
        tenon_doc_free(&model->base);
        done();
    }
}

TEST(colors_are_srgb_bytes)
{
    start(NULL);
    uint32_t mesh = add_triangle(&b, "tri", 0, TN_WITH_COLOR | TN_WITH_UV1);
    const float color[4] = {0.21404114f, 0, 2, 0.5f};  // Half of white, black, too much.
    memcpy(b.scene->meshes[mesh].primitives->colors[0], color, sizeof color);
    add_mesh_node(&b, "tri", TENON_NONE, mesh);
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    const uint8_t *bytes = vertex_of(model, 0, 0) + 32;  // After the second coordinates.
    CHECK(model->meshes[0].vertex_format.texture_coords2 == 1);
    CHECK(model->meshes[0].vertex_format.texture_coords == 0);
    CHECK(bytes[0] == 128 || bytes[0] == 127);
    CHECK(bytes[1] == 0 && bytes[2] == 255 && bytes[3] == 128);
    CHECK(reported(TENON_APPROXIMATED, "vertex colors")->count == 1);
    tenon_doc_free(&model->base);
    done();
}

// -- Scale

// A node that is scaled, with a mesh, above one that is turned, with the same mesh.
TEST(a_constant_scale_goes_into_the_vertices)
{
    start(NULL);
    uint32_t mesh = add_triangle(&b, "tri", 1, 0);
    uint32_t top = add_mesh_node(&b, "top", TENON_NONE, mesh);
    uint32_t below = add_mesh_node(&b, "below", top, mesh);
    scale(top, 2, 2, 2);
    place(below, 1, 0, 0);
    scale(below, 1, 3, 1);
    turn(below);
    uint32_t clip = tn_add_animation(&b, str("spin"), 2);
    add_keys(clip, 0, top, TENON_ROTATION, still, turned);
    add_keys(clip, 1, below, TENON_TRANSLATION, here, there);
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    const double first[] = {2, 0, -2}, second[] = {0, 6, -2};
    CHECK(model->mesh_count == 2 && model->root.child_count == 1);
    CHECK(origin_is(model->root.children[0].transform, 2, 0, 0));
    CHECK(floats_are(vertex_of(model, 0, 2), first, 3));
    CHECK(floats_are(vertex_of(model, 1, 1), second, 3));
    CHECK(reported(TENON_APPROXIMATED, "scales of nodes")->count == 2);
    CHECK(!reported(TENON_APPROXIMATED, "scale animation"));
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    tenon_doc_free(&model->base);
    done();
}

TEST(nodes_of_the_same_scale_share_a_mesh)
{
    start(NULL);
    uint32_t mesh = add_triangle(&b, "tri", 1, 0);
    for (int i = 0; i < 6; i++) {
        uint32_t node = add_mesh_node(&b, "tri", TENON_NONE, mesh);
        scale(node, 1 + i % 2, 1, 1);
        place(node, i, 0, 0);
    }
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    CHECK(model->mesh_count == 2 && model->root.child_count == 6);
    for (uint32_t i = 0; i < 6; i++) CHECK(le32(model->root.children[i].meshes.data) == i % 2);
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    tenon_doc_free(&model->base);
    done();
}

// Joints scaled by a hundredth; the inverse binds undo all but one that is not uniform.
TEST(bones_without_their_scale_move_alike)
{
    make_rig();
    const float binds[2][16] = {{100, 0, 0, 0, 0, 100, 0, 0, 0, 0, 50, 0, 1, 2, 3, 1},
                                {100, 0, 0, 0, 0, 100, 0, 0, 0, 0, 50, 0, 3, 2, 1, 1}};
    memcpy(b.scene->skins[0].inverse_binds, binds, sizeof binds);
    scale(0, 0.01, 0.01, 0.01);
    uint32_t clip = tn_add_animation(&b, str("spin"), 2);
    add_keys(clip, 0, 1, TENON_ROTATION, still, turned);
    add_keys(clip, 1, 2, TENON_TRANSLATION, here, there);
    CHECK(make_bbmod((tenon_export_opts){0}));
    CHECK(!reported(TENON_APPROXIMATED, "scale animation"));
    CHECK(!reported(TENON_APPROXIMATED, "scales of bones"));
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    done();
}

// A second skin on the same joints: bound elsewhere as a whole, then each joint elsewhere.
TEST(skins_may_bind_the_same_nodes_differently)
{
    for (int differ = 0; differ < 2; differ++) {
        make_rig();
        uint32_t mesh = add_triangle(&b, "more", 2, TN_WITH_SKIN);
        uint32_t node = add_mesh_node(&b, "more", 0, mesh), skin = tn_add_skin(&b, str("more"), 2);
        b.scene->nodes[node].skin = skin;
        tenon_primitive *p = b.scene->meshes[mesh].primitives;
        tenon_skin *s = &b.scene->skins[skin];
        s->joints[0] = 2, s->joints[1] = 1;
        p->joints[1] = 1;
        p->weights[0] = p->weights[1] = 0.5f;
        s->inverse_binds[12] = s->inverse_binds[16 + 12] = 7;
        if (differ) s->inverse_binds[16 + 13] = 5;
        CHECK(make_bbmod((tenon_export_opts){0}));
        tenon_bbmod *model = made_model();
        CHECK(model->bones.count == (differ ? 4 : 2));
        CHECK(reported(TENON_APPROXIMATED, "skins")->count == 1);
        CHECK(errors_in("", NULL) == 0);
        CHECK(made_error((tenon_export_opts){0}) < SLACK);
        tenon_doc_free(&model->base);
        done();
    }
}

TEST(a_scale_that_changes_is_reported_with_its_error)
{
    start(NULL);
    uint32_t node = add_mesh_node(&b, "tri", TENON_NONE, add_triangle(&b, "tri", 0, 0));
    uint32_t clip = tn_add_animation(&b, str("grow"), 1);
    const float one[3] = {1, 1, 1}, two[3] = {2, 2, 2};
    add_keys(clip, 0, node, TENON_SCALE, one, two);
    CHECK(make_bbmod((tenon_export_opts){0}));
    const tenon_loss *loss = reported(TENON_APPROXIMATED, "scale animation");
    // The corner (1, 0, 0) is 1 off at the end; the diagonal is the root of 2.
    CHECK(loss && loss->count == 1 && fabs(loss->error - sqrt(0.5)) < 1e-6);
    CHECK(reported(TENON_DROPPED, "scale channels")->count == 1);
    done();
}

// A mesh that is scaled to 0 at rest is visible nevertheless.
TEST(a_scale_of_zero_at_rest_is_replaced_by_that_of_the_clip)
{
    start(NULL);
    uint32_t node = add_mesh_node(&b, "tri", TENON_NONE, add_triangle(&b, "tri", 0, 0));
    scale(node, 0, 0, 0);
    uint32_t clip = tn_add_animation(&b, str("grow"), 1);
    const float none[3] = {0, 0, 0}, two[3] = {2, 2, 2};
    add_keys(clip, 0, node, TENON_SCALE, none, two);
    CHECK(make_bbmod((tenon_export_opts){0}));
    tenon_bbmod *model = made_model();
    const double second[] = {0, 2, 0};
    CHECK(floats_are(vertex_of(model, 0, 1), second, 3));
    CHECK(reported(TENON_APPROXIMATED, "scale animation"));
    tenon_doc_free(&model->base);
    done();
}

TEST(mirrored_meshes_are_not_inside_out)
{
    start(NULL);
    uint32_t node = add_mesh_node(&b, "tri", TENON_NONE, add_triangle(&b, "tri", 1, 0));
    scale(node, -1, 1, 1);
    CHECK(make_bbmod((tenon_export_opts){0}));
    CHECK(errors_in("", NULL) == 0);
    CHECK(made_error((tenon_export_opts){0}) < SLACK);
    done();
}

// -- Odd scenes

// A chain that is deeper than readers allow, each link moved and rotated a little.
TEST(chains_that_are_too_deep_become_shallower)
{
    enum { LINKS = 400 };
    start(NULL);
    uint32_t node = TENON_NONE;
    for (int i = 0; i < LINKS; i++) {
        node = tn_add_node(&b, str("link"), node);
        place(node, 1, 0, 0);
        if (i % 7 == 0) turn(node);
    }
    b.scene->nodes[node].mesh = add_triangle(&b, "tri", 0, 0);
    CHECK(make_bbmod((tenon_export_opts){0}));
    const tenon_loss *loss = reported(TENON_APPROXIMATED, "depth of nodes");
    CHECK(loss && loss->count == LINKS - 251 && loss->error < SLACK);
    tenon_bbmod *model = made_model();
    CHECK(model->node_count == LINKS);
    tenon_doc_free(&model->base);
    done();
}

// More nodes than the engine allows: those without meshes are removed, if that is enough.
TEST(nodes_without_meshes_are_removed_first)
{
    for (int extra = 0; extra < 2; extra++) {
        make_rig();
        for (int i = 0; i < 150; i++) {
            uint32_t node = tn_add_node(&b, str("spare"), 0);
            if (extra) b.scene->nodes[node].mesh = b.scene->nodes[3].mesh;
        }
        add_clip(&b, "up", 1, 3);
        CHECK(make_bbmod((tenon_export_opts){0}));
        tenon_bbmod *model = made_model();
        tenon_bbanim *clip = made_clip("box_up.bbanim");
        CHECK(model->node_count == (extra ? 155 : 5));
        CHECK(clip->spaces ==
              (extra ? TENON_BBANIM_WORLD | TENON_BBANIM_BONE : TENON_BBANIM_PARENT));
        CHECK((reported(TENON_DROPPED, "nodes") == NULL) == extra);
        CHECK((reported(TENON_APPROXIMATED, "nodes") == NULL) == !extra);
        CHECK(made_error((tenon_export_opts){0}) < SLACK);
        tenon_doc_free(&clip->base);
        tenon_doc_free(&model->base);
        done();
    }
}

TEST(numbers_that_floats_cannot_hold_are_refused)
{
    start(NULL);
    uint32_t top = tn_add_node(&b, str("top"), TENON_NONE);
    uint32_t below = add_mesh_node(&b, "below", top, add_triangle(&b, "tri", 0, 0));
    scale(top, 1e30, 1e30, 1e30);
    place(below, 1e30, 0, 0);
    CHECK(!make_bbmod((tenon_export_opts){0}));
    CHECK(k.err.code == TENON_ERR_VALUE && k.file_count == 0);
    done();
}

// -- Losses

TEST(what_cannot_be_held_is_reported)
{
    static float uvs[6], colors[12];
    static const struct {
        tenon_loss_kind kind;
        const char *feature;
        uint64_t count;
    } rows[] = {{TENON_DROPPED, "cameras", 1},
                {TENON_DROPPED, "lights", 2},
                {TENON_DROPPED, "extras", 1},
                {TENON_DROPPED, "name of the scene", 1},
                {TENON_DROPPED, "further texture coordinates", 1},
                {TENON_DROPPED, "further vertex colors", 1},
                {TENON_DROPPED, "meshes", 1},
                {TENON_DROPPED, "names of meshes", 1},
                {TENON_DROPPED, "joints", 1},
                {TENON_APPROXIMATED, "dual-quaternion skinning", 1},
                {TENON_SYNTHESIZED, "normals", 9},
                {TENON_SYNTHESIZED, "tangents", 3},
                {TENON_SYNTHESIZED, "materials", 1}};
    make_rig();
    b.scene->name = str("a name");
    b.scene->nodes[tn_add_node(&b, str("no bone"), 0)].is_joint = true;
    tenon_primitive *p = b.scene->meshes[0].primitives;
    p->uvs[0] = p->uvs[2] = p->uvs[7] = uvs;
    p->colors[0] = p->colors[1] = colors;
    b.scene->meshes[1].name = str("other than its node");
    tn_add_camera(&b, str("camera"));
    tn_add_light(&b, str("light"));
    tn_add_light(&b, str("light"));
    tn_add_extra(&b, TENON_EXTRA_OF_NODE, 0, "shape", str("box"));
    add_triangle(&b, "unseen", 0, 0);
    CHECK(make_bbmod((tenon_export_opts){0}));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const tenon_loss *loss = reported(rows[i].kind, rows[i].feature);
        if (!loss || loss->count != rows[i].count)
            fprintf(stderr, "%s: %d\n", rows[i].feature, loss ? (int)loss->count : -1);
        CHECK(loss && loss->count == rows[i].count);
    }
    done();
}

TEST(more_than_four_influences_are_reported_with_their_error)
{
    make_rig();
    tenon_primitive *p = b.scene->meshes[1].primitives;
    static uint16_t joints[24];
    static float weights[24];
    uint32_t more[3];
    for (int i = 0; i < 3; i++) more[i] = tn_add_node(&b, str("more"), 0);
    uint32_t all[5] = {2, 1, more[0], more[1], more[2]}, skin = add_skin(&b, all, 5);
    b.scene->nodes[4].skin = skin;
    b.scene->skins[skin].inverse_binds[16 * 4 + 12] = 1;
    for (uint16_t i = 0; i < 24; i++) {
        joints[i] = i % 8 < 5 ? i % 8 : 0;
        weights[i] = i % 8 < 5 ? 0.2f : 0;
    }
    p->influence_count = 8;
    p->joints = joints;
    p->weights = weights;
    CHECK(make_bbmod((tenon_export_opts){0}));
    const tenon_loss *loss = reported(TENON_APPROXIMATED, "influences");
    CHECK(loss && loss->count == 3 && loss->error > 0);
    done();
}

// -- Failing

typedef struct stingy {
    long left;
    int64_t live;
} stingy;

static void *stingy_alloc(void *user, size_t size)
{
    stingy *s = user;
    if (s->left-- == 0) return NULL;
    s->live++;
    return malloc(size);
}

static void stingy_free(void *user, void *memory, size_t size)
{
    (void)size;
    ((stingy *)user)->live--;
    free(memory);
}

TEST(every_allocation_may_fail)
{
    make_rig();
    b.scene->meshes[0].primitives->material = tn_add_material(&b, str("paint"));
    add_clip(&b, "up", 1, 3);
    bool ok = false;
    long at = 0;
    for (; !ok && at < 2000; at++) {
        stingy s = {.left = at};
        tenon_export_opts opts = {.allocator = {stingy_alloc, stingy_free, &s}};
        ok = make_bbmod(opts);
        CHECK(ok || k.err.code == TENON_ERR_MEMORY);
        CHECK(s.live == 0);
    }
    CHECK(ok && at > 1);
    done();
}

TEST(every_refusal_of_the_sink_stops_it)
{
    bool ok = false;
    make_rig();
    b.scene->meshes[0].primitives->material = tn_add_material(&b, str("paint"));
    add_clip(&b, "up", 1, 3);
    for (long calls = 1; !ok && calls < 2000; calls++) {
        kept_free(&k);
        k.calls_left = calls;
        ok = write_scene(b.scene, "bbmod", (tenon_export_opts){0}, &k);
        CHECK(ok || k.err.code == TENON_ERR_IO);
    }
    CHECK(ok);
    done();
}

// Scenes made to test another exporter: each gives a valid model, and it shows the same, unless a
// loss says that it cannot.
TEST(all_kinds_of_scenes_are_written)
{
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        start(all_scenes[i].make);
        // Corners of a triangle that its node flattens to a line are one without these.
        static float apart[] = {0, 0, 0.25f, 0, 0, 0.5f};
        if (strcmp(all_scenes[i].name, "matrices") == 0)
            b.scene->meshes[0].primitives->uvs[0] = apart;
        bool ok = make_bbmod((tenon_export_opts){0});
        if (!ok) fprintf(stderr, "%s: %s: %s\n", all_scenes[i].name, k.err.path, k.err.message);
        CHECK(ok && errors_in("", NULL) == 0);
        tenon_verify_result result = {0};
        tenon_export_opts opts = {.format = "bbmod"};
        bool is_rough = reported(TENON_APPROXIMATED, "scale animation") ||
                        reported(TENON_APPROXIMATED, "influences") ||
                        reported(TENON_DROPPED, "primitives");
        CHECK(tenon_export_verify(b.scene, &opts, NULL, &result, &k.err));
        if (!is_rough && !(result.largest <= 1e-4))
            fprintf(stderr, "%s: %g\n", all_scenes[i].name, result.largest);
        CHECK(is_rough || result.largest <= 1e-4);
        done();
    }
}

int main(void)
{
    RUN(bones_come_first_in_the_order_of_the_skin);
    RUN(the_space_is_mirrored);
    RUN(the_sign_of_tangents_changes_with_the_handedness);
    RUN(there_is_one_root);
    RUN(points_and_lines_are_kept);
    RUN(colors_are_srgb_bytes);
    RUN(a_constant_scale_goes_into_the_vertices);
    RUN(nodes_of_the_same_scale_share_a_mesh);
    RUN(bones_without_their_scale_move_alike);
    RUN(skins_may_bind_the_same_nodes_differently);
    RUN(a_scale_that_changes_is_reported_with_its_error);
    RUN(a_scale_of_zero_at_rest_is_replaced_by_that_of_the_clip);
    RUN(mirrored_meshes_are_not_inside_out);
    RUN(chains_that_are_too_deep_become_shallower);
    RUN(nodes_without_meshes_are_removed_first);
    RUN(numbers_that_floats_cannot_hold_are_refused);
    RUN(what_cannot_be_held_is_reported);
    RUN(more_than_four_influences_are_reported_with_their_error);
    RUN(every_allocation_may_fail);
    RUN(every_refusal_of_the_sink_stops_it);
    RUN(all_kinds_of_scenes_are_written);
    TEST_END();
}
