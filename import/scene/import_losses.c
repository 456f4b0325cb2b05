// import_losses.c: what the scene does not have of the file; memory and text for the scene.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE  160
#define LINE_SIZE  512
#define UNIT_SIZE  32
#define FACTS_SIZE 1024  // More than the program's name and all else take.

#define OMITTED 4  // A line's kind, beside those of tenon_loss_kind.

struct import_loss {
    int kind;
    const char *feature, *why;
    uint64_t count;
    char path[PATH_SIZE];
    struct import_loss *before;
};

// -- Memory

void *import_scene_alloc(assimp_importer *importer, uint64_t count, size_t size)
{
    void *memory = count <= SIZE_MAX / size
                       ? tenon_scene_alloc(importer->scene, count ? (size_t)count * size : 1)
                       : NULL;
    if (!memory) import_end_without_memory();
    return memory;
}

// -- Text

// The size of the UTF-8 character at `text`; 0 if there is none.
static size_t character(const unsigned char *text, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = text[0] < 0x80 ? 1 : text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    uint32_t code = size == 1 ? text[0] : text[0] & (0xffu >> (size + 1));
    if (text[0] >= 0xf8 || (text[0] & 0xc0) == 0x80 || size > left) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[size] || code > 0x10ffff || is_surrogate ? 0 : size;
}

// What is no UTF-8 is taken for Latin-1, which old exporters write.
tenon_str import_text(assimp_importer *importer, const char *text, size_t size)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = import_scene_alloc(importer, 2 * (uint64_t)size + 1, 1);
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        size_t step = character(from + i, size - i);
        if (step == 0) {
            to[used++] = (char)(0xc0 | from[i] >> 6);
            to[used++] = (char)(0x80 | (from[i] & 0x3f));
        } else if (step > 1 || (from[i] >= 0x20 && from[i] != 0x7f)) {
            memcpy(to + used, from + i, step);
            used += step;
        }
        i += step ? step : 1;
    }
    return (tenon_str){to, (uint32_t)used};
}

// -- Losses

static void add_line(assimp_importer *importer, int kind, const char *feature, const char *why,
                     uint64_t count, const char *path)
{
    if (count == 0) return;
    for (struct import_loss *l = importer->loss; l; l = l->before)
        if (l->feature == feature && l->why == why) {
            l->count += count;
            return;
        }
    struct import_loss *loss = import_alloc(1, sizeof *loss);
    *loss = (struct import_loss){kind, feature, why, count, "", importer->loss};
    if (path) (void)snprintf(loss->path, sizeof loss->path, "%s", path);
    importer->loss = loss;
}

void import_report_loss(assimp_importer *importer, tenon_loss_kind kind, const char *feature,
                        const char *why, uint64_t count, const char *path)
{
    add_line(importer, (int)kind, feature, why, count, path);
}

void import_report_omission(assimp_importer *importer, const char *feature, const char *why,
                            uint64_t count, const char *path)
{
    add_line(importer, OMITTED, feature, why, count, path);
}

static struct import_loss *in_order(struct import_loss *last)
{
    struct import_loss *first = NULL;
    while (last) {
        struct import_loss *before = last->before;
        last->before = first;
        first = last;
        last = before;
    }
    return first;
}

// What the file says about itself: lines of a label and a text, with a tab between them.
static void keep_facts(assimp_importer *importer)
{
    static const char name[] = "tenon_import_facts";
    const fbx_facts *fbx = &importer->fbx;
    char *text = import_scene_alloc(importer, FACTS_SIZE, 1);
    int used = 0;
    if (fbx->program && fbx->program[0]) {
        tenon_str program = import_text(importer, fbx->program, strlen(fbx->program));
        used += snprintf(text, FACTS_SIZE, "program\t%s\n", program.data);
    }
    if (fbx->version)
        used += snprintf(text + used, (size_t)(FACTS_SIZE - used), "version\t%u.%u, %s\n",
                         (unsigned)(fbx->version / 1000), (unsigned)(fbx->version % 1000 / 100),
                         fbx->is_text ? "text" : "binary");
    if (importer->unit > 0)
        used +=
            snprintf(text + used, (size_t)(FACTS_SIZE - used), "unit\t%.6g m\n", importer->unit);
    if (importer->axes)
        used += snprintf(text + used, (size_t)(FACTS_SIZE - used), "axes\t%s\n", importer->axes);
    if (!used) return;
    importer->scene->extras[importer->scene->extra_count++] =
        (tenon_extra){.of = TENON_EXTRA_OF_SCENE,
                      .name = {name, sizeof name - 1},
                      .value = {text, (uint32_t)used}};
}

// One line for each: kind, count, feature, why and path, with tabs between them.
void import_store_report(assimp_importer *importer)
{
    importer->scene->extras = import_scene_alloc(importer, 3, sizeof *importer->scene->extras);
    keep_facts(importer);
    if (importer->unit > 0) {
        static const char unit_name[] = "tenon_import_unit";
        char *unit = import_scene_alloc(importer, UNIT_SIZE, 1);
        int size = snprintf(unit, UNIT_SIZE, "%.9g", importer->unit);
        importer->scene->extras[importer->scene->extra_count++] =
            (tenon_extra){.of = TENON_EXTRA_OF_SCENE,
                          .name = {unit_name, sizeof unit_name - 1},
                          .value = {unit, (uint32_t)size}};
    }
    importer->loss = in_order(importer->loss);
    if (!importer->loss) return;
    uint32_t count = 0;
    for (const struct import_loss *l = importer->loss; l; l = l->before) count++;
    char *text = import_scene_alloc(importer, count, LINE_SIZE);
    size_t used = 0;
    for (const struct import_loss *l = importer->loss; l; l = l->before) {
        tenon_str path = import_text(importer, l->path, strlen(l->path));
        int size = snprintf(text + used, LINE_SIZE, "%d\t%" PRIu64 "\t%s\t%s\t%s\n", l->kind,
                            l->count, l->feature, l->why, path.data);
        if (size > 0 && size < LINE_SIZE) used += (size_t)size;
    }
    static const char name[] = "tenon_import_losses";
    importer->scene->extras[importer->scene->extra_count++] =
        (tenon_extra){.of = TENON_EXTRA_OF_SCENE,
                      .name = {name, sizeof name - 1},
                      .value = {text, (uint32_t)used}};
}
