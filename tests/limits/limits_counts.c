// limits_counts.c: a count, size or index of the largest value costs neither memory nor time.
// SPDX-License-Identifier: MIT
//
// Every integer of every small fixture and sample is set to the largest values that its bytes
// can hold, as the map finds it; numbers in texts are replaced. Every public function that takes
// bytes, a document or a scene is then called, and all together take less than 16 MiB more than
// before, and no more than some times the work.

#define _DEFAULT_SOURCE 1

#include <ctype.h>

#include <tenon/scene.h>

#include "../callbacks.h"
#include "../edits.h"
#include "../robust.h"
#include "set_text.h"
#include "work.h"

#define LARGEST     ((size_t)16 << 10)  // Files that are tried.
#define MEMORY_MORE ((uint64_t)16 << 20)
#define WORK_TIMES  16
#define WORK_MORE   400000  // Branches, about a millisecond.
#define RECORDS     4       // Of a span whose numbers are set; the others are like them.
#define SCENES_EACH 4       // Variants of which one has its scenes written and compared.

// -- All that can be done with a file

static work_memory memory;
static bool uses_scenes;  // For other operations than importing.

// Each variant is written in another format, and in all of them by --long.
static void write_scene(const tenon_scene *scene)
{
    static const char *const formats[] = {"bbmod", "gpb",  "bmw", "modeldata",
                                          "bplx",  "gltf", "obj"};
    static uint32_t turn;
    enum { COUNT = sizeof formats / sizeof formats[0] };
    tenon_verify_opts verify = {.allocator = work_allocator(&memory), .samples = 1};
    for (uint32_t i = 0; i < (robust_is_long ? COUNT : 1); i++) {
        tenon_export_opts opts = {.allocator = work_allocator(&memory),
                                  .format = formats[turn++ % COUNT],
                                  .events.on_loss = ignore_loss};
        (void)tenon_export(scene, &opts, &ignoring_sink, NULL);
        if (robust_is_long) (void)tenon_export_verify(scene, &opts, &verify, NULL, NULL);
    }
}

static void use_scene(tenon_scene *scene)
{
    tenon_verify_opts verify = {.allocator = work_allocator(&memory), .samples = 1};
    tenon_diff_opts diff = {.allocator = work_allocator(&memory)};
    edits reshape = {.meshes.normals = TENON_MAKE_SMOOTH, .meshes.join = TENON_JOIN_MESHES};
    double min[3], max[3];
    tenon_pose *pose = tenon_pose_new(scene, &verify.allocator, NULL);
    for (uint32_t i = 0; i < scene->animation_count; i++)
        (void)tenon_pose_clip_bounds(pose, i, min, max);
    tenon_pose_free(pose);
    (void)tenon_verify(scene, scene, &verify, NULL, NULL);
    (void)tenon_diff(scene, scene, &diff, ignore_difference, NULL, NULL, NULL);
    write_scene(scene);
    (void)edit_scene(scene, &reshape, NULL);
}

static void understand(const tenon_doc *doc, bool is_damaged)
{
    tenon_scene_opts opts = {.allocator = work_allocator(&memory), .salvage = is_damaged};
    tenon_scene *scene = tenon_to_scene(doc, &opts, NULL);
    if (scene && uses_scenes) use_scene(scene);
    tenon_scene_free(scene);
}

static void look_at(tenon_doc *doc)
{
    tenon_check_opts opts = {.allocator = work_allocator(&memory)};
    tenon_info info;
    (void)tenon_check(doc, &opts, ignore_finding, NULL, NULL, NULL);
    const tenon_info_opts wants = {.full = true, .model_path = "none/model"};
    if (tenon_doc_info(doc, &wants, &info, NULL)) tenon_info_free(&info);
    (void)tenon_sidecars(doc, "model", ignore_name, NULL);
    (void)tenon_tree(doc, ignore_node, NULL, NULL);
    (void)tenon_relate(doc, doc, NULL, 0);
    (void)tenon_dialect_by_extension(doc, "model.bin");
    (void)tenon_locate(doc, "no.such[7].field", NULL, NULL);
    (void)tenon_dump(doc, ignore_bytes, NULL, NULL);
    (void)tenon_write(doc, ignore_bytes, NULL, NULL);
    understand(doc, false);
}

// A change may synthesize what is only counted: to the last dialect, or to all of them.
static void change(const uint8_t *data, size_t size, const tenon_read_opts *opts,
                   const tenon_format *format)
{
    uint32_t count = format->caps & TENON_CAN_CHANGE ? format->dialect_count : 0;
    for (uint32_t i = robust_is_long || !count ? 0 : count - 1; i < count; i++) {
        tenon_doc *doc = tenon_read(data, size, opts, NULL);
        tenon_change_opts change = {.dialect = format->dialects[i].name};
        if (doc) (void)tenon_change(doc, &change, NULL);
        if (doc) (void)tenon_finalize(doc, NULL);
        tenon_doc_free(doc);
    }
}

static void salvage(const uint8_t *data, size_t size, tenon_read_opts opts)
{
    tenon_change_opts change = {0};
    opts.partial = opts.incomplete = true;
    tenon_doc *doc = tenon_read(data, size, &opts, NULL);
    if (doc) tenon_cuts(doc, ignore_cut, NULL);
    if (doc) (void)tenon_recover(doc, &change, NULL);
    if (doc) understand(doc, true);
    tenon_doc_free(doc);
}

static void merge(const uint8_t *data, size_t size, const tenon_read_opts *opts)
{
    tenon_doc *into = tenon_read(data, size, opts, NULL);
    tenon_doc *other = tenon_read(data, size, opts, NULL);
    if (into && other) (void)tenon_merge(into, other, NULL, NULL);
    tenon_doc_free(into);
    tenon_doc_free(other);
}

// Returns the work; the memory has its peak.
static uint64_t do_all(const uint8_t *data, size_t size, const tenon_format *format)
{
    uint64_t before = work_done;
    memory = (work_memory){0};
    tenon_read_opts opts = {.allocator = work_allocator(&memory), .format = format->name};
    tenon_doc *doc = tenon_read(data, size, &opts, NULL);
    if (doc) look_at(doc);
    tenon_doc_free(doc);
    change(data, size, &opts, format);
    (void)tenon_map(data, size, &opts, ignore_part, NULL, NULL);
    salvage(data, size, opts);
    merge(data, size, &opts);
    return work_done - before;
}

// -- Judging

typedef struct damage {
    const robust_file *file;
    uint8_t *data;        // The file, which is restored after each change.
    uint64_t work, peak;  // Of the file as it is.
    uint64_t worst_work, worst_peak;
    uint32_t tried;
} damage;

static void judge(damage *d, const uint8_t *data, size_t size, const char *path, uint64_t value)
{
    uses_scenes = robust_is_long || d->tried % SCENES_EACH == 0;
    uint64_t work = do_all(data, size, d->file->format);
    d->tried++;
    if (work > d->worst_work) d->worst_work = work;
    if (memory.peak > d->worst_peak) d->worst_peak = memory.peak;
    if (memory.live != 0) robust_broken(d->file, "memory leaks", "%s", path);
    if (memory.peak > d->peak + MEMORY_MORE)
        robust_broken(d->file, "it takes too much memory",
                      "%s = %" PRIu64 ": %" PRIu64 " KiB instead of %" PRIu64, path, value,
                      memory.peak >> 10, d->peak >> 10);
    if (work > WORK_TIMES * d->work + WORK_MORE)
        robust_broken(d->file, "it takes too long",
                      "%s = %" PRIu64 ": %" PRIu64 " branches instead of %" PRIu64, path, value,
                      work, d->work);
}

// -- Numbers of binary files

// Set a number of `width` bytes to its largest values, with a sign and without.
static void set_number(damage *d, uint64_t offset, uint32_t width, bool big_endian,
                       const char *path)
{
    uint8_t *at = d->data + offset, before[8];
    memcpy(before, at, width);
    for (int has_sign = 0; has_sign < 2; has_sign++) {
        uint64_t value = has_sign ? (UINT64_C(1) << (8 * width - 1)) - 1 : 0;
        memset(at, 0xff, width);
        if (has_sign) at[big_endian ? 0 : width - 1] = 0x7f;
        if (!has_sign) value = width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
        judge(d, d->data, d->file->size, path, value);
    }
    memcpy(at, before, width);
}

static bool is_whole(tenon_type type)
{
    return type == TENON_TYPE_U8 || type == TENON_TYPE_I16 || type == TENON_TYPE_U16 ||
           type == TENON_TYPE_I32 || type == TENON_TYPE_U32 || type == TENON_TYPE_I64 ||
           type == TENON_TYPE_U64;
}

static void set_records(damage *d, const tenon_part *part)
{
    tenon_cell cell;
    uint64_t count = part->count < RECORDS ? part->count : RECORDS;
    for (uint64_t record = 0; record < count && !part->layout->tail; record++)
        for (uint64_t i = 0; tenon_part_cell(part, record, i, &cell); i++)
            if (is_whole(cell.type))
                set_number(d, cell.offset, tenon_type_size(cell.type), part->big_endian, cell.path);
    // Only the place of the first record is certain: the others follow its tail.
    if (!part->layout->tail || part->count == 0) return;
    const tenon_element *counter = &part->layout->elements[part->layout->tail_count];
    set_number(d, part->offset + counter->offset, 4, part->big_endian, part->path);
}

static bool set_part(void *user, const tenon_part *part)
{
    damage *d = user;
    if (part->kind != TENON_PART_FIELD) return true;
    if (part->type == TENON_TYPE_RECORDS)
        set_records(d, part);
    else if (part->type == TENON_TYPE_STR32)
        set_number(d, part->offset, 4, part->big_endian, part->path);
    else if (is_whole(part->type))
        for (uint64_t i = 0; i < part->count && i < RECORDS; i++)
            set_number(d, part->offset + i * tenon_type_size(part->type),
                       tenon_type_size(part->type), part->big_endian, part->path);
    return true;
}

// -- Numbers of texts

static const char *const largest[] = {"4294967295", "2147483647", "9007199254740991",
                                      "18446744073709551615", "65535"};

// Replace each number from `start` to `end` of the file; the rest stays. The size of the
// text of a GLB file is corrected.
static void set_numbers_in_text(damage *d, size_t start, size_t end, bool is_glb)
{
    const uint8_t *data = d->file->data;
    for (size_t at = start, stop; at < end; at = stop + 1) {
        for (stop = at; stop < end && isdigit(data[stop]); stop++) continue;
        if (stop == at || (at > start && isalpha(data[at - 1]))) continue;
        for (size_t i = 0; i < sizeof largest / sizeof largest[0]; i++) {
            set_text json = {0}, bin = {0}, all = {0};
            set_put_bytes(&json, data + start, at - start);
            set_put(&json, "%s", largest[i]);
            set_put_bytes(&json, data + stop, end - stop);
            set_put_bytes(&bin, data + (is_glb ? end + 8 : end),
                          d->file->size - (is_glb ? end + 8 : end));
            if (is_glb)
                set_put_glb(&all, &json, &bin);
            else
                all = json, free(bin.data);
            judge(d, (const uint8_t *)all.data, all.size, "a number", at);
            free(all.data);
        }
    }
}

static void set_text_numbers(damage *d)
{
    const uint8_t *data = d->file->data;
    bool is_glb = d->file->size > 28 && memcmp(data, "glTF", 4) == 0;
    size_t size = 0;
    if (!is_glb) {
        set_numbers_in_text(d, 0, d->file->size, false);
        return;
    }
    for (int i = 3; i >= 0; i--) size = size << 8 | data[12 + i];
    if (20 + size + 8 <= d->file->size) set_numbers_in_text(d, 20, 20 + size, true);
}

// -- All files

static uint64_t tried, worst_memory;
static double worst_work;

static void try_file(const robust_file *file)
{
    damage d = {.file = file, .data = robust_copy(file->data, file->size)};
    tenon_read_opts opts = {.format = file->format->name};
    bool is_text =
        strcmp(file->format->name, "obj") == 0 || strcmp(file->format->name, "gltf") == 0;
    if (file->size <= LARGEST) {
        uses_scenes = true;
        d.work = do_all(file->data, file->size, file->format);
        d.peak = memory.peak;
        if (is_text) set_text_numbers(&d);
        (void)tenon_map(file->data, file->size, &opts, set_part, &d, NULL);
        tried += d.tried;
        if (d.worst_peak > worst_memory) worst_memory = d.worst_peak;
        double times = (double)d.worst_work / (double)d.work;
        if (times > worst_work) worst_work = times;
    }
    free(d.data);
}

TEST(no_count_is_trusted)
{
    robust_each(try_file);
    printf("# %" PRIu64 " files, at most %" PRIu64 " KiB, %.1f times the work\n", tried,
           worst_memory >> 10, worst_work);
    CHECK(tried > 1000);
}

static void run_all(void)
{
    RUN(no_count_is_trusted);
}

int main(int argc, char **argv)
{
    return robust_main(argc, argv, run_all);
}
