// bmw_check_sidecar.c: the rules of BMW for the sidecar: clips and their files.
// SPDX-License-Identifier: MIT

#include "formats/bmw/check/bmw_check.h"
#include "formats/bmw/sidecar/bmw_sidecar.h"

#include "core/files/file.h"
#include "core/text/text.h"
#include "document/document.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define FILES_MOST   64          // Clip files that are read.
#define ANOTHER_FILE UINT32_MAX  // As the number of an animation that moves a node.

static tn_path_text bmw_check_clip_path(const bmw_checker *checker, uint32_t i, const char *field)
{
    return tn_path("%s:clips[%u].%s", checker->sidecar_name, i, field);
}

// -- Clips with files

static void bmw_check_clip_file(bmw_checker *checker, uint32_t i)
{
    tn_check *check = checker->check;
    tenon_str file = checker->sidecar->clips[i].file;
    tn_path_text path = bmw_check_clip_path(checker, i, "file");
    char place[TN_PATH_SIZE], shown[64];
    tn_text_clean(file.data, file.size, shown, sizeof shown);
    tenon_error err = {0};
    const tn_search search = {
        checker->files, check->opts->model_path, place, sizeof place, &err, NULL};
    tn_place found = bmw_names_find_file(&search, file);
    if (err.code != TENON_OK) {
        tn_check_fail(check, &err);
        return;
    }
    if (found == TN_PLACE_MISSING)
        tn_found(check, "clip-file-missing", path, "'%s' was not found next to the model", shown);
    if (found == TN_PLACE_OUTSIDE)
        tn_found(check, "clip-file-path", path, "'%s' is outside the model's folder", shown);
    if (found != TN_PLACE_FOUND) return;
    const tenon_read_opts opts = {.allocator = check->opts->allocator,
                                  .files = checker->files,
                                  .beside = check->opts->model_path};
    tenon_doc *doc = tn_doc_open_file(&tn_bmw_format, place, &opts, &err);
    const tenon_bmw *other = doc ? tenon_as_bmw(doc) : NULL;
    if (!other && err.code == TENON_ERR_MEMORY)
        check->failed = true;
    else if (!other)
        tn_found(check, "clip-file", path, "'%s' cannot be read: %s", shown, err.message);
    else if (other->animation_count == 0)
        tn_found(check, "clip-file", path, "'%s' has no animation", shown);
    if (!other || other->animation_count == 0) {
        tn_doc_free(doc);
        return;
    }

    // Which nodes the file animates.
    const tenon_bmw_animation *animation = &other->animations[0];
    uint32_t unmatched, bone_count = animation->bone_count;
    uint32_t *node_ids = tn_check_alloc(check, bone_count, sizeof *node_ids);
    bool ok =
        node_ids && tenon_bmw_match(checker->doc, other, animation, node_ids, &unmatched, NULL);
    check->failed = check->failed || !ok;
    for (uint32_t b = 0; b < bone_count && ok; b++) {
        uint32_t node = bmw_check_node_of_id(checker, node_ids[b]);
        checker->has_motion = true;
        if (node != TENON_NONE) checker->uses[node].animated_by = ANOTHER_FILE;
    }
    if (ok && unmatched)
        tn_found(check, "clip-nodes", path,
                 "%u of %u animated nodes have names that are not in the model", unmatched,
                 bone_count);
    tn_doc_free(doc);
}

// -- All clips

// The engine plays the animation whose index is the number of clips with files before this clip, in
// a list of the files of all clips, followed by the model's own animations.
static void bmw_check_clips(bmw_checker *checker)
{
    tn_check *check = checker->check;
    const tenon_bmw *doc = checker->doc;
    const tenon_bmw_sidecar *sidecar = checker->sidecar;
    uint32_t file_count = 0, files_before = 0;
    bool is_own_reached = false;  // Some clip plays the model's own first animation.
    for (uint32_t i = 0; i < sidecar->clip_count; i++)
        file_count += sidecar->clips[i].file.size > 0;
    for (uint32_t i = 0; i < sidecar->clip_count; i++) {
        if (!bmw_sidecar_clip_plays(&sidecar->clips[i])) continue;  // Reported already.
        if (sidecar->clips[i].file.size > 0) {
            if (files_before++ < FILES_MOST) bmw_check_clip_file(checker, i);
            continue;
        }
        bool is_own = files_before >= file_count && doc->animation_count > 0;
        is_own_reached = is_own_reached || is_own;
        const tenon_bmw_clip *clip = &sidecar->clips[i];
        uint64_t frame_count = is_own ? bmw_info_frame_count(&doc->animations[0]) : 0;
        tn_shown start = tn_show_f64(clip->start), end = tn_show_f64(clip->end);
        if (clip->start < 0)
            tn_found(checker->check, "clip-range", bmw_check_clip_path(checker, i, "start"),
                     "the clip starts at tick %s, before the first tick", start.text);
        tn_path_text path = bmw_check_clip_path(checker, i, "end");
        if (clip->end < clip->start)
            tn_found(checker->check, "clip-range", path,
                     "the clip ends at tick %s, before its start at %s", end.text, start.text);
        if (frame_count && clip->end > (double)(frame_count - 1))
            tn_found(checker->check, "clip-range", path,
                     "the clip ends at tick %s, but the animation ends at %" PRIu64, end.text,
                     frame_count - 1);
        if (files_before < file_count)
            tn_found(
                checker->check, "clip-target", bmw_check_clip_path(checker, i, "name"),
                "the engine plays the file of a later clip instead of the model's own animation");
        else if (!is_own)
            tn_found(checker->check, "clip-animation", bmw_check_clip_path(checker, i, "name"),
                     "the clip plays the model's own animation, but the model does not have one");
    }
    for (uint32_t a = is_own_reached; a < doc->animation_count; a++)
        tn_found(checker->check, "animation-unreached", tn_path("animations[%u]", a),
                 "'%s' has no clip that plays the animation", checker->sidecar_name);
    // The names of clips differ, and the default clip exists.
    tenon_bmw_name *names = tn_check_alloc(check, sidecar->clip_count, sizeof *names);
    uint32_t *room = tn_check_alloc(check, sidecar->clip_count, 2 * sizeof *room), count = 0;
    if (!names || !room) return;
    for (uint32_t i = 0; i < sidecar->clip_count; i++)
        if (bmw_sidecar_clip_plays(&sidecar->clips[i]) && sidecar->clips[i].name.size)
            names[count++] = (tenon_bmw_name){i, sidecar->clips[i].name};
    bmw_sorted sorted = bmw_names_sort(names, count, true, room);
    for (uint32_t i = 1; i < count; i++)
        if (bmw_names_is_repeated(&sorted, i))
            tn_found(check, "clip-duplicate",
                     bmw_check_clip_path(checker, names[sorted.order[i]].node_id, "name"),
                     "another clip has the same name");
    tenon_str wanted = sidecar->default_anim;
    if (bmw_names_find(&sorted, (tenon_bmw_name){.name = wanted}) == TENON_NONE)
        tn_found(check, "clip-default", tn_path("%s:defaultAnim", checker->sidecar_name),
                 "the clip '%s' does not exist", tn_show(wanted, 64).text);
    // Of clips with the same name, the last one is used.
    uint32_t last = sidecar->clip_count;
    while (last > 0 && !(bmw_sidecar_clip_plays(&sidecar->clips[last - 1]) &&
                         tn_text_equal(sidecar->clips[last - 1].name, wanted)))
        last--;
    const tenon_bmw_clip *clip = last > 0 ? &sidecar->clips[last - 1] : NULL;
    if (!clip || clip->file.size || floor(clip->start) != floor(clip->end)) return;
    tn_found(check, "one-tick-clip", bmw_check_clip_path(checker, last - 1, "end"),
             "the default clip starts and ends at tick %s: the engine never shows it",
             tn_show_f64(floor(clip->start)).text);
}

// -- The sidecar

void bmw_check_sidecar(bmw_checker *checker)
{
    const char *model_path = checker->check->opts->model_path;
    char name[BMW_NAME_SIZE];
    tenon_error err;
    if (!model_path) return;
    if (bmw_sidecar_name_of(model_path, name, sizeof name))
        tn_text_clean(name, strlen(name), checker->sidecar_name, sizeof checker->sidecar_name);
    const tenon_read_opts opts = {.allocator = checker->check->opts->allocator,
                                  .files = checker->files};
    checker->sidecar = tenon_bmw_sidecar_beside(model_path, &opts, &err);
    tn_path_text path = tn_path("%s%s%s", checker->sidecar_name, err.path[0] ? ":" : "", err.path);
    if (tn_is_outage(&err))
        tn_check_fail(checker->check, &err);
    else if (err.code != TENON_OK && err.line)
        tn_found(checker->check, "sidecar-invalid", path,
                 "line %" PRIu64 ", column %" PRIu64 ": %s", err.line, err.column, err.message);
    else if (err.code != TENON_OK)
        tn_found(checker->check, "sidecar-invalid", path, "%s", err.message);
    const tenon_bmw_sidecar *sidecar = checker->sidecar;
    if (sidecar) {
        for (uint32_t i = 0; i < sidecar->listed_fault_count; i++) {
            const tenon_bmw_sidecar_fault *fault = &sidecar->faults[i];
            tn_found(checker->check, "sidecar-invalid",
                     tn_path("%s:%s", checker->sidecar_name, fault->path.data),
                     "line %" PRIu64 ", column %" PRIu64 ": %s", fault->line, fault->column,
                     fault->message.data);
        }
        if (sidecar->fault_count > sidecar->listed_fault_count)
            tn_found(checker->check, "sidecar-invalid", tn_path("%s", checker->sidecar_name),
                     "%" PRIu64 " more values cannot be used",
                     sidecar->fault_count - sidecar->listed_fault_count);
        for (uint32_t i = 0; i < sidecar->ignored_count; i++)
            tn_found(checker->check, "sidecar-key",
                     tn_path("%s:%s", checker->sidecar_name, sidecar->ignored[i].data),
                     "the engine ignores this key");
        const double *axis = sidecar->rotation_angle;
        if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
            tn_found(checker->check, "sidecar-axis",
                     tn_path("%s:rotationAngle", checker->sidecar_name), "the axis is 0 0 0");
    }
    if (sidecar && sidecar->clip_count)
        bmw_check_clips(checker);
    else if (err.code == TENON_OK && checker->doc->animation_count)
        tn_found(checker->check, "clip-missing", tn_path("animations"),
                 "'%s' has no clips, but the model has animations: %u", checker->sidecar_name,
                 checker->doc->animation_count);
}
