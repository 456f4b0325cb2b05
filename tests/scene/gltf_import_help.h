// gltf_import_help.h: what tests of the glTF reader share: fixtures, texts, and what is refused.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_GLTF_IMPORT_HELP_H
#define TENON_TESTS_GLTF_IMPORT_HELP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/gltf.h>
#include <tenon/scene.h>

#include "../test.h"
#include "scene/model/kept.h"

// -- What was lost, in the import or in every export to another format

typedef struct losses {
    char features[16][48];
    uint64_t counts[16];
    char paths[16][96];
    int count;
} losses;

static inline void note_loss(void *user, const tenon_loss *loss)
{
    losses *l = user;
    if (l->count == 16) return;
    snprintf(l->features[l->count], sizeof l->features[0], "%s", loss->feature);
    snprintf(l->paths[l->count], sizeof l->paths[0], "%s", loss->path ? loss->path : "");
    l->counts[l->count++] = loss->count;
}

static inline int find_loss(const losses *l, const char *feature)
{
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->features[i], feature) == 0) return i;
    return -1;
}

// -- Reading

static inline tenon_scene *scene_of_bytes(const void *bytes, size_t size,
                                          const tenon_scene_opts *opts, tenon_error *err)
{
    tenon_read_opts read = {.format = "gltf"};
    tenon_doc *doc = tenon_read(bytes, size, &read, err);
    tenon_scene *scene = doc ? tenon_to_scene(doc, opts, err) : NULL;
    tenon_doc_free(doc);  // A scene does not need its document any more.
    return scene;
}

static inline tenon_scene *scene_of_text(const char *text, losses *lost, tenon_error *err)
{
    tenon_scene_opts opts = {.events = {.user = lost, .on_loss = lost ? note_loss : NULL}};
    tenon_scene *scene = scene_of_bytes(text, strlen(text), &opts, err);
    if (scene) tn_report_kept(scene, NULL, &opts.events);
    return scene;
}

static inline tenon_scene *scene_of_fixture(const char *name, losses *lost)
{
    char path[256];
    tenon_error err;
    snprintf(path, sizeof path, "tests/fixtures/gltf/%s", name);
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    tenon_scene_opts opts = {.events = {.user = lost, .on_loss = lost ? note_loss : NULL}};
    tenon_scene *scene = doc ? tenon_to_scene(doc, &opts, &err) : NULL;
    tenon_doc_free(doc);
    if (!scene) fprintf(stderr, "%s: %s: %s\n", path, err.path, err.message);
    CHECK(scene && tenon_scene_check(scene, &err));
    if (scene) tn_report_kept(scene, NULL, &opts.events);
    return scene;
}

// -- Comparing

static inline bool are_near(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12)) return false;
    return true;
}

static inline bool are_floats(const float *a, const float *b, size_t count)
{
    if (!a) return false;
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(a[i] - b[i]) <= 1e-7f * (1 + fabsf(b[i])))) return false;
    return true;
}

#define FLOATS(...)  ((const float[]){__VA_ARGS__})
#define DOUBLES(...) ((const double[]){__VA_ARGS__})

static inline const char *extra_of(const tenon_scene *s, tenon_extra_of of, uint32_t index,
                                   const char *name)
{
    for (uint32_t i = 0; i < s->extra_count; i++)
        if (s->extras[i].of == of && s->extras[i].index == index &&
            strcmp(s->extras[i].name.data, name) == 0)
            return s->extras[i].value.data;
    return "";
}

// -- Refusing

// A file with one triangle, whose parts a test replaces: `more` are members of the top object, the
// accessor and the view are given whole. The buffer has 36 bytes: the floats 0 0 0 2 0 0 0 1 0.
static inline char *triangle_text(const char *accessor, const char *view, const char *more)
{
    size_t room = 2048 + strlen(accessor) + strlen(view) + strlen(more);
    char *text = malloc(room);
    if (!text) exit(1);
    snprintf(text, room,
             "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\n"
             "\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":"
             "{\"POSITION\":0}}]}],\n\"accessors\":[%s],\n\"bufferViews\":[%s],\n\"buffers\":"
             "[{\"byteLength\":36,\"uri\":\"data:;base64,"
             "AAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]%s%s}\n",
             accessor, view, *more ? "," : "", more);
    return text;
}

#define GOOD_ACCESSOR "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}"
#define GOOD_VIEW     "{\"buffer\":0,\"byteLength\":36}"

// Whether the text is refused with that code, at that place, with these words in the message.
static inline bool refuses(const char *text, tenon_code code, const char *path, const char *words)
{
    tenon_error err = {0};
    tenon_scene *scene = scene_of_text(text, NULL, &err);
    bool is_right = !scene && err.code == code && strcmp(err.path, path) == 0 &&
                    strstr(err.message, words) && err.offset <= strlen(text) && err.line > 0;
    if (!is_right)
        fprintf(stderr, "got %s at '%s', line %d: %s\n", scene ? "a scene" : "an error", err.path,
                (int)err.line, err.message);
    tenon_scene_free(scene);
    return is_right;
}

static inline bool refuses_parts(const char *accessor, const char *view, tenon_code code,
                                 const char *path, const char *words)
{
    char *text = triangle_text(accessor, view, "");
    bool is_right = refuses(text, code, path, words);
    free(text);
    return is_right;
}

#endif  // TENON_TESTS_GLTF_IMPORT_HELP_H
