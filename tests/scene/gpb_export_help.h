// gpb_export_help.h: a scene exported as a bundle, and the results.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GPB_EXPORT_HELP_H
#define TENON_TESTS_GPB_EXPORT_HELP_H

#include "gpb_import_help.h"
#include "hand_scene.h"
#include "stage_help.h"

#include "exchange/export_memory.h"

#define AT_TOP TENON_NONE

// -- Scenes to write

static float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};

// A triangle that a skin moves: the first vertex by joint 0, the others by the last one.
typedef struct limb {
    uint32_t joints[4];
    float binds[64], weights[12];
    uint16_t numbers[12];
} limb;

static inline tenon_primitive *stage_skin(stage *s, limb *l, const char *name, uint32_t node,
                                          uint32_t joint_count)
{
    tenon_primitive *p = hand_mesh(&s->h, name, node, triangle, 3);
    for (uint32_t i = 0; i < 3; i++) {
        l->weights[4 * i] = 1;
        l->numbers[4 * i] = (uint16_t)(i ? joint_count - 1 : 0);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 16; k++) l->binds[16 * i + k] = k % 5 == 0;
    p->influence_count = 4;
    p->joints = l->numbers;
    p->weights = l->weights;
    s->h.skins[s->h.scene.skin_count] =
        (tenon_skin){hand_text(name), TENON_NONE, joint_count, l->joints, l->binds, 0};
    s->h.nodes[node].skin = s->h.scene.skin_count++;
    return p;
}

// -- Results

typedef struct bundle {
    bool is_written;
    tenon_error err;
    losses lost;
    tn_memory_folder folder;
    tenon_files files;
    tenon_gpb *doc;      // What was written, read again;
    tenon_scene *scene;  // and imported.
    tenon_verify_result proof;
} bundle;

static const tenon_allocator plain_allocator;

static inline void show_error(void *user, const tenon_finding *finding)
{
    (void)user;
    if (finding->severity == TENON_ERROR)
        fprintf(stderr, "%s: %s\n", finding->path, finding->message);
}

// Whether a document passes the engine's profile without errors.
static inline bool is_accepted(const tenon_gpb *doc)
{
    tenon_check_opts opts = {.profile = "gameplay"};
    tenon_check_result result;
    tenon_error err;
    return tenon_check(&doc->base, &opts, show_error, NULL, &result, &err) && result.errors == 0;
}

// What was written is read, and written again byte for byte.
static inline void read_again(bundle *b, const tenon_scene *from)
{
    const tn_memory_file *file = tn_memory_find(&b->folder, "");
    tenon_doc *doc = tenon_read(file->data, file->size, &(tenon_read_opts){.copy = true}, &b->err);
    CHECK(doc != NULL);
    if (!doc) return;
    b->doc = tenon_as_gpb(doc);
    blob again = blob_written(doc);
    CHECK(again.size == file->size && memcmp(again.data, file->data, again.size) == 0);
    blob_free(&again);
    b->files = tn_memory_files(&b->folder);
    tenon_scene_opts opts = {.model_path = "model.gpb", .files = &b->files};
    b->scene = tenon_to_scene(doc, &opts, &b->err);
    CHECK(b->scene != NULL);
    if (b->scene) CHECK(tenon_verify(from, b->scene, NULL, &b->proof, &b->err));
}

static inline void write_with(bundle *b, const tenon_scene *scene, tenon_export_opts opts)
{
    *b = (bundle){.folder = {.allocator = &plain_allocator}};
    tenon_sink sink = tn_memory_sink(&b->folder);
    opts.format = "gpb";
    opts.events.on_loss = note_loss;
    opts.events.user = &b->lost;
    b->is_written = tenon_export(scene, &opts, &sink, &b->err);
    if (b->is_written) read_again(b, scene);
}

static inline void write_stage(bundle *b, const stage *s)
{
    write_with(b, &s->h.scene, (tenon_export_opts){0});
    if (!b->is_written) fprintf(stderr, "%s: %s\n", b->err.path, b->err.message);
    CHECK(b->is_written && b->doc && is_accepted(b->doc));
    if (!b->doc || !b->scene) exit(1);
}

static inline void bundle_free(bundle *b)
{
    tenon_scene_free(b->scene);
    if (b->doc) tenon_doc_free(&b->doc->base);
    tn_memory_free(&b->folder);
}

// Whether poses are the same, corner by corner.
static inline bool is_same_pose(const bundle *b)
{
    const tenon_verify_result *r = &b->proof;
    bool is_same = r->largest < 1e-6 && r->matched == 1 && !r->by_surface &&
                   r->missing_clips == 0 && r->extra_clips == 0 && r->missing_meshes == 0;
    if (!is_same)
        fprintf(stderr, "off by %g in '%s' at %g, %g matched, %u clips missing\n", r->largest,
                r->clip, r->seconds, r->matched, (unsigned)r->missing_clips);
    return is_same;
}

// -- Looking at the document

typedef struct finding {
    const char *name;
    const tenon_gpb *doc;
    const tenon_gpb_node *node;
    uint32_t depth;
} finding;

static inline bool find_node_named(void *user, const tenon_gpb_node *node, uint32_t depth)
{
    finding *f = user;
    if (!text_is(tenon_gpb_id(f->doc, node->reference), f->name)) return true;
    f->node = node;
    f->depth = depth;
    return false;
}

// The node of that id and how deep it is; the program ends without it.
static inline finding gpb_node_named(const tenon_gpb *doc, const char *name)
{
    finding f = {.name = name, .doc = doc};
    tenon_gpb_each_node(doc, find_node_named, &f);
    if (f.node) return f;
    fprintf(stderr, "there is no node '%s'\n", name);
    exit(1);
}

static inline bool has_id(const tenon_gpb *doc, const char *id)
{
    for (uint32_t i = 0; i < doc->reference_count; i++)
        if (text_is(doc->references[i].id, id)) return true;
    return false;
}

static inline bool is_sorted(const tenon_gpb *doc)
{
    for (uint32_t i = 1; i < doc->reference_count; i++)
        if (strcmp(doc->references[i - 1].id.data, doc->references[i].id.data) >= 0) return false;
    return true;
}

#endif  // TENON_TESTS_GPB_EXPORT_HELP_H
