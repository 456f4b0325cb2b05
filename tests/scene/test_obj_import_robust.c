// test_obj_import_robust.c: OBJ files that are broken, hostile or written by the library.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../scratch.h"
#include "hand_scene.h"
#include "obj_import_help.h"

#include <time.h>

// -- Faults

TEST(faults_have_a_line_and_a_column)
{
    static const struct {
        const char *text, *path, *message;
        uint64_t line, column;
    } rows[] = {
        {"v 0 0\n", "v", "2 numbers, but it needs 3", 1, 1},
        {"v 0 0 x\n", "v", "'x' is not a number", 1, 7},
        {"\n  v 0 \\\n 0 1,5\n", "v", "'1,5' is not a number", 3, 4},
        {"v 0 nan 0", "v", "'nan' is not a finite number", 1, 5},
        {"v -INF 0 0", "v", "'-INF' is not a finite number", 1, 3},
        {"v 0 0 -1.#IND", "v", "'-1.#IND' is not a finite number", 1, 7},
        {"v 0 1e39 0", "v", "'1e39' is too large for 32 bits", 1, 5},
        {"v 0 +1.e39 0", "v", "'+1.e39' is too large for 32 bits", 1, 5},
        {"v 0 . 0", "v", "'.' is not a number", 1, 5},
        {"v 0 - 0", "v", "'-' is not a number", 1, 5},
        {"v 0 1e 0", "v", "'1e' is not a number", 1, 5},
        {"v 0 0x10 0", "v", "'0x10' is not a number", 1, 5},
        {"vn 1 0\n", "vn", "2 numbers, but it needs 3", 1, 1},
        {"vt\n", "vt", "0 numbers, but it needs 1", 1, 1},
        {TRIANGLE "f 1 2 4\n", "f", "vertex 4, but there are 3", 4, 7},
        {TRIANGLE "f 1 2 0\n", "f", "vertex 0, but there are 3", 4, 7},
        {TRIANGLE "f 1 2 -4\n", "f", "vertex -4, but there are 3 up to here", 4, 7},
        {"f 1 2 -1\n" TRIANGLE, "f", "vertex -1, but there are 0 up to here", 1, 7},
        {TRIANGLE "f 1/1 2 3\n", "f", "texture coordinate 1, but there are 0", 4, 3},
        {TRIANGLE "vn 0 0 1\nf 1//9 2 3\n", "f", "normal 9, but there are 1", 5, 3},
        {TRIANGLE "f 1 2 99999999999999999999999\n", "f", NULL, 4, 7},
        {TRIANGLE "f 1 2 3.0\n", "f", "'3.0' is not a valid corner", 4, 7},
        {TRIANGLE "f 1 2 /3\n", "f", "'/3' is not a valid corner", 4, 7},
        {TRIANGLE "f 1 2 3///\n", "f", "'3///' is not a valid corner", 4, 7},
        {TRIANGLE "f 1 2 -\n", "f", "'-' is not a valid corner", 4, 7},
        {TRIANGLE "l 1 +\n", "l", "'+' is not a valid corner", 4, 5},
        {TRIANGLE "\ts x\n", "s", "'x' is not a smoothing group", 4, 4},
        {TRIANGLE "s -1\n", "s", "'-1' is not a smoothing group", 4, 3},
        {"v 0 0 \x01\n", "v", "'?' is not a number", 1, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m = read_obj(rows[i].text);
        CHECK(!m.scene && m.err.code == TENON_ERR_VALUE);
        CHECK_STR(m.err.path, rows[i].path);
        if (rows[i].message) CHECK_STR(m.err.message, rows[i].message);
        CHECK(m.err.line == rows[i].line && m.err.column == rows[i].column);
        free_made(&m);
    }
}

// -- Damage

static uint32_t read_damaged(const char *data, size_t size)
{
    made m = read_bytes(data, size, (tenon_scene_opts){0});
    uint32_t is_made = m.scene != NULL;
    if (!m.scene) CHECK(m.err.code == TENON_ERR_VALUE && m.err.line > 0 && m.err.message[0]);
    if (!m.scene) CHECK(m.err.offset < size);
    free_made(&m);
    return is_made;
}

static const char *const fixtures[] = {"cube",      "lines", "negative",  "continued", "materials",
                                       "smoothing", "crlf",  "free_form", "colors"};

TEST(every_truncation_is_a_scene_or_a_fault)
{
    for (size_t f = 0; f < sizeof fixtures / sizeof fixtures[0]; f++) {
        char path[100];
        uint32_t made_count = 0;
        snprintf(path, sizeof path, "tests/fixtures/obj/%s.obj", fixtures[f]);
        blob file = blob_load(path);
        for (size_t size = 0; size <= file.size; size++) {
            char *exact = malloc(size ? size : 1);
            if (!exact) exit(1);
            memcpy(exact, file.data, size);
            made_count += read_damaged(exact, size);
            free(exact);
        }
        CHECK(made_count > 0);
        blob_free(&file);
    }
}

TEST(every_changed_byte_is_a_scene_or_a_fault)
{
    static const char bytes[] = " \n\\#/-9fvo.e\0\xFF";
    for (size_t f = 0; f < sizeof fixtures / sizeof fixtures[0]; f++) {
        char path[100];
        snprintf(path, sizeof path, "tests/fixtures/obj/%s.obj", fixtures[f]);
        blob file = blob_load(path);
        for (size_t i = 0; i < file.size; i++)
            for (size_t k = 0; k < sizeof bytes - 1; k++) {
                uint8_t was = file.data[i];
                file.data[i] = (uint8_t)bytes[k];
                read_damaged((const char *)file.data, file.size);
                file.data[i] = was;
            }
        blob_free(&file);
    }
}

TEST(every_allocation_may_fail)
{
    static const char text[] = "mtllib a.mtl\n" SQUARE "vt 0 0\no a \\\nb\nusemtl m\ns 1\n"
                               "f 1/1 2/1 3/1 4/1\nl 1 2\np 3\n";
    static const char mtl[] = "newmtl m\nKd 1 0 0\nmap_Kd a \\\nb.png\n";
    scratch_save("a.mtl", mtl, strlen(mtl));
    tenon_doc *doc = tenon_read(text, strlen(text), NULL, NULL);
    for (uint32_t fail_at = 1; doc && fail_at < 1000; fail_at++) {
        hand_memory memory = {.refused = fail_at};
        tenon_error err;
        tenon_scene_opts opts = {.allocator = hand_allocator(&memory),
                                 .model_path = scratch("a.obj")};
        tenon_scene *scene = tenon_to_scene(doc, &opts, &err);
        bool is_done = memory.calls < fail_at;
        CHECK(is_done == (scene != NULL));
        if (!scene) CHECK(err.code == TENON_ERR_MEMORY);
        tenon_scene_free(scene);
        CHECK(memory.live == 0);
        if (is_done) break;
    }
    tenon_doc_free(doc);
}

TEST(the_memory_limit_is_respected)
{
    made m = read_bytes(TRIANGLE "f 1 2 3\n", 32, (tenon_scene_opts){.max_memory = 1000});
    CHECK(!m.scene && m.err.code == TENON_ERR_LIMIT);
    free_made(&m);
}

static bool refuse(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    CHECK(done <= total);
    return false;
}

TEST(reading_can_be_cancelled)
{
    made m =
        read_bytes(TRIANGLE "f 1 2 3\n", 32, (tenon_scene_opts){.events = {.on_progress = refuse}});
    CHECK(!m.scene && m.err.code == TENON_ERR_CANCELLED);
    free_made(&m);
}

// -- Hostile

// `head`, then `line` with numbers 0, 1, 2... in place of '#', up to `size` bytes.
static char *repeat(const char *head, const char *line, size_t size, size_t *used)
{
    char *text = malloc(size + 4096);
    if (!text) exit(1);
    *used = strlen(head);
    memcpy(text, head, *used);
    for (unsigned i = 0; *used < size; i++)
        for (const char *p = line; *p; p++)
            *used += *p == '#' ? (size_t)snprintf(text + *used, 16, "%u", i)
                               : (size_t)(text[*used] = *p, 1);
    return text;
}

// Ten times the size must not take much more than ten times the time.
TEST(time_grows_with_size)
{
    static const char *const rows[][2] = {
        {TRIANGLE, "f 1 1 1\n"},
        {TRIANGLE "l", " 1 2 3"},
        {TRIANGLE, "o a#\nf 1 2 3\n"},
        {TRIANGLE "o a\n", "g a#\nf 1 2 3\n"},
        {TRIANGLE, "s #\nf 1 2 3\n"},
        {TRIANGLE, "mtllib a#\n"},
        {TRIANGLE "f", " 1 2 3 2"},
        {TRIANGLE "o ", "name"},
        {"", "v # 1 2\n"},
        {"vt 0 0\n" TRIANGLE, "f 1/1 2/1 3/1 \\\n"},
        {TRIANGLE, "\\\n"},
        {TRIANGLE "v 0 0 0.", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t size;
        char *text = repeat(rows[i][0], rows[i][1], 2000000, &size);
        clock_t start = clock();
        made m = read_bytes(text, size, (tenon_scene_opts){0});
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        CHECK(m.scene || m.err.code == TENON_ERR_VALUE);
        CHECK(seconds < 20);  // A fifth of one, without a sanitizer.
        free_made(&m);
        free(text);
    }
}

// Stars of many points are concave everywhere. Those that are too large become fans.
TEST(large_polygons_become_fans)
{
    enum { CORNERS = 40000 };
    size_t room = 40 * CORNERS, used = 0;
    char *text = malloc(room);
    if (!text) exit(1);
    for (unsigned i = 0; i < CORNERS; i++)
        used += (size_t)snprintf(text + used, room - used, "v %u %u 0\n", i, i % 2);
    used += (size_t)snprintf(text + used, room - used, "v 0 -9 0\nf");
    for (unsigned i = CORNERS + 1; i > 0; i--)
        used += (size_t)snprintf(text + used, room - used, " %u", i);
    made m = good(text);
    CHECK(lost(&m, TENON_APPROXIMATED, "polygons") == 1);
    CHECK(part(&m, 0, 0)->index_count == 3 * (CORNERS - 1));
    free_made(&m);
    free(text);
}

// -- Written by ourselves

static tenon_scene *scene_of(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene *scene =
        doc ? tenon_to_scene(doc, &(tenon_scene_opts){.model_path = path}, &err) : NULL;
    if (!scene) fprintf(stderr, "%s: %s\n", path, err.message);
    CHECK(scene != NULL);
    tenon_doc_free(doc);
    return scene;
}

static void check_clip(const tenon_scene *a, uint32_t clip, double seconds)
{
    tenon_verify_result result = {0};
    tenon_verify_opts opts = {.at_one_time = clip != TENON_NONE, .seconds = seconds};
    if (clip != TENON_NONE) opts.clip = a->animations[clip].name.data;
    const char *path = scratch("out.obj");
    tenon_export_opts with = {.format = "obj", .clip = opts.clip, .seconds = seconds};
    CHECK(tenon_export_file(a, path, &with, &(tenon_write_opts){.force = true}, NULL));
    tenon_scene *b = scene_of(path);
    if (!b) return;
    CHECK(tenon_verify(a, b, &opts, &result, NULL));
    CHECK(result.largest <= 1e-6 && result.missing_meshes == 0 && result.reversed == 0);
    CHECK(result.matched == 1 && !result.by_surface);
    tenon_scene_free(b);
}

TEST(what_we_write_is_read_back)
{
    static const char *const paths[] = {"samples/crane.bbmod", "samples/crane.gpb",
                                        "samples/crane.bmw",   "samples/crane.cem",
                                        "samples/crane.cea",   "samples/crane.bplx"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        tenon_scene *a = scene_of(paths[i]);
        if (!a) continue;
        check_clip(a, TENON_NONE, 0);
        for (uint32_t clip = 0; clip < a->animation_count; clip++)
            check_clip(a, clip, 0.5 * a->animations[clip].duration);
        tenon_scene_free(a);
    }
}

static void note_difference(void *user, const tenon_difference *d)
{
    bool *is_known = user;
    // What OBJ cannot hold, and the exporter reports.
    static const char *const known[] = {"tangents", "extras", "alpha", "collision_shape"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(d->path, known[i])) return;
    fprintf(stderr, "%s: '%s' '%s'\n", d->path, d->a, d->b);
    *is_known = false;
}

TEST(nothing_differs_except_what_is_reported)
{
    tenon_scene *a = scene_of("samples/crane.cem");
    if (!a) return;
    const char *path = scratch("out.obj");
    tenon_export_opts with = {.format = "obj", .model_path = "samples/x"};
    CHECK(tenon_export_file(a, path, &with, &(tenon_write_opts){.force = true}, NULL));
    tenon_scene *b = scene_of(path);
    uint64_t count = 0;
    bool is_known = true;
    if (b) CHECK(tenon_diff(a, b, NULL, note_difference, &is_known, &count, NULL));
    CHECK(is_known && count > 0);
    tenon_scene_free(b);
    tenon_scene_free(a);
}

// -- Other texts

TEST(other_texts_are_not_taken_for_obj)
{
    static const char *const texts[] = {
        "newmtl red\nKd 1 0 0\nNs 5\n",
        "# A heading\n\nv is the velocity, f the force.\n",
        "material glass\n{\n    u_color = 1, 0, 0\n}\n",
        "{\"v\": [1, 2, 3]}",
        "o brother, where art thou\n",
        "g\ng\ng\n",
        "f x y z\n",
        "ply\nformat ascii 1.0\n",
        "v 1 2\n",
        "solid cube\nfacet normal 0 0 1\n",
        "v 1 2 3\n\0\0",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tenon_error err;
        size_t size = strlen(texts[i]) + (i == sizeof texts / sizeof texts[0] - 1 ? 2 : 0);
        tenon_doc *doc = tenon_read(texts[i], size, NULL, &err);
        CHECK(!doc && err.code == TENON_ERR_FORMAT);
        tenon_doc_free(doc);
    }
}

// Programs sign their files: a file, or the part of it that is probed, may be all comments.
TEST(comments_alone_are_obj_if_the_name_says_so)
{
    static const char line[] = "# v 1 2 3, said the program\n";
    enum { LINES = 4000 };
    char *text = malloc(LINES * (sizeof line - 1) + 64);
    if (!text) exit(1);
    size_t size = 0;
    for (int i = 0; i < LINES; i++, size += sizeof line - 1)
        memcpy(text + size, line, sizeof line - 1);
    size += (size_t)sprintf(text + size, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const size_t sizes[] = {sizeof line - 1, size};
    for (int i = 0; i < 2; i++) {
        tenon_read_opts opts = {.name = "folder/model.OBJ"};
        tenon_error err;
        tenon_doc *doc = tenon_read(text, sizes[i], &opts, &err);
        CHECK(doc && strcmp(doc->format->name, "obj") == 0);
        tenon_doc_free(doc);
    }
    free(text);
}

// How they are cut is a guess, which is reported.
TEST(polygons_that_cross_themselves_are_reported)
{
    static const struct {
        const char *text;
        bool is_crossing;
    } cases[] = {
        {"v 0 0 0\nv 2 0 0\nv 0 2 0\nv 3 2 0\nf 1 2 3 4\n", true},
        {"v 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 2 0\nf 1 2 3 4\n", true},
        {"v 0 0 0\nv 0 0 2\nv 0 2 0\nv 0 2 2\nf 1 2 3 4\n", true},
        {"v 0 3 0\nv 2 -2 0\nv -3 1 0\nv 3 1 0\nv -2 -2 0\nf 1 2 3 4 5\n", true},
        {"v 0 2 0\nv 1 0 0\nv 0 0.5 0\nv -1 0 0\nf 2 1 4 3\n", false},
        {"v 0 0 0\nv 3 0 0\nv 3 3 0\nv 0 3 0\nv 1 1 0\nv 1 2 0\nv 2 2 0\nv 2 1 0\n"
         "f 1 2 3 4 1 5 6 7 8 5\n",
         false},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 3 2 4\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = good(cases[i].text);
        CHECK(lost(&m, TENON_APPROXIMATED, "polygons") == cases[i].is_crossing);
        free_made(&m);
    }
}

// Whether a polygon is reported to cross itself, its corners counted from `first`, forwards or
// back.
static bool is_told_to_cross(const float (*points)[2], uint32_t count, uint32_t first, bool is_back)
{
    char text[1000];
    size_t size = 0;
    for (uint32_t i = 0; i < count; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "v %d %d 0\n", (int)points[i][0],
                                 (int)points[i][1]);
    size += (size_t)snprintf(text + size, sizeof text - size, "f");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t corner = (first + (is_back ? count - i : i)) % count;
        size += (size_t)snprintf(text + size, sizeof text - size, " %u", (unsigned)corner + 1);
    }
    snprintf(text + size, sizeof text - size, "\n");
    made m = good(text);
    bool is_told = lost(&m, TENON_APPROXIMATED, "polygons");
    free_made(&m);
    return is_told;
}

// The first corner of a polygon and its direction make no difference.
TEST(polygons_that_touch_themselves_do_not_cross)
{
    static const struct {
        uint32_t count;
        bool is_crossing;
        float points[10][2];
    } cases[] = {
        {7, false, {{0, 0}, {6, 0}, {6, 4}, {4, 4}, {3, 0}, {2, 4}, {0, 4}}},  // From inside.
        {7, true, {{0, 0}, {6, 0}, {6, 4}, {4, 4}, {3, -1}, {2, 4}, {0, 4}}},
        {9, false, {{0, 0}, {4, 0}, {4, 4}, {-3, 4}, {-3, 1}, {-1, 1}, {0, 2}, {-1, 3}, {0, 3}}},
        {9, true, {{0, 0}, {4, 0}, {4, 4}, {-3, 4}, {-3, 1}, {-1, 1}, {1, 2}, {-1, 3}, {0, 3}}},
        {6, false, {{0, 0}, {2, 2}, {4, 0}, {4, 4}, {2, 2}, {0, 4}}},  // In a corner.
        {4, true, {{0, 0}, {4, 0}, {0, 4}, {4, 5}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t first = 0; first < cases[i].count; first++)
            for (int is_back = 0; is_back < 2; is_back++)
                CHECK(is_told_to_cross(cases[i].points, cases[i].count, first, is_back) ==
                      cases[i].is_crossing);
}

int main(void)
{
    scratch_begin();
    RUN(faults_have_a_line_and_a_column);
    RUN(every_truncation_is_a_scene_or_a_fault);
    RUN(every_changed_byte_is_a_scene_or_a_fault);
    RUN(every_allocation_may_fail);
    RUN(the_memory_limit_is_respected);
    RUN(reading_can_be_cancelled);
    RUN(time_grows_with_size);
    RUN(large_polygons_become_fans);
    RUN(what_we_write_is_read_back);
    RUN(nothing_differs_except_what_is_reported);
    RUN(other_texts_are_not_taken_for_obj);
    RUN(comments_alone_are_obj_if_the_name_says_so);
    RUN(polygons_that_cross_themselves_are_reported);
    RUN(polygons_that_touch_themselves_do_not_cross);
    scratch_end();
    TEST_END();
}
