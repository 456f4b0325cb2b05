// fbx_origin.c: which program wrote an FBX file, and in which version of the format.
// SPDX-License-Identifier: MIT

#include "fbx_origin.h"

#include "../scene/import.h"

#include <stdio.h>
#include <string.h>

#define PROGRAM_SIZE 160

// The text of a property such as "LastSaved|ApplicationName"; empty if there is none.
static tenon_str text_of(const fbx_node *scene_info, const char *group, const char *name)
{
    char key[64];
    (void)snprintf(key, sizeof key, "%s|%s", group, name);
    const fbx_node *p = fbx_property(scene_info, key);
    const fbx_value *value = p && p->value_count > 4 ? &p->values[4] : NULL;
    if (!value || value->type != FBX_TEXT || value->size > PROGRAM_SIZE) return (tenon_str){"", 0};
    return (tenon_str){(const char *)value->data, (uint32_t)value->size};
}

void fbx_find_origin(const fbx_tree *tree, fbx_facts *facts)
{
    static const char *const groups[] = {"LastSaved", "Original"};
    const fbx_node *head = fbx_child(&tree->root, "FBXHeaderExtension");
    const fbx_node *scene_info = fbx_child(head, "SceneInfo");
    int64_t version;
    facts->is_text = tree->is_text;
    if (fbx_integer(fbx_child(head, "FBXVersion"), 0, &version) && version > 0 && version < 100000)
        facts->version = (uint32_t)version;
    facts->program = import_alloc(PROGRAM_SIZE, 1);
    // Some programs leave the names empty.
    for (size_t i = 0; i < 2 && !facts->program[0]; i++) {
        tenon_str name = text_of(scene_info, groups[i], "ApplicationName");
        tenon_str release = text_of(scene_info, groups[i], "ApplicationVersion");
        if (!name.size) continue;
        (void)snprintf(facts->program, PROGRAM_SIZE, "%.*s%s%.*s", (int)name.size, name.data,
                       release.size ? " " : "", (int)release.size, release.data);
    }
    const fbx_node *creator = fbx_child(head, "Creator");
    const fbx_value *value = creator && creator->value_count ? creator->values : NULL;
    if (!facts->program[0] && value && value->type == FBX_TEXT)
        (void)snprintf(facts->program, PROGRAM_SIZE, "%.*s",
                       (int)(value->size < PROGRAM_SIZE ? value->size : PROGRAM_SIZE),
                       (const char *)value->data);
}
