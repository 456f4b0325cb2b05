// test_bmw_sidecar.c: the JSON sidecar of BMW: its contents, mistakes in it, rewriting it, its
// rules.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE

#include "../scratch.h"
#include "model_help.h"

#include <tenon/bmw.h>

#define FOLDER "tests/fixtures/bmw/"

// Every key, spelled as people spell them, with unknown keys in between.
static const char everything[] =
    "{\r\n"
    "\t\"author\": \"me\",\r\n"
    "\t\"defaultAnim\": \"w\\u0061lk\",\r\n"
    "\t\"rotation\": 90.0,\r\n"
    "\t\"rotationAngle\": \"0.978734 .5  -2.\",\r\n"
    "\t\"translation\":\"+1 -0.5e1 007\",\r\n"
    "\t\"scale\": \"0.25 0.25 0.25\",\r\n"
    "\t\"clips\" : [\r\n"
    "\t\t{\"name\": \"walk\", \"start\": 2, \"end\": 26.5,\r\n"
    "\t\t \"loop\": true, \"mode\": \"hold\"},\r\n"
    "\t\t{\"file\": \"lich/Run.bmw\", \"name\": \"run\", \"x\": []},\r\n"
    "\t\t{\"end\": 9, \"start\": 1e0, \"name\": \"die\", \"hold\": true}\r\n"
    "\t],\r\n"
    "\t\"textureOverrides\": [ {\"texture\": \"a.dds\"},\r\n"
    "\t\t{\"texture\": \"b.png\", \"why\": null} ]\r\n"
    "}";

static tenon_bmw_sidecar *parse(const char *text)
{
    tenon_error err;
    tenon_bmw_sidecar *sidecar = tenon_bmw_sidecar_read(text, strlen(text), NULL, &err);
    if (sidecar) return sidecar;
    fprintf(stderr, "%s\n%s: %s\n", text, err.path, err.message);
    exit(1);
}

// The text of the sidecar is `expected`.
static void check_text(tenon_bmw_sidecar *sidecar, const char *expected)
{
    blob text = {0};
    tenon_error err;
    CHECK(tenon_bmw_sidecar_write(sidecar, blob_add, &text, &err));
    blob_add(&text, "", 1);
    CHECK_STR((const char *)text.data, expected);
    blob_free(&text);
}

// -- Contents

TEST(every_key_is_read)
{
    tenon_bmw_sidecar *s = parse(everything);
    CHECK_STR(s->default_anim.data, "walk");
    CHECK(s->rotation == 90 && s->rotation_angle[0] == 0.978734);
    CHECK(s->rotation_angle[1] == 0.5 && s->rotation_angle[2] == -2);
    CHECK(s->translation[0] == 1 && s->translation[1] == -5 && s->translation[2] == 7);
    CHECK(s->scale[0] == 0.25 && s->clip_count == 3 && s->texture_override_count == 2);
    CHECK_STR(s->clips[0].name.data, "walk");
    CHECK(s->clips[0].has_range && s->clips[0].start == 2 && s->clips[0].end == 26.5);
    CHECK(s->clips[0].loop && !s->clips[0].hold && s->clips[0].file.size == 0);
    CHECK_STR(s->clips[1].file.data, "lich/Run.bmw");
    CHECK(!s->clips[1].has_range && !s->clips[1].loop);
    CHECK(s->clips[2].start == 1 && s->clips[2].hold);
    CHECK_STR(s->texture_overrides[1].data, "b.png");
    CHECK(tenon_bmw_clip_animation(s, 0) == 0 && tenon_bmw_clip_animation(s, 2) == 1);
    static const char *const ignored[] = {"author", "clips[0].mode", "clips[1].x",
                                          "textureOverrides[1].why"};
    CHECK(s->ignored_count == 4);
    for (uint32_t i = 0; i < s->ignored_count && i < 4; i++)
        CHECK_STR(s->ignored[i].data, ignored[i]);
    tenon_bmw_sidecar_free(s);
}

TEST(what_is_absent_has_the_engines_default)
{
    tenon_bmw_sidecar *s = parse("{}");
    CHECK_STR(s->default_anim.data, "idle");
    CHECK(s->rotation == 0 && s->rotation_angle[1] == 1 && s->translation[0] == 0);
    CHECK(s->scale[2] == 1 && s->clip_count == 0 && s->texture_override_count == 0);
    CHECK(s->ignored_count == 0);
    check_text(s, "{}");
    tenon_bmw_sidecar_free(s);
    tenon_bmw_sidecar_free(NULL);
}

// -- Mistakes

typedef struct mistake {
    const char *text;
    uint64_t line, column;
    const char *path, *message;
} mistake;

// Its place and what is reported about it.
static void check_mistake(const mistake *m, uint64_t line, uint64_t column, const char *path,
                          const char *message)
{
    if (line == m->line && column == m->column && strcmp(path, m->path) == 0 &&
        strstr(message, m->message))
        return;
    fprintf(stderr, "%s\n  %" PRIu64 ":%" PRIu64 ": %s: %s\n", m->text, line, column, path,
            message);
    test_failures++;
}

static const mistake errors[] = {
    {"", 1, 1, "", "has no value"},
    {"[]", 1, 1, "", "the sidecar must be an object, not an array"},
    {"{\"rotation\": 1,\n}", 1, 15, "", "nothing follows the last ','"},
    {"{\n // no\n}", 2, 2, "", "comment"},
    {"{\"scale\": \"1 1 1\",\n\"scale\": \"1 1 1\"}", 2, 1, "scale", "twice"},
};

TEST(what_is_not_a_json_object_is_an_error_with_its_place)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        tenon_error err;
        const char *text = errors[i].text;
        CHECK(tenon_bmw_sidecar_read(text, strlen(text), NULL, &err) == NULL);
        CHECK(err.code == TENON_ERR_VALUE);
        check_mistake(&errors[i], err.line, err.column, err.path, err.message);
    }
}

static const mistake faults[] = {
    {"{\"rotation\": \"90\"}", 1, 14, "rotation", "'rotation' must be a number, not a string"},
    {"{\"rotation\": 1e999}", 1, 14, "rotation", "'rotation' is too large"},
    {"{\"scale\": 2}", 1, 11, "scale", "'scale' must be a string, not a number"},
    {"{\"scale\": \"1 1\"}", 1, 11, "scale", "'scale' must be three numbers, like \"0 1 0\""},
    {"{\"scale\": \"1 1 1 1\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": \"1 1 x\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": \"1 1 .\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": \"1 1 +-1\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": \"1 1 1..2\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": \"1 1 1.2.\"}", 1, 11, "scale", "must be three numbers"},
    {"{\"scale\": [1, 1, 1]}", 1, 11, "scale", "'scale' must be a string, not an array"},
    {"{\"defaultAnim\": null}", 1, 17, "defaultAnim", "must be a string, not null"},
    {"{\"clips\": {}}", 1, 11, "clips", "'clips' must be an array, not an object"},
    {"{\"clips\": [7]}", 1, 12, "clips[0]", "a clip must be an object, not a number"},
    {"{\"clips\": [{\"start\": 1, \"end\": 2}]}", 1, 12, "clips[0]", "the clip has no 'name'"},
    {"{\"clips\": [{\"name\": \"a\", \"start\": 1}]}", 1, 12, "clips[0]",
     "the clip has neither 'start' and 'end' nor a 'file'"},
    {"{\"clips\": [{\"name\": \"a\", \"start\": \"1\", \"end\": 2}]}", 1, 35, "clips[0].start",
     "'start' must be a number, not a string"},
    {"{\"clips\": [{\"name\": \"a\", \"file\": 1}]}", 1, 34, "clips[0].file",
     "'file' must be a string, not a number"},
    {"{\"clips\": [{\"name\": \"a\", \"loop\": 1, \"start\": 0, \"end\": 2}]}", 1, 34,
     "clips[0].loop", "'loop' must be true or false, not a number"},
    {"{\"clips\": [{\"name\": [], \"start\": 0, \"end\": 2}]}", 1, 21, "clips[0].name",
     "'name' must be a string, not an array"},
    {"{\"textureOverrides\": \"a\"}", 1, 22, "textureOverrides", "must be an array"},
    {"{\"textureOverrides\": [{}]}", 1, 23, "textureOverrides[0]", "the override has no 'texture'"},
    {"{\"textureOverrides\": [[{}]]}", 1, 23, "textureOverrides[0]",
     "an override must be an object, not an array"},
    {"{\"textureOverrides\": [{\"texture\": 5}]}", 1, 35, "textureOverrides[0].texture",
     "'texture' must be a string, not a number"},
};

// As if it were absent; and the text stays as it is.
TEST(a_value_that_cannot_be_used_is_ignored)
{
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        tenon_bmw_sidecar *s = parse(faults[i].text);
        CHECK(s->fault_count == 1 && s->listed_fault_count == 1);
        check_mistake(&faults[i], s->faults[0].line, s->faults[0].column, s->faults[0].path.data,
                      s->faults[0].message.data);
        CHECK_STR(s->default_anim.data, "idle");
        CHECK(s->rotation == 0 && s->scale[0] == 1 && s->scale[1] == 1 && s->scale[2] == 1);
        CHECK(s->ignored_count == 0);
        check_text(s, faults[i].text);
        tenon_bmw_sidecar_free(s);
    }
}

static const char mixed[] =
    "{\"rotation\": true, \"scale\": \"2 2 2\", \"defaultAnim\": \"b\", \"clips\": [\n"
    "  {\"name\": \"a\", \"start\": null, \"end\": 3, \"hold\": true},\n"
    "  {\"name\": \"b\", \"start\": 4, \"end\": 6, \"loop\": \"yes\", \"hold\": false},\n"
    "  8,\n"
    "  {\"name\": 7, \"start\": 0, \"end\": 1, \"loop\": false}],\n"
    " \"textureOverrides\": [{\"texture\": 1}, {\"texture\": \"b.dds\"}, \"c.dds\"]}";

TEST(one_bad_value_leaves_the_others)
{
    tenon_bmw_sidecar *s = parse(mixed);
    CHECK(s->fault_count == 7 && s->rotation == 0 && s->scale[0] == 2);
    CHECK_STR(s->default_anim.data, "b");
    CHECK(s->clip_count == 4);
    CHECK(!s->clips[0].has_range && s->clips[0].hold && s->clips[0].has_hold);
    CHECK(s->clips[1].has_range && s->clips[1].start == 4 && s->clips[1].end == 6);
    CHECK(!s->clips[1].loop && !s->clips[1].has_loop && s->clips[1].has_hold && !s->clips[1].hold);
    CHECK(!s->clips[2].has_range && s->clips[2].name.size == 0);
    CHECK(s->clips[3].has_range && s->clips[3].name.size == 0 && s->clips[3].has_loop);
    CHECK(s->texture_override_count == 3 && !s->texture_overrides[0].data);
    CHECK_STR(s->texture_overrides[1].data, "b.dds");
    CHECK(!s->texture_overrides[2].data);
    check_text(s, mixed);
    tenon_bmw_sidecar_free(s);
}

TEST(what_cannot_be_used_can_be_replaced)
{
    tenon_bmw_sidecar *s = parse("{\"rotation\": [], \"clips\": [7, {\"name\": 1, \"start\": 0, "
                                 "\"end\": 1, \"loop\": 2}], \"textureOverrides\": [5]}");
    s->rotation = 45;
    s->clips[0].name = (tenon_str){"a", 1};
    s->clips[0].file = (tenon_str){"a.bmw", 5};
    s->clips[1].name = (tenon_str){"b", 1};
    s->clips[1].loop = true;
    s->texture_overrides[0] = (tenon_str){"t.dds", 5};
    blob text = {0};
    CHECK(tenon_bmw_sidecar_write(s, blob_add, &text, NULL));
    tenon_bmw_sidecar *again = tenon_bmw_sidecar_read((char *)text.data, text.size, NULL, NULL);
    CHECK(again && again->fault_count == 0 && again->rotation == 45 && again->clip_count == 2);
    if (again) {
        CHECK_STR(again->clips[0].file.data, "a.bmw");
        CHECK_STR(again->clips[1].name.data, "b");
        CHECK(again->clips[1].loop && again->clips[1].end == 1);
        CHECK_STR(again->texture_overrides[0].data, "t.dds");
    }
    tenon_bmw_sidecar_free(again);
    blob_free(&text);
    tenon_bmw_sidecar_free(s);
    s = parse("{\"clips\": 5, \"textureOverrides\": 6}");
    check_text(s, "{\"clips\": 5, \"textureOverrides\": 6}");
    tenon_bmw_clip clip = {.name = {"n", 1}, .has_range = true, .end = 2, .has_loop = true};
    tenon_str texture = {"u.dds", 5};
    s->clips = &clip;
    s->texture_overrides = &texture;
    s->clip_count = s->texture_override_count = 1;
    check_text(s, "{\"clips\": [{\"name\": \"n\", \"start\": 0, \"end\": 2, \"loop\": false}], "
                  "\"textureOverrides\": [{\"texture\": \"u.dds\"}]}");
    tenon_bmw_sidecar_free(s);
}

// Each is searched for in the text, so that describing all would take long.
TEST(of_many_faults_the_first_are_described)
{
    char text[64 + 2 * 500] = "{\"clips\": [0";
    for (int i = 1; i < 500; i++) strcat(text, ",0");
    strcat(text, "]}");
    tenon_bmw_sidecar *s = parse(text);
    CHECK(s->fault_count == 500 && s->listed_fault_count == 100);
    CHECK_STR(s->faults[99].path.data, "clips[99]");
    check_text(s, text);
    tenon_bmw_sidecar_free(s);
}

TEST(loop_and_hold_that_are_false_stay)
{
    static const char text[] = "{\"clips\": [{\"name\": \"a\", \"start\": 0, \"end\": 1, "
                               "\"loop\": false, \"hold\": false}]}";
    tenon_bmw_sidecar *s = parse(text);
    CHECK(s->clips[0].has_loop && !s->clips[0].loop && s->clips[0].has_hold && !s->clips[0].hold);
    check_text(s, text);
    tenon_bmw_sidecar_free(s);
}

// -- Rewriting

TEST(what_is_not_changed_is_written_as_it_was)
{
    tenon_bmw_sidecar *s = parse(everything);
    check_text(s, everything);
    tenon_bmw_sidecar_free(s);
}

// A file without a name, a start without an end: they have no effect, but they were there.
TEST(what_has_no_effect_is_kept)
{
    static const char text[] =
        "{\"clips\": [{\"name\": \"a\", \"start\": 0, \"end\": 1, \"file\": \"\"},"
        " {\"name\": \"b\", \"file\": \"b.bmw\", \"start\": 3}]}";
    tenon_bmw_sidecar *s = parse(text);
    CHECK(s->clips[0].has_range && s->clips[0].file.size == 0 && !s->clips[1].has_range);
    check_text(s, text);
    s->clips[1].start = 4;  // Still without an end.
    check_text(s, text);
    tenon_bmw_sidecar_free(s);
}

TEST(what_a_clip_no_longer_has_is_removed)
{
    tenon_bmw_sidecar *s = parse("{\"clips\": [{\"name\": \"a\", \"start\": 0, \"end\": 1}, "
                                 "{\"name\": \"b\", \"file\": \"b.bmw\"}]}");
    s->clips[0].has_range = false;
    s->clips[0].file = (tenon_str){"a.bmw", 5};
    s->clips[1].file = (tenon_str){NULL, 0};
    s->clips[1].has_range = true;
    s->clips[1].end = 2;
    check_text(s, "{\"clips\": [{\"name\": \"a\", \"file\": \"a.bmw\"}, "
                  "{\"name\": \"b\", \"start\": 0, \"end\": 2}]}");
    tenon_bmw_sidecar_free(s);
}

TEST(overrides_keep_their_unknown_keys)
{
    tenon_bmw_sidecar *s = parse("{\"textureOverrides\": [{\"texture\": \"a\", \"x\": 1}, "
                                 "{\"texture\": \"b\", \"x\": 2}]}");
    s->texture_override_count = 1;
    s->texture_overrides[0] = (tenon_str){NULL, 0};
    check_text(s, "{\"textureOverrides\": [{\"texture\": \"\", \"x\": 1}]}");
    tenon_bmw_sidecar_free(s);
}

TEST(a_change_touches_only_its_value)
{
    static const char before[] = "{\n  \"scale\": \"1 2 3\", \"k\": [1,  2],\n  \"clips\": [\n"
                                 "    {\"name\": \"a\", \"start\": 0, \"end\": 5, \"mode\": 1}\n"
                                 "  ]\n}\n";
    static const char after[] = "{\n  \"scale\": \"1 2.5 3\", \"k\": [1,  2],\n  \"clips\": [\n"
                                "    {\"name\": \"a\", \"start\": 0, \"end\": 7, \"mode\": 1}\n"
                                "  ]\n}\n";
    tenon_bmw_sidecar *s = parse(before);
    s->scale[1] = 2.5;
    s->clips[0].end = 7;
    check_text(s, after);
    check_text(s, after);
    s->scale[1] = 2;
    s->clips[0].end = 5;
    check_text(s, before);
    tenon_bmw_sidecar_free(s);
}

TEST(clips_keep_their_unknown_keys_wherever_they_go)
{
    tenon_bmw_sidecar *s =
        parse("{\"clips\": [{\"name\": \"a\", \"start\": 0, \"end\": 1, \"mode\": \"A\"},"
              " {\"name\": \"b\", \"start\": 2, \"end\": 3, \"mode\": \"B\"}]}");
    tenon_bmw_clip *clips = tenon_bmw_sidecar_alloc(s, 3 * sizeof *clips);
    if (!clips) abort();
    clips[0] = s->clips[1];
    clips[1] = s->clips[0];
    clips[1].name = (tenon_str){"z", 1};
    clips[2] = (tenon_bmw_clip){.name = {"new", 3}, .file = {"n.bmw", 5}, .loop = true};
    s->clips = clips;
    s->clip_count = 3;
    blob text = {0};
    CHECK(tenon_bmw_sidecar_write(s, blob_add, &text, NULL));
    tenon_bmw_sidecar *again = tenon_bmw_sidecar_read((char *)text.data, text.size, NULL, NULL);
    CHECK(again && again->clip_count == 3 && again->ignored_count == 2);
    if (!again) return;
    CHECK_STR(again->clips[0].name.data, "b");
    CHECK_STR(again->clips[1].name.data, "z");
    CHECK_STR(again->clips[2].file.data, "n.bmw");
    CHECK(again->clips[2].loop && !again->clips[2].has_range);
    blob_add(&text, "", 1);
    const char *b = strstr((char *)text.data, "\"B\""), *a = strstr((char *)text.data, "\"A\"");
    CHECK(b && a && b < a);
    s->clip_count = 0;
    check_text(s, "{\"clips\": []}");
    tenon_bmw_sidecar_free(s);
    tenon_bmw_sidecar_free(again);
    blob_free(&text);
}

TEST(a_new_sidecar_starts_empty)
{
    tenon_bmw_sidecar *s = parse("{}\n");
    tenon_str texture = {"skin.dds", 8};
    tenon_bmw_clip clip = {.name = {"idle", 4}, .has_range = true, .start = 0, .end = 24};
    s->rotation = 180;
    s->clips = &clip;
    s->clip_count = 1;
    s->texture_overrides = &texture;
    s->texture_override_count = 1;
    blob text = {0};
    CHECK(tenon_bmw_sidecar_write(s, blob_add, &text, NULL));
    tenon_bmw_sidecar *again = tenon_bmw_sidecar_read((char *)text.data, text.size, NULL, NULL);
    CHECK(again && again->rotation == 180 && again->clip_count == 1 && again->clips[0].end == 24);
    if (again) CHECK_STR(again->texture_overrides[0].data, "skin.dds");
    tenon_bmw_sidecar_free(again);
    tenon_bmw_sidecar_free(s);
    blob_free(&text);
}

TEST(what_json_cannot_hold_is_not_written)
{
    tenon_error err;
    tenon_bmw_sidecar *s = parse("{}");
    s->scale[0] = 1e308 * 10;
    CHECK(!tenon_bmw_sidecar_write(s, blob_add, NULL, &err));
    CHECK_STR(err.message, "'scale' is not finite");
    s->scale[0] = 1;
    s->default_anim = (tenon_str){"\xff", 1};
    CHECK(!tenon_bmw_sidecar_write(s, blob_add, NULL, &err) && err.code == TENON_ERR_VALUE);
    CHECK_STR(err.message, "'defaultAnim' is not valid UTF-8");
    tenon_bmw_sidecar_free(s);
}

// -- Beside a model

static void keep_name(void *user, const char *name)
{
    snprintf(user, 64, "%s", name);
}

TEST(the_sidecar_has_the_name_of_the_model)
{
    tenon_error err;
    char name[64] = "";
    tenon_doc *doc = tenon_read_file("samples/crane.bmw", NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    tenon_sidecars(doc, "some/where/robot.v2.bmw", keep_name, name);
    CHECK_STR(name, "robot.v2.json");
    tenon_bmw_sidecar *s = tenon_bmw_sidecar_beside("samples/crane.bmw", NULL, &err);
    CHECK(s && s->clip_count == 3 && s->ignored_count == 0);
    tenon_info info;
    tenon_bmw_sidecar_free(s);
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.model_path = "samples/crane.bmw"}, &info, &err));
    CHECK(info.clip_count == 3 && info.clips[1].seconds == 2 && info.clips[1].frames == 41);
    CHECK_STR(info.clips[2].name.data, "lift");
    CHECK_STR(info.facts[info.fact_count - 1].label, "first clip");
    CHECK_STR(info.facts[info.fact_count - 1].text, "rest");
    CHECK(!tenon_bmw_sidecar_beside(FOLDER "R4_full.bmw", NULL, &err) && err.code == TENON_OK);
    scratch_save("lich/crane.json", "{\n,}", 4);
    tenon_info_free(&info);
    CHECK(tenon_doc_info(doc, &(tenon_info_opts){.model_path = scratch("lich/crane.bmw")}, &info,
                         &err));
    CHECK(info.clip_count == 1);
    CHECK_STR(info.facts[info.fact_count - 1].label, "sidecar");
    CHECK(strncmp(info.facts[info.fact_count - 1].text, "line 2, column 1: ", 18) == 0);
    tenon_info_free(&info);
    tenon_doc_free(doc);
}

static void check_texture(const char *texture, const char *expected)
{
    char out[32];
    tenon_bmw_texture_name((tenon_str){texture, (uint32_t)strlen(texture)}, out, sizeof out);
    CHECK_STR(out, expected);
}

TEST(textures_are_looked_for_as_dds)
{
    char out[8];
    check_texture("a/b.png", "a/b.dds");
    check_texture("b.jpg", "b.dds");
    check_texture("b.jpg.old", "b.dds");
    check_texture("b.tga", "b.tga");
    check_texture("b.jpeg", "b.jpeg");
    check_texture("", "");
    memset(out, 'x', sizeof out);
    CHECK(tenon_bmw_texture_name((tenon_str){"longer.png", 10}, out, sizeof out) == 0);
    CHECK_STR(out, "");
    CHECK(tenon_bmw_texture_name((tenon_str){"a", 1}, NULL, 0) == 0);
}

// -- Nodes of the same name

TEST(nodes_of_another_file_are_found_by_name)
{
    tenon_error err;
    tenon_doc *a = tenon_read_file(FOLDER "R4_full.bmw", NULL, &err);
    tenon_doc *b = tenon_read_file(FOLDER "R4_tick_zero.bmw", NULL, &err);
    uint32_t ids[2], unmatched;
    char text[128];
    CHECK(a && b);
    if (!a || !b) return;
    tenon_bmw *model = tenon_as_bmw(a), *other = tenon_as_bmw(b);
    other->names[0].name = (tenon_str){"lamp", 4};  // Node 1 there, node 3 here.
    other->names[1].name = (tenon_str){"toe", 3};
    CHECK(tenon_bmw_match(model, other, &other->animations[0], ids, &unmatched, &err));
    CHECK(ids[0] == 3 && ids[1] == 2 && unmatched == 1);
    CHECK(tenon_relate(a, b, text, sizeof text));
    CHECK_STR(text, "of 2 nodes that the animation moves, 1 were found by name");
    tenon_doc_free(a);
    tenon_doc_free(b);
}

// -- Rules

static void note_rule(void *user, const tenon_finding *finding)
{
    char *text = user;
    size_t used = strlen(text);
    const char *colon = strstr(finding->path, ".json");
    if (!colon && !strstr(finding->rule->id, "unreached") && !strstr(finding->rule->id, "clip") &&
        !strstr(finding->rule->id, "unmoved"))
        return;
    snprintf(text + used, 1024 - used, "%s %s: %s; ", finding->rule->id + 4,
             colon ? colon + 5 : finding->path, finding->message);
}

// What is found in a model with this sidecar, in a folder called `lich`.
static void check_findings(const char *model, const char *json, const char *expected)
{
    char text[1024] = "";
    tenon_error err;
    tenon_doc *doc = tenon_read_file(model, NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    scratch_save("lich/model.json", json, strlen(json));
    const tenon_check_opts opts = {.model_path = scratch("lich/model.bmw")};
    CHECK(tenon_check(doc, &opts, note_rule, text, NULL, &err));
    CHECK_STR(text, expected);
    tenon_doc_free(doc);
}

#define IDLE "{\"name\": \"idle\", \"start\": 0, \"end\": 1}"

static void copy_to_scratch(const char *from, const char *name)
{
    blob file = blob_load(from);
    scratch_save(name, file.data, file.size);
    blob_free(&file);
}

TEST(the_sidecar_has_rules)
{
    const char *model = FOLDER "R4_full.bmw", *first = FOLDER "R4_tick_zero.bmw";
    const char *second =
        "animation-unreached animations[1]: 'model.json' has no clip that plays the animation; ";
    check_findings(first, "{\"clips\": [" IDLE "]}", "");
    check_findings(model, "{\"clips\": [" IDLE "]}", second);
    check_findings(
        first, "{\"a\": 1}",
        "clip-missing animations: 'model.json' has no clips, but the model has animations: 1; "
        "sidecar-key :a: the engine ignores this key; ");
    check_findings(
        first, "{\"clips\": [" IDLE ", {\"name\": \"idle\", \"start\": []}, 1]}",
        "sidecar-invalid :clips[1].start: line 1, column 78: 'start' must be a number, not an "
        "array; sidecar-invalid :clips[2]: line 1, column 83: a clip must be an object, not a "
        "number; ");
    check_findings(
        first, "{\"clips\": [],}",
        "sidecar-invalid : line 1, column 13: invalid JSON: nothing follows the last ','; ");
    check_findings(first, "{\"clips\": [" IDLE "], \"rotationAngle\": \"0 0 0\"}",
                   "sidecar-axis :rotationAngle: the axis is 0 0 0; ");
    check_findings(first, "{\"defaultAnim\": \"run\", \"clips\": [" IDLE "]}",
                   "clip-default :defaultAnim: the clip 'run' does not exist; ");
    check_findings(first, "{\"clips\": [" IDLE ", " IDLE "]}",
                   "clip-duplicate :clips[1].name: another clip has the same name; ");
    check_findings(
        first, "{\"clips\": [{\"name\": \"idle\", \"start\": -1, \"end\": 2.5}]}",
        "clip-range :clips[0].start: the clip starts at tick -1, before the first tick; clip-range "
        ":clips[0].end: the clip ends at tick 2.5, but the animation ends at 1; ");
    check_findings(first, "{\"clips\": [{\"name\": \"idle\", \"start\": 1, \"end\": 0}]}",
                   "clip-range :clips[0].end: the clip ends at tick 0, before its start at 1; ");
    check_findings(
        first, "{\"clips\": [" IDLE "], \"textureOverrides\": [{\"texture\": \"gone.png\"}]}",
        "texture-name :textureOverrides[0]: the engine looks for 'gone.dds'; texture-missing "
        ":textureOverrides[0]: 'gone.dds' was not found next to the model; ");
    check_findings(FOLDER "R4_utf8.bmw", "{\"clips\": [" IDLE "]}",
                   "clip-animation :clips[0].name: the clip plays the model's own animation, but "
                   "the model does not have one; ");
}

TEST(clips_with_files_have_rules)
{
    const char *first = FOLDER "R4_tick_zero.bmw";
    const char *own =
        "animation-unreached animations[0]: 'model.json' has no clip that plays the animation; ";
    char expected[512];
    copy_to_scratch(FOLDER "R4_full.bmw", "lich/full.bmw");
    copy_to_scratch(FOLDER "R4_empty.bmw", "lich/still.bmw");
    copy_to_scratch("samples/crane.bmw", "lich/crane.bmw");
    check_findings(first, "{\"clips\": [" IDLE ", {\"name\": \"a\", \"file\": \"lich/full.bmw\"}]}",
                   "animation-unreached animations[0]: 'model.json' has no clip that plays the "
                   "animation; clip-target :clips[0].name: the engine plays the file of a later "
                   "clip instead of the model's own animation; ");
    check_findings(first, "{\"clips\": [{\"name\": \"a\", \"file\": \"full.bmw\"}, " IDLE "]}", "");
    snprintf(expected, sizeof expected, "%s%s", own,
             "clip-file-missing :clips[0].file: 'gone.bmw' was not found next to the model; ");
    check_findings(first, "{\"clips\": [{\"name\": \"idle\", \"file\": \"gone.bmw\"}]}", expected);
    snprintf(expected, sizeof expected, "%s%s", own,
             "clip-file-path :clips[0].file: '../full.bmw' is outside the model's folder; ");
    check_findings(first, "{\"clips\": [{\"name\": \"idle\", \"file\": \"../full.bmw\"}]}",
                   expected);
    snprintf(expected, sizeof expected, "%s%s", own,
             "clip-file :clips[0].file: 'still.bmw' has no animation; ");
    check_findings(first, "{\"clips\": [{\"name\": \"idle\", \"file\": \"still.bmw\"}]}", expected);
    snprintf(expected, sizeof expected, "%s%s", own,
             "clip-nodes :clips[0].file: 19 of 19 animated nodes have names that are not in the "
             "model; ");
    check_findings(first, "{\"clips\": [{\"name\": \"idle\", \"file\": \"crane.bmw\"}]}", expected);
}

// The engine's paths start at the folder of all models: they may name each folder on the way.
TEST(a_name_may_begin_with_the_folders_of_the_model)
{
    static const struct {
        const char *file;
        bool is_found;
    } cases[] = {
        {"full.bmw", true},
        {"lich/full.bmw", true},
        {"units/lich/full.bmw", true},
        {"units\\lich/full.bmw", true},
        {"nits/lich/full.bmw", false},
        {"lich/lich/full.bmw", false},
        {"units/full.bmw", false},
        {"lich/", false},
    };
    static const char *const models[] = {"units/lich/model.bmw", "model.bmw", "./model.bmw",
                                         "../lich/model.bmw"};
    tenon_error err;
    CHECK(scratch_make_folder("units"));
    CHECK(scratch_make_folder("units/lich"));
    copy_to_scratch(FOLDER "R4_full.bmw", "units/lich/full.bmw");
    tenon_doc *doc = tenon_read_file(FOLDER "R4_tick_zero.bmw", NULL, &err);
    char *before = getcwd(NULL, 0);
    CHECK(doc && before);
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            char json[256], text[1024] = "";
            snprintf(json, sizeof json,
                     "{\"clips\": [{\"name\": \"idle\", \"file\": \"%s\"}, {\"name\": \"b\", "
                     "\"start\": 0, \"end\": 1}]}",
                     cases[i].file);
            scratch_save("units/lich/model.json", json, strlen(json));
            CHECK(chdir(m == 0 ? scratch(".") : scratch("units/lich")) == 0);
            const tenon_check_opts opts = {.model_path = models[m]};
            CHECK(tenon_check(doc, &opts, note_rule, text, NULL, &err));
            CHECK((strstr(text, "clip-file-missing") == NULL) == cases[i].is_found);
            CHECK(chdir(before) == 0);
        }
    free(before);
    tenon_doc_free(doc);
}

// Nodes that only the file of a clip moves count as moved.
TEST(weights_are_moved_by_files_of_clips)
{
    const char *still = FOLDER "R4_influences.bmw";
    copy_to_scratch(FOLDER "R4_tick_zero.bmw", "lich/tick.bmw");
    check_findings(
        still, "{\"clips\": [{\"name\": \"idle\", \"file\": \"gone.bmw\"}]}",
        "clip-file-missing :clips[0].file: 'gone.bmw' was not found next to the model; ");
    check_findings(
        still, "{\"clips\": [{\"name\": \"idle\", \"file\": \"tick.bmw\"}]}",
        "weight-unmoved meshes[0].weighted_vertices: 3 of 5 nodes with weights are not animated; ");
}

TEST(a_file_that_is_not_a_model_is_reported)
{
    tenon_error err;
    char text[1024] = "";
    tenon_doc *doc = tenon_read_file(FOLDER "R4_utf8.bmw", NULL, &err);
    CHECK(doc != NULL);
    if (!doc) return;
    const char *json = "{\"clips\": [{\"name\": \"idle\", \"file\": \"model.json\"}]}";
    scratch_save("lich/model.json", json, strlen(json));
    const tenon_check_opts opts = {.model_path = scratch("lich/model.bmw")};
    CHECK(tenon_check(doc, &opts, note_rule, text, NULL, &err));
    CHECK(strstr(text, "clip-file :clips[0].file: 'model.json' cannot be read") == text);
    tenon_doc_free(doc);
}

int main(void)
{
    scratch_begin();
    CHECK(scratch_make_folder("lich"));
    RUN(every_key_is_read);
    RUN(what_is_absent_has_the_engines_default);
    RUN(what_is_not_a_json_object_is_an_error_with_its_place);
    RUN(a_value_that_cannot_be_used_is_ignored);
    RUN(one_bad_value_leaves_the_others);
    RUN(what_cannot_be_used_can_be_replaced);
    RUN(of_many_faults_the_first_are_described);
    RUN(loop_and_hold_that_are_false_stay);
    RUN(what_is_not_changed_is_written_as_it_was);
    RUN(what_has_no_effect_is_kept);
    RUN(what_a_clip_no_longer_has_is_removed);
    RUN(overrides_keep_their_unknown_keys);
    RUN(a_change_touches_only_its_value);
    RUN(clips_keep_their_unknown_keys_wherever_they_go);
    RUN(a_new_sidecar_starts_empty);
    RUN(what_json_cannot_hold_is_not_written);
    RUN(the_sidecar_has_the_name_of_the_model);
    RUN(textures_are_looked_for_as_dds);
    RUN(nodes_of_another_file_are_found_by_name);
    RUN(the_sidecar_has_rules);
    RUN(clips_with_files_have_rules);
#ifdef __wasi__
    SKIP(a_name_may_begin_with_the_folders_of_the_model, "needs a system that resolves paths");
#else
    RUN(a_name_may_begin_with_the_folders_of_the_model);
#endif
    RUN(weights_are_moved_by_files_of_clips);
    RUN(a_file_that_is_not_a_model_is_reported);
    scratch_end();
    TEST_END();
}
