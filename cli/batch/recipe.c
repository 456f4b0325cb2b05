// recipe.c: a recipe file: which files of a project become what.
// SPDX-License-Identifier: MIT
//
// A file belongs to the first rule that matches; those of no rule get the options of the recipe.

#include "batch/recipe.h"

#include "batch/json_in.h"
#include "input/paths.h"
#include "report/report.h"
#include "system/platform.h"

#include <stdlib.h>
#include <string.h>

bool recipe_exists(void)
{
    const tenon_files *files = tenon_system_files();
    tenon_file_info info;
    return files->look(files->user, RECIPE_NAME, &info) == 0 && info.kind == TENON_FILE_REGULAR;
}

// -- Lines

typedef struct recipe_line {
    file_list words;
    const char *problem;  // What is wrong in the recipe; NULL: nothing.
    const char *where;    // The name of the member that it is about.
} recipe_line;

static void recipe_add(recipe_line *line, const char *word)
{
    (void)file_list_add(&line->words, "", word);
}

static void recipe_add_option(recipe_line *line, const char *name, const char *value)
{
    char word[PATH_SIZE];
    int size = snprintf(word, sizeof word, "--%s%s%s", name, value ? "=" : "", value ? value : "");
    if (size < 0 || size >= PATH_SIZE) line->problem = "is too long", line->where = name;
    recipe_add(line, word);
}

static void recipe_refuse(recipe_line *line, const char *where, const char *problem)
{
    if (line->problem) return;
    line->where = where;
    line->problem = problem;
}

// A string, or a list of strings: `option` for each; NULL: as operands.
static void recipe_add_texts(recipe_line *line, const json_value *value, const char *option)
{
    const json_value *item = value && value->kind == JSON_ARRAY ? value->first : value;
    for (; item; item = value->kind == JSON_ARRAY ? item->next : NULL) {
        if (item->kind != JSON_STRING)
            recipe_refuse(line, value->key, "must be a text or a list of texts");
        else if (option)
            recipe_add_option(line, option, item->text);
        else if (item->text[0] == '-')
            recipe_refuse(line, value->key, "must not begin with '-'");
        else
            recipe_add(line, item->text);
    }
}

// {"to": "gpb", "verify": true, "clip": ["run", "walk"]}
static void recipe_add_options(recipe_line *line, const json_value *options)
{
    if (!options) return;
    if (options->kind != JSON_OBJECT) {
        recipe_refuse(line, "options", "must be an object");
        return;
    }
    for (const json_value *option = options->first; option; option = option->next) {
        const json_value *item = option->kind == JSON_ARRAY ? option->first : option;
        for (; item; item = option->kind == JSON_ARRAY ? item->next : NULL) {
            if (item->kind == JSON_TRUE)
                recipe_add_option(line, option->key, NULL);
            else if (item->kind == JSON_STRING || item->kind == JSON_NUMBER)
                recipe_add_option(line, option->key, item->text);
            else if (item->kind != JSON_FALSE)
                recipe_refuse(line, option->key, "must be a text, a number, true or false");
        }
    }
}

static void recipe_check_members(recipe_line *line, const json_value *object,
                                 const char *const *names)
{
    for (const json_value *member = object->first; member; member = member->next) {
        uint32_t i = 0;
        while (names[i] && strcmp(names[i], member->key) != 0) i++;
        if (!names[i]) recipe_refuse(line, member->key, "is not known");
    }
}

// The command line of a rule; NULL: of the files that no rule matches.
static void recipe_make_line(recipe_line *line, const json_value *root, const json_value *rule,
                             char **words)
{
    static const char *const names[] = {"match", "exclude", "options", "skip", NULL};
    const json_value *rules = json_in_member(root, "rules");
    const json_value *output = json_in_member(root, "output"), *inputs;
    inputs = json_in_member(root, "inputs");
    for (uint32_t i = 0; words[i]; i++) recipe_add(line, words[i]);
    recipe_add(line, "--skip-unchanged");
    recipe_add(line, "--prune");
    recipe_add(line, "-r");
    if (!output || output->kind != JSON_STRING || !*output->text) {
        recipe_refuse(line, "output", "must be the name of a folder");
        return;
    }
    char folder[PATH_SIZE];
    size_t size = strlen(output->text);
    (void)snprintf(folder, sizeof folder, "%s%s", output->text,
                   output->text[size - 1] == '/' ? "" : "/");
    recipe_add_option(line, "output", folder);
    recipe_add_texts(line, json_in_member(root, "exclude"), "exclude");
    for (const json_value *other = rules ? rules->first : NULL; other && other != rule;
         other = other->next)
        recipe_add_texts(line, json_in_member(other, "match"), "exclude");
    if (rule) {
        if (rule->kind != JSON_OBJECT) {
            recipe_refuse(line, "rules", "must be a list of objects");
            return;
        }
        recipe_check_members(line, rule, names);
        if (!json_in_member(rule, "match")) recipe_refuse(line, "match", "is missing in a rule");
        recipe_add_texts(line, json_in_member(rule, "match"), "include");
        recipe_add_texts(line, json_in_member(rule, "exclude"), "exclude");
    }
    recipe_add_options(line, json_in_member(root, "options"));
    if (rule) recipe_add_options(line, json_in_member(rule, "options"));
    if (!inputs) recipe_refuse(line, "inputs", "is missing");
    recipe_add_texts(line, inputs, NULL);
}

// -- The file

static bool recipe_make_lines(recipe *all, const json_value *root, char **words,
                              recipe_line *failed)
{
    static const char *const names[] = {"$schema", "inputs", "output", "exclude",
                                        "options", "rules",  NULL};
    const json_value *rules = json_in_member(root, "rules");
    if (root->kind != JSON_OBJECT) {
        recipe_refuse(failed, "the recipe", "must be an object");
        return false;
    }
    recipe_check_members(failed, root, names);
    if (rules && rules->kind != JSON_ARRAY) recipe_refuse(failed, "rules", "must be a list");
    if (failed->problem) return false;
    uint32_t most = 1;
    for (const json_value *rule = rules ? rules->first : NULL; rule; rule = rule->next) most++;
    all->lines = calloc(most, sizeof *all->lines);
    if (!all->lines) return false;
    const json_value *rule = rules ? rules->first : NULL;
    for (uint32_t i = 0; i < most; i++, rule = rule ? rule->next : NULL) {
        const json_value *skip = json_in_member(rule, "skip");
        if (skip && skip->kind == JSON_TRUE) continue;
        recipe_line line = {0};
        recipe_make_line(&line, root, rule, words);
        // The words end with NULL.
        if (!line.problem && !line.words.failed && file_list_add(&line.words, "", "")) {
            char **made = line.words.names;
            free(made[line.words.count - 1]);
            made[line.words.count - 1] = NULL;
            all->lines[all->count++] = made;
            continue;
        }
        file_list_free(&line.words);
        *failed = line;
        return false;
    }
    return true;
}

int recipe_read(recipe *all, const char *path, char **words)
{
    tenon_bytes bytes;
    tenon_error err;
    json_in in;
    const tenon_read_opts opts = {.files = tenon_system_files()};
    *all = (recipe){0};
    if (!tenon_load(path, &opts, &bytes, &err)) return report_error(path, &err);
    bool ok = json_in_read(&in, bytes.data, bytes.size);
    tenon_unload(&bytes);
    int status = CLI_GO_ON;
    recipe_line failed = {0};
    if (!ok) {
        err = report_make(TENON_ERR_VALUE, "%s", in.problem);
        err.line = in.line;
        err.column = 1;
        status = report_error(path, &err);
    } else if (!recipe_make_lines(all, in.root, words, &failed)) {
        err = failed.problem ? report_make(TENON_ERR_VALUE, "'%s' %s", failed.where, failed.problem)
                             : report_make(TENON_ERR_MEMORY, "out of memory");
        status = report_error(path, &err);
        if (failed.problem) status = CLI_USAGE;
    }
    json_in_free(&in);
    size_t folder_size = (size_t)(path_base_name(path) - path);
    char folder[PATH_SIZE];
    if (status != CLI_GO_ON || folder_size == 0 || folder_size >= sizeof folder) return status;
    memcpy(folder, path, folder_size);
    folder[folder_size] = '\0';
    int error = platform_enter_folder(folder);
    if (!error) return CLI_GO_ON;
    err = report_make(TENON_ERR_IO, "cannot be entered: %s", strerror(error));
    return report_error(folder, &err);
}

void recipe_free(recipe *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        for (char **word = all->lines[i]; *word; word++) free(*word);
        free(all->lines[i]);
    }
    free(all->lines);
    *all = (recipe){0};
}
