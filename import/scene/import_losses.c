// import_losses.c: reports what was lost, and memory and text for the scene.
// SPDX-License-Identifier: MIT

#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE  160
#define LINE_SIZE  512
#define UNIT_SIZE  32
#define FACTS_SIZE 1024  // More than all facts together need.

#define OMITTED 4  // The kind of an omission, in addition to those of tenon_loss_kind.

struct import_loss {
    int kind;
    const char *feature, *why;
    uint64_t count;
    char path[PATH_SIZE];
    struct import_loss *next;
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

// The size of the UTF-8 character at `text`; 0 if it is invalid.
static size_t import_losses_utf8_size(const unsigned char *text, size_t left)
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

// Bytes that are not UTF-8 are read as Latin-1, which old exporters write.
tenon_str import_text(assimp_importer *importer, const char *text, size_t size)
{
    const unsigned char *from = (const unsigned char *)text;
    char *to = import_scene_alloc(importer, 2 * (uint64_t)size + 1, 1);
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        size_t step = import_losses_utf8_size(from + i, size - i);
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

static void import_losses_add_loss(assimp_importer *importer, int kind, const char *feature,
                                   const char *why, uint64_t count, const char *path)
{
    struct import_loss **end = &importer->losses;
    if (count == 0) return;
    for (; *end; end = &(*end)->next)
        if ((*end)->feature == feature && (*end)->why == why) {
            (*end)->count += count;
            return;
        }
    struct import_loss *loss = *end = import_alloc(1, sizeof *loss);
    *loss = (struct import_loss){.kind = kind, .feature = feature, .why = why, .count = count};
    if (path) (void)snprintf(loss->path, sizeof loss->path, "%s", path);
}

void import_report_loss(assimp_importer *importer, tenon_loss_kind kind, const char *feature,
                        const char *why, uint64_t count, const char *path)
{
    import_losses_add_loss(importer, (int)kind, feature, why, count, path);
}

void import_report_omission(assimp_importer *importer, const char *feature, const char *why,
                            uint64_t count, const char *path)
{
    import_losses_add_loss(importer, OMITTED, feature, why, count, path);
}

// -- The report

static void import_losses_add_extra(tenon_scene *scene, const char *name, const char *text,
                                    size_t size)
{
    if (!size) return;
    scene->extras[scene->extra_count++] = (tenon_extra){.of = TENON_EXTRA_OF_SCENE,
                                                        .name = {name, (uint32_t)strlen(name)},
                                                        .value = {text, (uint32_t)size}};
}

void import_store_report(assimp_importer *importer)
{
    tenon_scene *scene = importer->scene;
    scene->extras = import_scene_alloc(importer, 3, sizeof *scene->extras);

    // Facts: lines of a label and a text, separated by a tab.
    char *facts = import_scene_alloc(importer, FACTS_SIZE, 1);
    int used = 0;
    if (importer->unit > 0)
        used +=
            snprintf(facts + used, (size_t)(FACTS_SIZE - used), "unit\t%.6g m\n", importer->unit);
    import_losses_add_extra(scene, "tenon_import_facts", facts, (size_t)used);

    if (importer->unit > 0) {
        char *unit = import_scene_alloc(importer, UNIT_SIZE, 1);
        int size = snprintf(unit, UNIT_SIZE, "%.9g", importer->unit);
        import_losses_add_extra(scene, "tenon_import_unit", unit, (size_t)size);
    }

    // Losses: lines of kind, count, feature, reason and path, separated by tabs.
    uint32_t count = 0;
    size_t size = 0;
    for (const struct import_loss *loss = importer->losses; loss; loss = loss->next) count++;
    char *lines = import_scene_alloc(importer, count, LINE_SIZE);
    for (const struct import_loss *loss = importer->losses; loss; loss = loss->next) {
        tenon_str path = import_text(importer, loss->path, strlen(loss->path));
        int line = snprintf(lines + size, LINE_SIZE, "%d\t%" PRIu64 "\t%s\t%s\t%s\n", loss->kind,
                            loss->count, loss->feature, loss->why, path.data);
        if (line > 0 && line < LINE_SIZE) size += (size_t)line;
    }
    import_losses_add_extra(scene, "tenon_import_losses", lines, size);
}
