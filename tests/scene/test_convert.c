// test_convert.c: files converted in one call: within a format, to another one, and not at all.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <tenon/bbmod.h>
#include <tenon/convert.h>
#include <tenon/gpb.h>

#include "../scratch.h"
#include "../test.h"

static void copy_to_scratch(const char *from, const char *name)
{
    tenon_bytes bytes;
    CHECK(tenon_load(from, NULL, &bytes, NULL));
    scratch_save(name, bytes.data, bytes.size);
    tenon_unload(&bytes);
}

static bool is_file(const char *name)
{
    struct stat info;
    return stat(scratch(name), &info) == 0;
}

static bool has_same_bytes(const char *a, const char *b)
{
    tenon_bytes first = {0}, second = {0};
    bool ok = tenon_load(a, NULL, &first, NULL) && tenon_load(b, NULL, &second, NULL);
    ok = ok && first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    tenon_unload(&first);
    tenon_unload(&second);
    return ok;
}

static bool convert(const char *in, const char *out, const tenon_convert_opts *opts,
                    tenon_convert_result *result, tenon_error *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s", scratch(out));
    return tenon_convert_file(in, path, opts, result, err);
}

typedef struct heard {
    unsigned losses, edits, decisions;
    char files[512];
    bool refuses;
} heard;

static void count_loss(void *user, const tenon_loss *loss)
{
    (void)loss;
    ((heard *)user)->losses++;
}

static bool list_file(void *user, const tenon_written_file *file)
{
    heard *h = user;
    const char *name = strrchr(file->path, '/');
    size_t used = strlen(h->files);
    snprintf(h->files + used, sizeof h->files - used, "%s%s%s", used ? " " : "",
             name ? name + 1 : file->path, file->is_unchanged ? "=" : "");
    return !h->refuses;
}

TEST(a_copy_has_the_same_bytes_and_its_sidecars)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_result result;
    const tenon_convert_opts opts = {.events = {.user = &h, .on_file = list_file}, .verify = true};
    CHECK(convert("samples/crane.bbmod", "copy.bbmod", &opts, &result, &err));
    CHECK(!result.is_changed && result.is_written && result.dialect != NULL);
    CHECK(result.is_verified && result.verified.verdict == TENON_VERIFIED);
    CHECK_STR(h.files, "copy_paint.bbmat copy_stripes.bbmat copy_lift.bbanim copy_travel.bbanim "
                       "copy.bbmod");
    CHECK(has_same_bytes("samples/crane.bbmod", scratch("copy.bbmod")));
    CHECK(has_same_bytes("samples/crane_lift.bbanim", scratch("copy_lift.bbanim")));
    // The second time everything exists: sidecars with the same bytes may stay, the model not.
    h.files[0] = '\0';
    CHECK(!convert("samples/crane.bbmod", "copy.bbmod", &opts, NULL, &err));
    CHECK(err.code == TENON_ERR_EXISTS);
    tenon_convert_opts force = opts;
    force.writing.force = true;
    h.files[0] = '\0';
    CHECK(convert("samples/crane.bbmod", "copy.bbmod", &force, NULL, &err));
    CHECK_STR(h.files, "copy_paint.bbmat= copy_stripes.bbmat= copy_lift.bbanim= "
                       "copy_travel.bbanim= copy.bbmod");
}

TEST(the_extension_of_the_output_is_its_format)
{
    tenon_error err;
    tenon_convert_result result;
    CHECK(convert("samples/crane.gpb", "crane.glb", NULL, &result, &err));
    CHECK(strcmp(result.format->name, "gltf") == 0 && result.dialect == NULL);
    CHECK(result.size > 1000 && result.is_written && result.is_changed && !result.is_verified);
    CHECK(convert("samples/crane.gpb", "crane.obj", NULL, NULL, &err) && is_file("crane.mtl"));
    CHECK(convert("samples/crane.gpb", "plain", NULL, &result, &err));
    CHECK(has_same_bytes("samples/crane.gpb", scratch("plain")));
    CHECK(!convert("samples/crane.gpb", "crane.xyz", NULL, NULL, &err));
    CHECK_STR(err.message, "unknown extension '.xyz': the options do not name the format to write");
    const tenon_convert_opts named = {.exporting.format = "nothing"};
    CHECK(!convert("samples/crane.gpb", "crane.glb", &named, NULL, &err));
    CHECK_STR(err.message, "there is no format 'nothing'");
    const tenon_convert_opts glb = {.exporting.format = "glb"};
    CHECK(convert("samples/crane.gpb", "other", &glb, NULL, &err));
    CHECK(has_same_bytes(scratch("other"), scratch("crane.glb")));
}

TEST(another_dialect_is_written_and_verified)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_result result;
    const tenon_convert_opts opts = {
        .exporting.dialect = "3.2", .events = {.user = &h, .on_loss = count_loss}, .verify = true};
    CHECK(convert("samples/crane.bbmod", "old.bbmod", &opts, &result, &err));
    CHECK(result.is_changed && result.is_verified && result.verified.clip_count == 2);
    CHECK_STR(result.dialect->name, "3.2");
    tenon_doc *doc = tenon_read_file(scratch("old.bbmod"), NULL, NULL);
    CHECK(doc && strcmp(doc->dialect->name, "3.2") == 0);
    tenon_doc_free(doc);
}

static bool refuse_result(void *user, const tenon_conversion *conversion,
                          const tenon_convert_result *result, tenon_error *err)
{
    heard *h = user;
    h->decisions++;
    CHECK(conversion->scene && result->is_verified && !result->is_written);
    err->code = TENON_ERR_CANCELLED;
    return false;
}

TEST(nothing_is_written_unless_the_result_is_accepted)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_result result;
    tenon_convert_opts opts = {.verify = true, .verifying.tolerance = 1e-12};
    CHECK(!convert("samples/crane.gpb", "refused.bmw", &opts, &result, &err));
    CHECK(result.is_verified && !result.is_written && !is_file("refused.bmw"));
    CHECK(result.verified.verdict == TENON_BEYOND_TOLERANCE);
    CHECK(strncmp(err.message, "not within tolerance: ", 22) == 0);
    opts.accept_losses = true;
    CHECK(convert("samples/crane.gpb", "accepted.bmw", &opts, &result, &err));
    CHECK(result.is_written && is_file("accepted.bmw"));
    opts.accept = refuse_result;
    opts.user = &h;
    CHECK(!convert("samples/crane.gpb", "refused.bmw", &opts, &result, &err));
    CHECK(h.decisions == 1 && err.code == TENON_ERR_CANCELLED && !is_file("refused.bmw"));
    const tenon_convert_opts strict = {.strict = true};
    CHECK(!convert("samples/crane.gpb", "refused.obj", &strict, &result, &err));
    CHECK(result.loss_count > 0 && !is_file("refused.obj") && !is_file("refused.mtl"));
    CHECK(strncmp(err.message, "not written: losses are forbidden", 33) == 0);
}

TEST(a_dry_run_writes_nothing_and_names_the_files)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_result result;
    const tenon_convert_opts opts = {.exporting.dry_run = true,
                                     .events = {.user = &h, .on_file = list_file}};
    CHECK(convert("samples/crane.gpb", "dry.bbmod", &opts, &result, &err));
    CHECK(!result.is_written && result.size > 0 && !is_file("dry.bbmod"));
    CHECK(strstr(h.files, "dry_lift.bbanim") && strstr(h.files, "dry.bbmod"));
    h.files[0] = '\0';
    CHECK(convert("samples/crane.bbmod", "dry.bbmod", &opts, &result, &err));
    CHECK(!result.is_written && !is_file("dry.bbmod") && !is_file("dry_lift.bbanim"));
    CHECK(strstr(h.files, "dry_lift.bbanim") && strstr(h.files, "dry.bbmod"));
}

TEST(no_input_is_replaced)
{
    tenon_error err;
    const tenon_convert_opts force = {.writing.force = true};
    copy_to_scratch("samples/crane.bbmod", "hero.bbmod");
    copy_to_scratch("samples/crane_lift.bbanim", "hero_lift.bbanim");
    char in[512];
    snprintf(in, sizeof in, "%s", scratch("hero.bbmod"));
    CHECK(!tenon_convert_file(in, in, &force, NULL, &err) && err.code == TENON_ERR_EXISTS);
    CHECK(strstr(err.message, "is the input"));
    CHECK(!convert(in, "hero_lift.bbanim",
                   &(tenon_convert_opts){.writing.force = true, .exporting.format = "glb"}, NULL,
                   &err));
    CHECK(err.code == TENON_ERR_EXISTS && strstr(err.message, "is part of the input"));
    CHECK(has_same_bytes("samples/crane_lift.bbanim", scratch("hero_lift.bbanim")));
    // In place, it is; what does not change keeps its date.
    tenon_convert_opts in_place = {.writing = {.in_place = true, .force = true}};
    tenon_convert_result result;
    CHECK(tenon_convert_file(in, in, &in_place, &result, &err) && !result.is_written);
    in_place.exporting.dialect = "3.2";
    CHECK(tenon_convert_file(in, in, &in_place, &result, &err) && result.is_written);
}

static bool drop_clips(void *user, tenon_conversion *conversion, tenon_error *err)
{
    (void)err;
    ((heard *)user)->edits++;
    conversion->scene->animation_count = 0;
    conversion->exporting->embed = false;
    return true;
}

static bool rename_scene(void *user, tenon_conversion *conversion, tenon_error *err)
{
    (void)err;
    ((heard *)user)->edits++;
    tenon_gpb *gpb = tenon_as_gpb(conversion->doc);
    CHECK(gpb && !conversion->exporting && conversion->doc);
    gpb->version[1] = 4;
    conversion->is_changed = true;
    return true;
}

static bool refuse_edit(void *user, tenon_conversion *conversion, tenon_error *err)
{
    (void)user, (void)conversion;
    err->code = TENON_ERR_UNSUPPORTED;
    return false;
}

TEST(programs_edit_what_is_converted)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_result result;
    tenon_convert_opts opts = {.edit = drop_clips, .user = &h, .verify = true};
    CHECK(convert("samples/crane.gpb", "still.glb", &opts, &result, &err));
    CHECK(h.edits == 1 && result.verified.clip_count == 0);
    opts = (tenon_convert_opts){.edit = rename_scene, .user = &h};
    CHECK(convert("samples/crane.gpb", "edited.gpb", &opts, &result, &err) && result.is_changed);
    CHECK(h.edits == 2 && !has_same_bytes("samples/crane.gpb", scratch("edited.gpb")));
    opts.edit = refuse_edit;
    CHECK(!convert("samples/crane.gpb", "no.gpb", &opts, &result, &err) && !is_file("no.gpb"));
    CHECK(err.code == TENON_ERR_UNSUPPORTED);
    h.refuses = true;
    opts = (tenon_convert_opts){.events = {.user = &h, .on_file = list_file}};
    CHECK(!convert("samples/crane.gpb", "no.gpb", &opts, &result, &err) && !is_file("no.gpb"));
    CHECK(err.code == TENON_ERR_CANCELLED);
}

// -- Sinks and memory

typedef struct taken {
    char names[256];
    size_t size;
    bool is_full;
} taken;

static bool take_begin(void *user, const char *name)
{
    taken *t = user;
    size_t used = strlen(t->names);
    snprintf(t->names + used, sizeof t->names - used, "[%s]", name);
    return true;
}

static bool take_bytes(void *user, const void *bytes, size_t size)
{
    taken *t = user;
    (void)bytes;
    t->size += size;
    return !t->is_full;
}

static bool take_end(void *user)
{
    (void)user;
    return true;
}

TEST(a_sink_gets_the_files_when_all_is_decided)
{
    taken t = {{0}, 0, false};
    tenon_error err;
    tenon_convert_result result;
    const tenon_sink sink = {take_begin, take_bytes, take_end, &t};
    tenon_convert_opts opts = {.sink = &sink, .exporting.format = "glb", .verify = true};
    CHECK(tenon_convert_file("samples/crane.gpb", "-", &opts, &result, &err));
    CHECK_STR(t.names, "[]");
    CHECK(t.size == result.size && result.is_written);
    t = (taken){{0}, 0, false};
    opts.exporting.format = "gpb";
    CHECK(tenon_convert_file("samples/crane.gpb", "-", &opts, &result, &err));
    CHECK(t.size == result.size && !result.is_changed);
    t = (taken){{0}, 0, true};
    opts.exporting.format = "glb";
    CHECK(!tenon_convert_file("samples/crane.gpb", "-", &opts, &result, &err));
    CHECK_STR(err.message, "the output was refused");
    CHECK(!result.is_written);
    t = (taken){{0}, 0, false};
    opts.verifying.tolerance = 1e-12;
    opts.exporting.format = "bmw";
    CHECK(!tenon_convert_file("samples/crane.gpb", "-", &opts, &result, &err) && t.size == 0);
}

TEST(models_are_converted_from_memory_to_memory)
{
    tenon_error err;
    tenon_bytes bytes;
    tenon_memory *from = tenon_memory_new(NULL, NULL), *to = tenon_memory_new(NULL, NULL);
    const char *const names[] = {"crane.bbmod", "crane_lift.bbanim"};
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "samples/%s", names[i]);
        CHECK(tenon_load(path, NULL, &bytes, NULL));
        CHECK(tenon_memory_add(from, names[i], bytes.data, bytes.size));
        tenon_unload(&bytes);
    }
    tenon_memory *beside = tenon_memory_new(NULL, NULL);
    CHECK(tenon_memory_add(beside, "crane_paint.bbmat", "{}", 2));
    const tenon_convert_opts opts = {.reading.files = tenon_memory_files(from),
                                     .writing.files = tenon_memory_files(to),
                                     .sidecars = beside};
    tenon_memory_file file;
    CHECK(tenon_convert_file("crane.bbmod", "copy.bbmod", &opts, NULL, &err));
    CHECK(tenon_memory_find(to, "copy_lift.bbanim", &file) && file.size > 100);
    CHECK(tenon_memory_find(to, "copy_paint.bbmat", &file) && file.size == 2);
    CHECK(!tenon_memory_find(to, "copy_stripes.bbmat", NULL));
    CHECK(tenon_convert_file("crane.bbmod", "crane.glb", &opts, NULL, &err));
    CHECK(tenon_memory_find(to, "crane.glb", &file) && memcmp(file.data, "glTF", 4) == 0);
    tenon_memory_free(beside);
    tenon_memory_free(from);
    tenon_memory_free(to);
}

// -- FBX

TEST(fbx_gets_the_units_and_times_of_engines)
{
    heard h = {0};
    tenon_error err;
    tenon_convert_opts opts = {.events = {.user = &h, .on_loss = count_loss}};
    const char *in = "tests/fixtures/fbx/skin.fbx";
    CHECK(convert(in, "hero.glb", &opts, NULL, &err));
    opts.units = TENON_UNITS_KEEP;
    CHECK(convert(in, "kept.glb", &opts, NULL, &err));
    opts.units = TENON_UNITS_METERS;
    opts.scale = 100;
    CHECK(convert(in, "hundred.glb", &opts, NULL, &err));
    double low[3][3], high[3][3];
    const char *const names[] = {"hero.glb", "kept.glb", "hundred.glb"};
    for (int i = 0; i < 3; i++) {
        tenon_scene *scene = tenon_import_file(scratch(names[i]), NULL, NULL, NULL);
        tenon_pose *pose = scene ? tenon_pose_new(scene, NULL, NULL) : NULL;
        CHECK(pose && tenon_pose_bounds(pose, low[i], high[i]));
        tenon_pose_free(pose);
        tenon_scene_free(scene);
    }
    double ratio = (high[1][1] - low[1][1]) / (high[0][1] - low[0][1]);
    CHECK(ratio > 99.9 && ratio < 100.1);
    ratio = (high[2][1] - low[2][1]) / (high[0][1] - low[0][1]);
    CHECK(ratio > 99.9 && ratio < 100.1);
}

TEST(wrong_calls)
{
    tenon_error err;
    tenon_convert_result result = {.is_written = true};
    CHECK(!tenon_convert_file("samples/none.gpb", "x.glb", NULL, &result, &err));
    CHECK(err.code == TENON_ERR_IO && !result.is_written);
    CHECK(!tenon_convert_file("samples/crane.gpb", "no/folder/x.glb", NULL, NULL, NULL));
    tenon_doc *doc = tenon_read_file("samples/crane.gpb", NULL, NULL);
    CHECK(!tenon_convert(doc, "x.xyz", NULL, NULL, &err) && err.code == TENON_ERR_UNSUPPORTED);
    // A document without a file has no sidecars.
    const tenon_convert_opts none = {.exporting = {.format = "obj", .dry_run = true}};
    CHECK(tenon_convert(doc, scratch("none.obj"), &none, &result, NULL) && !result.is_written);
    tenon_scene *scene = tenon_import(doc, NULL, NULL, &err);
    CHECK(scene != NULL);
    tenon_scene_free(scene);
    tenon_doc_free(doc);
    doc = tenon_read_file("samples/crane_lift.bbanim", NULL, NULL);
    CHECK(tenon_import(doc, NULL, NULL, &err) == NULL && err.code == TENON_ERR_UNSUPPORTED);
    tenon_doc_free(doc);
}

int main(void)
{
    scratch_begin();
    RUN(a_copy_has_the_same_bytes_and_its_sidecars);
    RUN(the_extension_of_the_output_is_its_format);
    RUN(another_dialect_is_written_and_verified);
    RUN(nothing_is_written_unless_the_result_is_accepted);
    RUN(a_dry_run_writes_nothing_and_names_the_files);
    RUN(no_input_is_replaced);
    RUN(programs_edit_what_is_converted);
    RUN(a_sink_gets_the_files_when_all_is_decided);
    RUN(models_are_converted_from_memory_to_memory);
    RUN(fbx_gets_the_units_and_times_of_engines);
    RUN(wrong_calls);
    scratch_end();
    TEST_END();
}
