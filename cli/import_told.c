// import_told.c: what tenon-import says it has lost.
// SPDX-License-Identifier: MIT

#include "import_run.h"

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

static void tell(char *text, tenon_loss_fn *lost, void *user)
{
    while (*text) {
        unsigned long kind = strtoul(cut(&text), NULL, 10);
        tenon_loss loss = {.kind = kind <= TENON_MADE_UP ? (tenon_loss_kind)kind : TENON_DROPPED};
        loss.count = strtoull(cut(&text), NULL, 10);
        loss.feature = cut(&text);
        loss.why = cut(&text);
        loss.path = cut(&text);
        if (!*loss.path) loss.path = NULL;
        lost(user, &loss);
    }
}

bool import_tell_losses(tenon_scene *scene, tenon_loss_fn *lost, void *user)
{
    static const char name[] = "tenon_import_losses";
    for (uint32_t i = 0; i < scene->extra_count; i++) {
        tenon_extra *extra = &scene->extras[i];
        if (extra->of != TENON_EXTRA_OF_SCENE || strcmp(extra->name.data, name) != 0) continue;
        char *text = lost ? malloc((size_t)extra->value.size + 1) : NULL;
        if (lost && !text) return false;
        if (text) {
            memcpy(text, extra->value.data, extra->value.size);
            text[extra->value.size] = '\0';
            tell(text, lost, user);
            free(text);
        }
        scene->extra_count--;
        memmove(extra, extra + 1, (scene->extra_count - i) * sizeof *extra);
        break;
    }
    return true;
}
