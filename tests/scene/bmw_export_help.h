// bmw_export_help.h: scenes written as BMW, and what was written, read again.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_BMW_EXPORT_HELP_H
#define TENON_TESTS_BMW_EXPORT_HELP_H

#include "core/cursor/span.h"
#include "exchange/export_memory.h"
#include "gltf_scenes.h"

#include <tenon/bmw.h>

// -- Writing

// The document and sidecar of the scene `b`. Free with made_free().
typedef struct made {
    tenon_doc *doc;
    tenon_bmw *bmw;
    tenon_bmw_sidecar *side;  // NULL: there is none.
} made;

static inline made make_bmw(tenon_export_opts opts)
{
    made m = {0};
    tenon_error err;
    kept_free(&k);
    opts.name = "box";
    if (!write_scene(b.scene, "bmw", opts, &k)) fprintf(stderr, "%s\n", k.err.message);
    const kept_file *file = kept_named(&k, ""), *side = kept_named(&k, "box.json");
    m.doc = file ? tenon_read(file->bytes, file->size, NULL, &err) : NULL;
    CHECK(m.doc != NULL);
    m.bmw = tenon_as_bmw(m.doc);
    if (side) m.side = tenon_bmw_sidecar_read((const char *)side->bytes, side->size, NULL, &err);
    CHECK(!side || m.side);
    return m;
}

static inline void made_free(made *m)
{
    tenon_bmw_sidecar_free(m->side);
    tenon_doc_free(m->doc);
}

// How often a loss was reported.
static inline uint64_t reported(tenon_loss_kind kind, const char *feature)
{
    uint64_t count = 0;
    for (int i = 0; i < k.loss_count; i++)
        if (k.losses[i].kind == kind && strcmp(k.losses[i].feature, feature) == 0)
            count += k.losses[i].count;
    return count;
}

// The error that was reported with it; negative if it was not reported.
static inline double told_error(const char *feature)
{
    for (int i = 0; i < k.loss_count; i++)
        if (strcmp(k.losses[i].feature, feature) == 0) return k.losses[i].error;
    return -1;
}

// -- Looking

static inline bool text_is(tenon_str text, const char *want)
{
    bool is_same = text.size == strlen(want) && memcmp(text.data, want, text.size) == 0;
    if (!is_same) fprintf(stderr, "got \"%.*s\", want \"%s\"\n", (int)text.size, text.data, want);
    return is_same;
}

// Number `at` of a vertex, a float.
static inline double vertex_number(const made *m, uint32_t mesh, uint32_t vertex, uint32_t at)
{
    return (double)tn_load_f32(m->bmw->meshes[mesh].vertices.data + 48 * (size_t)vertex + 4 * at,
                               false);
}

static inline bool vertex_is(const made *m, uint32_t mesh, uint32_t vertex, double x, double y,
                             double z)
{
    const double want[3] = {x, y, z};
    for (uint32_t i = 0; i < 3; i++) {
        double got = vertex_number(m, mesh, vertex, i);
        if (fabs(got - want[i]) <= 1e-6) continue;
        fprintf(stderr, "number %u is %g, not %g\n", (unsigned)i, got, want[i]);
        return false;
    }
    return true;
}

static inline uint32_t color_of(const made *m, uint32_t mesh, uint32_t vertex, uint32_t part)
{
    const uint8_t *p = m->bmw->meshes[mesh].vertices.data + 48 * (size_t)vertex;
    return tn_load32(p + 12 + 4 * part, false);
}

// Number `at` of a frame.
static inline double frame_number(const made *m, uint32_t bone, uint32_t tick, uint32_t at)
{
    const tenon_bmw_bone *from = &m->bmw->animations[0].bones[bone];
    return (double)tn_load_f32(from->frames.data + 64 * (size_t)tick + 4 * at, false);
}

// Number `at` of the weights of a mesh: vertex_id, influence_count, node_id, weight...
static inline uint32_t weight_u32(const made *m, uint32_t mesh, uint32_t at)
{
    return tn_load32(m->bmw->meshes[mesh].weighted_vertices.data + 4 * (size_t)at, false);
}

// -- Proving

// Whether nothing is missing, and the corners are where the scene has them.
static inline tenon_verify_result proof_of(const tenon_scene *scene, tenon_export_opts opts)
{
    tenon_verify_result result = {0};
    tenon_error err;
    opts.format = "bmw";
    bool ok = tenon_export_verify(scene, &opts, NULL, &result, &err);
    if (!ok) fprintf(stderr, "%s: %s\n", err.path, err.message);
    CHECK(ok && !result.by_surface && result.reversed == 0 && result.missing_meshes == 0);
    return result;
}

static inline void count_error(void *user, const tenon_finding *finding)
{
    if (finding->rule->severity != TENON_ERROR) return;
    fprintf(stderr, "%s: %s: %s\n", finding->rule->id, finding->path, finding->message);
    ++*(int *)user;
}

// Errors that the engine's profile finds in the output, with the sidecar.
static inline int errors_in(const made *m)
{
    static const tenon_allocator none;
    tn_memory_folder folder = {.allocator = &none};
    tenon_sink sink = tn_memory_sink(&folder);
    tenon_check_result result;
    tenon_error err;
    int count = 0;
    for (int i = 0; i < k.file_count; i++) {
        CHECK(sink.begin(sink.user, k.files[i].name));
        CHECK(sink.write(sink.user, k.files[i].bytes, k.files[i].size) && sink.end(sink.user));
    }
    tenon_files files = tn_memory_files(&folder);
    tenon_check_opts opts = {.profile = "beowolf", .model_path = "box.bmw", .files = &files};
    CHECK(tenon_check(m->doc, &opts, count_error, &count, &result, &err));
    tn_memory_free(&folder);
    return count;
}

#endif  // TENON_TESTS_BMW_EXPORT_HELP_H
