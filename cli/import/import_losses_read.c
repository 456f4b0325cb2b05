// import_losses_read.c: what tenon-import says it has lost.
// SPDX-License-Identifier: MIT

#include "import/import_run.h"

#include <stdlib.h>
#include <string.h>

// The text up to the next tab or the end of the line; *at moves behind it.
static const char *cut(char **at)
{
    char *text = *at, *end = text + strcspn(text, "\t\n");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return text;
}

// A copy that lives as long as the scene; its data is NULL without memory.
static tenon_str keep_text(tenon_scene *scene, const char *text)
{
    size_t size = strlen(text);
    char *copy = tenon_scene_alloc(scene, size + 1);
    if (copy) memcpy(copy, text, size);
    return (tenon_str){copy, (uint32_t)size};
}

// Note in the scene what it lacks of the file.
static bool keep_omission(tenon_scene *scene, const tenon_loss *loss)
{
    uint32_t count = scene->omission_count;
    bool is_full = (count & (count - 1)) == 0;  // The room doubles at powers of two.
    tenon_omission *longer =
        is_full ? tenon_scene_alloc(scene, 2 * ((size_t)count + 1) * sizeof *longer)
                : scene->omissions;
    tenon_omission added = {.feature = keep_text(scene, loss->feature),
                            .why = keep_text(scene, loss->why),
                            .count = loss->count,
                            .path = keep_text(scene, loss->path ? loss->path : "")};
    if (!longer || !added.feature.data || !added.why.data || !added.path.data) return false;
    if (is_full && count) memcpy(longer, scene->omissions, count * sizeof *longer);
    longer[count] = added;
    scene->omissions = longer;
    scene->omission_count++;
    return true;
}

// Lines of kind, count, feature, reason and path. Kinds are those of tenon_loss; one more is
// something that the scene cannot represent.
static bool read_losses(tenon_scene *scene, char *text, tenon_loss_fn *lost, void *user)
{
    const unsigned long omitted = TENON_MADE_UP + 1;
    while (*text) {
        unsigned long kind = strtoul(cut(&text), NULL, 10);
        tenon_loss loss = {.kind = kind < omitted ? (tenon_loss_kind)kind : TENON_DROPPED};
        loss.count = strtoull(cut(&text), NULL, 10);
        loss.feature = cut(&text);
        loss.why = cut(&text);
        loss.path = cut(&text);
        if (!*loss.path) loss.path = NULL;
        if (kind == omitted && !keep_omission(scene, &loss)) return false;
        if (lost) lost(user, &loss);
    }
    return true;
}

bool import_take_losses(tenon_scene *scene, tenon_loss_fn *lost, void *user)
{
    static const char name[] = "tenon_import_losses";
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE || strcmp(extra->name.data, name) != 0) continue;
        char *text = malloc((size_t)extra->value.size + 1);
        if (!text) return false;
        memcpy(text, extra->value.data, extra->value.size);
        text[extra->value.size] = '\0';
        bool ok = read_losses(scene, text, lost, user);
        free(text);
        if (!ok) return false;
        scene->extra_count--;
        memmove(extra, extra + 1, (scene->extra_count - i) * sizeof *extra);
        break;
    }
    return true;
}
