// obj_import_help.h: an OBJ text imported as a scene.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_OBJ_IMPORT_HELP_H
#define TENON_TESTS_OBJ_IMPORT_HELP_H

#include "loss_help.h"

#include <tenon/obj.h>

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define SQUARE   "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static inline made read_bytes(const char *text, size_t size, tenon_scene_opts opts)
{
    tenon_error err;
    tenon_doc *doc = tenon_read(text, size, &(tenon_read_opts){.format = "obj"}, &err);
    CHECK(doc != NULL);
    if (!doc) return (made){.err = err};
    made m = make_scene_with(doc, opts);
    tenon_doc_free(doc);
    return m;
}

static inline made read_obj(const char *text)
{
    return read_bytes(text, strlen(text), (tenon_scene_opts){0});
}

// A scene that must be read, and has a mesh.
static inline made good(const char *text)
{
    made m = read_obj(text);
    CHECK(m.scene && m.scene->mesh_count > 0);
    if (!m.scene) fprintf(stderr, "%u: %s\n", (unsigned)m.err.line, m.err.message);
    if (!m.scene || m.scene->mesh_count == 0) exit(1);
    return m;
}

static inline const tenon_primitive *part(const made *m, uint32_t mesh, uint32_t index)
{
    if (mesh < m->scene->mesh_count && index < m->scene->meshes[mesh].primitive_count)
        return &m->scene->meshes[mesh].primitives[index];
    fprintf(stderr, "there is no part %u of mesh %u\n", (unsigned)index, (unsigned)mesh);
    exit(1);
}

// The corner of a triangle, line or point.
static inline const float *corner_of(const tenon_primitive *p, uint32_t index)
{
    return p->positions + 3 * (size_t)p->indices[index];
}

static inline double area_of(const tenon_primitive *p)
{
    double sum = 0;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        const float *a = corner_of(p, i), *b = corner_of(p, i + 1), *c = corner_of(p, i + 2);
        sum += ((double)b[0] - a[0]) * ((double)c[1] - a[1]) -
               ((double)b[1] - a[1]) * ((double)c[0] - a[0]);
    }
    return sum / 2;
}

// The smallest area of a triangle in the plane of X and Y; below 0 if it is inside out.
static inline double least_area_of(const tenon_primitive *p)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i + 2 < p->index_count; i += 3) {
        tenon_primitive one = *p;
        one.indices += i;
        one.index_count = 3;
        double area = area_of(&one);
        if (area < least) least = area;
    }
    return least;
}

#endif  // TENON_TESTS_OBJ_IMPORT_HELP_H
