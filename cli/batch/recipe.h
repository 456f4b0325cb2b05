// recipe.h: a recipe file: which files of a project become what.
// SPDX-License-Identifier: MIT

#ifndef TENON_CLI_RECIPE_H
#define TENON_CLI_RECIPE_H

#include "options/cli.h"

#define RECIPE_NAME "tenon.json"

// A command line for each rule of a recipe: what follows `tenon convert`.
typedef struct recipe {
    char ***lines;  // Each ends with NULL.
    uint32_t count;
} recipe;

// Whether the working folder has a recipe.
bool recipe_exists(void);

// Read a recipe, and go to its folder, which its paths are relative to. `words`, up to a NULL, are
// added to each line. Returns CLI_GO_ON, or the exit status after an error was reported. Call
// recipe_free() in any case.
int recipe_read(recipe *all, const char *path, char **words);

void recipe_free(recipe *all);

#endif  // TENON_CLI_RECIPE_H
