// obj_export_help.h: a sink for exports, a parser of OBJ, and scenes to write.
// SPDX-License-Identifier: MIT

#ifndef TENON_TESTS_OBJ_EXPORT_HELP_H
#define TENON_TESTS_OBJ_EXPORT_HELP_H

#include "core/text/number.h"
#include "hand_scene.h"

#define FILES_MOST 8

// -- Where exports go

typedef struct written {
    char name[64];
    char *text;
    size_t size;
    bool is_ended;
} written;

typedef struct outputs {
    written files[FILES_MOST];
    uint32_t count;
    uint32_t calls, refused;  // The sink refuses this call, from 1.
    char losses[4096];        // "dropped skins 1 skins[0]\n" for each.
} outputs;

static inline bool is_refused(outputs *o)
{
    return ++o->calls == o->refused;
}

static inline bool begin(void *user, const char *name)
{
    outputs *o = user;
    if (is_refused(o)) return false;
    CHECK(o->count == 0 || o->files[o->count - 1].is_ended);
    (void)snprintf(o->files[o->count].name, sizeof o->files[0].name, "%s", name);
    o->files[o->count].text = calloc(1, 1);
    return ++o->count < FILES_MOST;
}

static inline bool add(void *user, const void *bytes, size_t size)
{
    outputs *o = user;
    written *file = &o->files[o->count - 1];
    if (is_refused(o)) return false;
    file->text = realloc(file->text, file->size + size + 1);
    if (!file->text) abort();
    memcpy(file->text + file->size, bytes, size);
    file->size += size;
    file->text[file->size] = '\0';
    return true;
}

static inline bool end(void *user)
{
    outputs *o = user;
    if (is_refused(o)) return false;
    o->files[o->count - 1].is_ended = true;
    return true;
}

static inline void lost(void *user, const tenon_loss *loss)
{
    outputs *o = user;
    size_t used = strlen(o->losses);
    (void)snprintf(o->losses + used, sizeof o->losses - used, "%s %s %u %s\n",
                   tenon_loss_word(loss->kind), loss->feature, (unsigned)loss->count,
                   loss->path ? loss->path : "-");
}

static inline void free_outputs(outputs *o)
{
    for (uint32_t i = 0; i < o->count; i++) free(o->files[i].text);
}

// The scene has to own memory, as exports are limited by it.
static inline bool export_with(const tenon_scene *scene, tenon_export_opts opts, outputs *o,
                               tenon_error *err)
{
    tenon_scene *owner = tenon_scene_new(NULL, NULL);
    tenon_scene whole = *scene;
    if (!scene->owner) whole.owner = owner->owner;
    opts.format = "obj";
    opts.events.on_loss = lost;
    opts.events.user = o;
    tenon_sink sink = {begin, add, end, o};
    bool ok = tenon_export(&whole, &opts, &sink, err);
    tenon_scene_free(owner);
    return ok;
}

static inline outputs exported(const tenon_scene *scene)
{
    outputs o = {.count = 0};
    tenon_error err;
    bool ok = export_with(scene, (tenon_export_opts){0}, &o, &err);
    CHECK(ok && o.count > 0);
    if (!ok) fprintf(stderr, "%s: %s\n", err.path, err.message);
    if (o.count) CHECK_STR(o.files[o.count - 1].name, "");
    return o;
}

// What follows the head of the OBJ file.
static inline const char *body(const outputs *o)
{
    const char *text = o->count ? o->files[o->count - 1].text : "";
    const char *start = strstr(text, "\no ");
    return start ? start + 1 : "";
}

// What follows the head of the MTL file.
static inline const char *library(const outputs *o)
{
    const char *start = o->count > 1 ? strstr(o->files[o->count - 2].text, "newmtl") : NULL;
    return start ? start : "";
}

// -- A parser: the triangles of an OBJ file, whatever else it holds

typedef struct parsed {
    float *v, *vt, *vn;
    uint32_t v_count, vt_count, vn_count;
    uint32_t *faces;  // Three corners each: v, vt, vn, from 1; 0 if there is none.
    uint32_t face_count;
    bool failed;
} parsed;

static inline void take_numbers(parsed *p, const char *line, uint32_t count, float **list,
                                uint32_t *list_count)
{
    *list = realloc(*list, (*list_count + 1) * count * sizeof **list);
    if (!*list) abort();
    for (uint32_t i = 0; i < count; i++) {
        line += strspn(line, " ");
        size_t size = strcspn(line, " \n");
        if (!tn_f32_parse(line, size, &(*list)[*list_count * count + i])) p->failed = true;
        line += size;
    }
    ++*list_count;
}

static inline void take_face(parsed *p, const char *line)
{
    const uint32_t counts[3] = {p->v_count, p->vt_count, p->vn_count};
    p->faces = realloc(p->faces, (p->face_count + 1) * 9 * sizeof *p->faces);
    if (!p->faces) abort();
    uint32_t *face = p->faces + 9 * (size_t)p->face_count++;
    memset(face, 0, 9 * sizeof *face);
    for (uint32_t corner = 0; corner < 3; corner++) {
        line += strspn(line, " ");
        for (uint32_t kind = 0; *line != ' ' && *line != '\n' && kind < 3; kind++) {
            uint32_t *index = &face[3 * corner + kind];
            for (; *line >= '0' && *line <= '9'; line++)
                *index = *index * 10 + (uint32_t)(*line - '0');
            if (*index > counts[kind] || (kind == 0 && *index == 0)) p->failed = true;
            if (*line == '/') line++;
        }
    }
    if (*line != '\n') p->failed = true;  // No more than three corners.
}

static inline parsed parse(const char *text)
{
    parsed p = {0};
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        if (!strchr(line, '\n')) {
            p.failed = true;
            break;
        }
        if (strncmp(line, "v ", 2) == 0) take_numbers(&p, line + 2, 3, &p.v, &p.v_count);
        if (strncmp(line, "vt ", 3) == 0) take_numbers(&p, line + 3, 2, &p.vt, &p.vt_count);
        if (strncmp(line, "vn ", 3) == 0) take_numbers(&p, line + 3, 3, &p.vn, &p.vn_count);
        if (strncmp(line, "f ", 2) == 0) take_face(&p, line + 2);
    }
    CHECK(!p.failed);
    return p;
}

static inline void free_parsed(parsed *p)
{
    free(p->v);
    free(p->vt);
    free(p->vn);
    free(p->faces);
}

// -- Scenes

static float corner_positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static float corner_normals[] = {0, 0, 1, 0, 0, 1, 0, 0, 1};
static float corner_uvs[] = {0, 1, 0.75f, 1, 0, 0.25f};

// A single triangle with everything that OBJ can hold of it.
static inline tenon_primitive *begin_corner(hand *h, const char *name)
{
    hand_begin(h);
    tenon_primitive *p = hand_mesh(h, "", hand_node(h, name, TENON_NONE), corner_positions, 3);
    p->normals = corner_normals;
    p->uvs[0] = corner_uvs;
    return p;
}

static inline tenon_material plain_material(const char *name)
{
    tenon_material m = {.name = hand_text(name),
                        .base_color = {1, 0.5, 0.25, 1},
                        .metallic = 0,
                        .roughness = 1,
                        .normal_scale = 1,
                        .occlusion_strength = 1};
    for (int slot = 0; slot < TENON_SLOT_COUNT; slot++)
        m.textures[slot] = (tenon_texture){.image = TENON_NONE, .scale = {1, 1}};
    return m;
}

static inline void use_material(hand *h, tenon_primitive *p, tenon_material *m)
{
    h->scene.materials = m;
    h->scene.material_count = 1;
    p->material = 0;
}

#endif  // TENON_TESTS_OBJ_EXPORT_HELP_H
