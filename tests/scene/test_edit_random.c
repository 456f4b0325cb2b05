// test_edit_random.c: whatever edits are applied to any scene, it is valid and looks right.
// SPDX-License-Identifier: MIT

#include "edit_help.h"
#include "gltf_random.h"

#define SEEDS 1500
#define TIMES 4

// At rest, and at some times of each of up to three clips.
typedef struct looks {
    look_of_scene at[1 + 3 * TIMES];
    uint32_t clip_count;
} looks;

static looks look_often(const tenon_scene *s)
{
    looks out = {.clip_count = s->animation_count};
    out.at[0] = look_at(s, TENON_NONE, 0);
    for (uint32_t i = 0; i < s->animation_count; i++)
        for (uint32_t k = 0; k < TIMES; k++)
            out.at[1 + i * TIMES + k] = look_at(s, i, s->animations[i].duration * k / TIMES);
    return out;
}

// How the sums change: scaled, then rotated by quarters about x, then mirrored in z.
static look_of_scene move_look(look_of_scene a, double scale, int turns, bool is_mirrored)
{
    look_of_scene out = a;
    double *from[2] = {a.sum, a.area}, *to[2] = {out.sum, out.area};
    for (int i = 0; i < 2; i++) {
        double s = i ? scale * scale : scale, y = from[i][1], z = from[i][2];
        to[i][0] = s * from[i][0];
        to[i][1] = s * (turns == 0 ? y : turns > 0 ? -z : z);
        to[i][2] = s * (turns == 0 ? z : turns > 0 ? y : -y) * (is_mirrored ? -1 : 1);
    }
    out.square = a.square * scale * scale;
    return out;
}

static bool has_moved(const looks *a, const looks *b, double scale, int turns, bool is_mirrored)
{
    for (uint32_t i = 0; i < 1 + a->clip_count * TIMES; i++) {
        look_of_scene want = move_look(a->at[i], scale, turns, is_mirrored);
        if (!looks_like(&want, &b->at[i], 2e-5)) return false;
    }
    return a->clip_count == b->clip_count;
}

static void fail_at(uint32_t seed, bool ok)
{
    CHECK(ok);
    if (!ok) fprintf(stderr, "seed %u\n", (unsigned)seed);
}

TEST(no_options_change_nothing)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b;
        scene_begin(&b);
        make_random(&b, seed, true);
        tenon_scene before = *b.scene;
        must_reshape(b.scene, (edits){0});
        // Scenes with odd names may differ from themselves.
        uint64_t count = 0, usual = 0;
        CHECK(tenon_diff(&before, &before, NULL, NULL, NULL, &usual, NULL));
        CHECK(tenon_diff(&before, b.scene, NULL, NULL, NULL, &count, NULL));
        fail_at(seed, count == usual);
        CHECK_STR(reported, "");
        scene_end(&b);
    }
}

TEST(spaces_change_as_a_whole)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b;
        bool is_mirrored = seed % 2, is_turned = seed / 2 % 2, is_source = seed / 4 % 2;
        double scale = seed % 3 ? 0.01 : 1;
        scene_begin(&b);
        make_random(&b, seed, true);
        looks before = look_often(b.scene);
        edits opts = {.source.scale = scale,
                      .source.turns = is_turned ? -1 : 0,
                      .source.mirror = is_mirrored};
        if (!is_source)
            opts = (edits){.space.scale = scale,
                           .space.turns = is_turned ? is_mirrored ? -1 : 1 : 0,
                           .space.mirror = is_mirrored};
        must_reshape(b.scene, opts);
        looks after = look_often(b.scene);
        // What is mirrored in Z afterwards is rotated the other way, so that up stays up.
        int turns = is_turned ? (is_source || is_mirrored ? -1 : 1) : 0;
        fail_at(seed, has_moved(&before, &after, scale, turns, is_mirrored));
        CHECK_STR(reported, "");
        scene_end(&b);
    }
}

TEST(joining_moves_nothing)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b;
        scene_begin(&b);
        make_random(&b, seed, true);
        looks before = look_often(b.scene);
        uint32_t nodes = b.scene->node_count;
        must_reshape(b.scene, (edits){.meshes.join = 1 + seed % 7});
        looks after = look_often(b.scene);
        fail_at(seed, has_moved(&before, &after, 1, 0, false));
        CHECK(seed % 7 != TENON_JOIN_NODES - 1 || b.scene->node_count <= nodes);
        CHECK_STR(reported, "");
        scene_end(&b);
    }
}

// At rest all stays where it is; there is nothing left that could move.
TEST(baking_keeps_the_rest_pose)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b;
        bool all = seed % 2;
        scene_begin(&b);
        make_random(&b, seed, true);
        look_of_scene before = look_at(b.scene, TENON_NONE, 0);
        must_reshape(b.scene,
                     (edits){.meshes.pre_transform = all, .keep.drop = all ? 0 : TENON_DROP_SKINS});
        look_of_scene after = look_at(b.scene, TENON_NONE, 0);
        fail_at(seed, looks_like(&before, &after, 2e-5));
        CHECK(b.scene->skin_count == 0 && b.scene->animation_count == 0);
        for (uint32_t i = 0; i < b.scene->node_count && all; i++) {
            const tenon_node *n = &b.scene->nodes[i];
            CHECK(n->parent == TENON_NONE);
            CHECK(n->mesh == TENON_NONE || (!n->has_matrix && n->scale[0] == 1));
            CHECK(n->mesh != TENON_NONE || n->camera != TENON_NONE || n->light != TENON_NONE);
        }
        scene_end(&b);
    }
}

// The sums are the same for windings, except for the areas.
TEST(windings_and_directions_move_nothing)
{
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        tn_scene_builder b;
        scene_begin(&b);
        make_random(&b, seed, true);
        looks before = look_often(b.scene);
        must_reshape(b.scene, (edits){.meshes.normals = (tenon_make)(seed % 4),
                                      .meshes.tangents = (tenon_make)(seed / 4 % 4),
                                      .meshes.reverse_winding = true,
                                      .meshes.flip_normals = seed % 2,
                                      .meshes.flip_u = seed % 3 == 0,
                                      .meshes.flip_v = seed % 5 == 0});
        looks after = look_often(b.scene);
        for (size_t i = 0; i < sizeof before.at / sizeof before.at[0]; i++)
            for (int k = 0; k < 3; k++) before.at[i].area[k] *= -1;
        fail_at(seed, has_moved(&before, &after, 1, 0, false));
        scene_end(&b);
    }
}

static edits random_opts(chance *c)
{
    static const double scales[] = {0, 1, 0.01, 1e6};
    static const tenon_new_shape shapes[] = {{NULL, "box/1/1/1"}};
    static const char *const all[] = {"*"};
    edits o = {
        .source.scale = scales[below(c, 4)],
        .source.turns = -(int)one_in(c, 2),
        .source.mirror = one_in(c, 2),
        .keep.drop = one_in(c, 2) ? below(c, 1 << 11) : 0,
        .meshes.flip_normals = one_in(c, 4),
        .meshes.flip_u = one_in(c, 4),
        .meshes.flip_v = one_in(c, 4),
        .meshes.reverse_winding = one_in(c, 4),
        .meshes.normals = (tenon_make)below(c, 4),
        .meshes.tangents = (tenon_make)below(c, 4),
        .meshes.max_influences = below(c, 6),
        .cut.start_at_first_key = one_in(c, 2),
        .meshes.pre_transform = one_in(c, 4),
        .meshes.join = below(c, 8),
        .meshes.shapes = shapes,
        .meshes.shape_count = below(c, 2),
        .clips.loops = all,
        .clips.loop_count = below(c, 2),
        .clips.holds = all,
        .clips.hold_count = below(c, 2),
        .space.scale = scales[below(c, 4)],
        .space.turns = (int)below(c, 4),
        .space.mirror = one_in(c, 2),
    };
    return o;
}

// Numbers from 1e-30 to 1e30: what floats cannot hold afterwards is an error and nothing worse.
TEST(odd_scenes_stay_valid_or_are_refused)
{
    uint32_t refused = 0;
    for (uint32_t seed = 0; seed < 2 * SEEDS; seed++) {
        tn_scene_builder b, other;
        tenon_error err;
        chance c = {seed, false};
        scene_begin(&b);
        scene_begin(&other);
        make_random(&b, seed, seed % 2);
        make_random(&other, seed + 1, true);
        edits opts = random_opts(&c);
        if (one_in(&c, 2)) opts.clips_from = other.scene;
        bool ok = reshape(b.scene, opts, &err);
        CHECK(ok || err.code == TENON_ERR_VALUE);
        refused += !ok;
        scene_end(&b);
        scene_end(&other);
    }
    CHECK(refused < SEEDS);
}

// The same scene and options give the same bytes.
TEST(every_run_gives_the_same)
{
    for (uint32_t seed = 0; seed < 200; seed++) {
        tn_scene_builder b[2];
        chance c[2] = {{seed, false}, {seed, false}};
        for (int i = 0; i < 2; i++) {
            scene_begin(&b[i]);
            make_random(&b[i], seed, true);
            must_reshape(b[i].scene, random_opts(&c[i]));
        }
        CHECK(b[0].scene->node_count == b[1].scene->node_count);
        CHECK(b[0].scene->mesh_count == b[1].scene->mesh_count);
        for (uint32_t i = 0; i < b[0].scene->mesh_count; i++)
            for (uint32_t k = 0; k < b[0].scene->meshes[i].primitive_count; k++) {
                const tenon_primitive *p = &b[0].scene->meshes[i].primitives[k];
                const tenon_primitive *q = &b[1].scene->meshes[i].primitives[k];
                CHECK(p->vertex_count == q->vertex_count && p->index_count == q->index_count);
                CHECK(memcmp(p->positions, q->positions, p->vertex_count * 12u) == 0);
                if (p->tangents)
                    CHECK(memcmp(p->tangents, q->tangents, p->vertex_count * 16u) == 0);
            }
        for (int i = 0; i < 2; i++) scene_end(&b[i]);
    }
}

// Every allocation fails once.
TEST(memory_may_run_out_anywhere)
{
    for (uint32_t seed = 0; seed < 12; seed++) {
        bool is_done = false;
        for (uint64_t refused = 1; refused < 4000 && !is_done; refused++) {
            hand_memory memory = {0};
            tenon_scene_opts opts = {.allocator = hand_allocator(&memory)};
            tn_scene_builder b, other;
            tenon_error err;
            chance c = {seed, false};
            CHECK(tn_scene_begin(&b, &opts, 0, &err));
            scene_begin(&other);
            make_random(&b, 7 * seed + 3, true);
            make_random(&other, seed, true);
            edits wishes = random_opts(&c);
            wishes.clips_from = other.scene;
            wishes.events.on_loss = note_loss;
            reported[0] = '\0';
            memory.refused = memory.calls + refused;
            is_done = edit_scene(b.scene, &wishes, &err);
            CHECK(is_done || err.code == TENON_ERR_MEMORY);
            tenon_scene_free(b.scene);
            scene_end(&other);
            CHECK(memory.live == 0);
        }
        CHECK(is_done);
    }
}

int main(void)
{
    RUN(no_options_change_nothing);
    RUN(spaces_change_as_a_whole);
    RUN(joining_moves_nothing);
    RUN(baking_keeps_the_rest_pose);
    RUN(windings_and_directions_move_nothing);
    RUN(odd_scenes_stay_valid_or_are_refused);
    RUN(every_run_gives_the_same);
    RUN(memory_may_run_out_anywhere);
    TEST_END();
}
