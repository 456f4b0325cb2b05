// validate_files.c: check models against the rules of their formats, as a build step would.
// SPDX-License-Identifier: MIT
//
// Run: validate_files samples/crane.bplx samples/crane_script.bplx

#include <tenon/tenon.h>

#include <inttypes.h>
#include <stdio.h>

static void print_finding(void *user, const tenon_finding *finding)
{
    static const char *const words[] = {"info", "warning", "error"};
    const char *file = user;
    printf("%s: %s[%s]: %s\n", file, words[finding->severity], finding->rule->id, finding->message);
    if (finding->path[0]) printf("  in %s\n", finding->path);
    if (finding->fix) printf("  help: %s\n", finding->fix);
    if (finding->more) printf("  and %" PRIu64 " more\n", finding->more);
}

// Whether the file is a model without an error.
static bool validate(const char *path)
{
    tenon_error err;
    tenon_doc *doc = tenon_read_file(path, NULL, &err);
    if (!doc) {
        printf("%s: error[%s]: %s\n", path, tenon_code_word(err.code), err.message);
        if (err.path[0]) printf("  in %s\n", err.path);
        if (err.note[0]) printf("  note: %s\n", err.note);
        return false;
    }
    tenon_check_opts opts = {.model_path = path};  // So that textures are searched for beside it.
    tenon_check_result result;
    bool checked = tenon_check(doc, &opts, print_finding, (void *)path, &result, &err);
    if (checked)
        printf("%s: %" PRIu64 " errors, %" PRIu64 " warnings\n", path, result.errors,
               result.warnings);
    else
        printf("%s: %s\n", path, err.message);
    tenon_doc_free(doc);
    return checked && result.errors == 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        if (!validate(argv[i])) bad++;
    if (bad) fprintf(stderr, "%d of %d files have errors\n", bad, argc - 1);
    return bad != 0;
}
