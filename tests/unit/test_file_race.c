// test_file_race.c: files that a model names, while another process replaces them by links.
// SPDX-License-Identifier: MIT
//
// Built twice: with openat2(), where the system has it, and without.

#define _DEFAULT_SOURCE 1

#include "../scratch.h"
#include "../test.h"

#include "core/files/file.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#define ROUNDS 10000

static const char inside[] = "of the model", outside[] = "secret of another user";

// The result of loading `name` as a file that the model names.
typedef enum outcome { LOADED, REFUSED, LEAKED, OUTCOME_COUNT } outcome;

static outcome load(const tenon_files *files, const char *name)
{
    char model[PATH_MAX], path[TN_PATH_SIZE];
    tenon_error err = {0};
    tenon_bytes bytes;
    snprintf(model, sizeof model, "%s", scratch("models/crane.gltf"));
    const tn_search search = {files, model, path, sizeof path, &err, NULL};
    const tenon_read_opts read = {.files = files, .beside = model};
    if (tn_find_sidecar(&search, (tenon_str){name, (uint32_t)strlen(name)}) != TN_PLACE_FOUND)
        return REFUSED;
    if (!tenon_load(path, &read, &bytes, &err)) {
        CHECK(!tn_is_outage(&err));
        return REFUSED;
    }
    bool is_own = bytes.size == sizeof inside && memcmp(bytes.data, inside, sizeof inside) == 0;
    tenon_unload(&bytes);
    return is_own ? LOADED : LEAKED;
}

// -- A link that appears at the worst moment

static void (*intrude)(void);

// The last operation before the file is opened.
static int look_and_intrude(void *user, const char *path, tenon_file_info *info)
{
    int error = tenon_system_files()->look(user, path, info);
    intrude();
    return error;
}

static void link_the_file(void)
{
    remove(scratch("models/wood.png"));
    CHECK(symlink("../others/wood.png", scratch("models/wood.png")) == 0);
}

static void link_the_folder(void)
{
    if (rename(scratch("models/sub"), scratch("models/away")) == 0)
        CHECK(symlink("../others", scratch("models/sub")) == 0);
}

static void return_the_folder(void)
{
    remove(scratch("models/sub"));
    CHECK(rename(scratch("models/away"), scratch("models/sub")) == 0);
}

static outcome load_with_intruder(void (*intruder)(void), const char *name)
{
    tenon_files files = *tenon_system_files();
    files.look = look_and_intrude;
    intrude = intruder;
    return load(&files, name);
}

TEST(a_link_between_checking_and_opening_is_not_followed_out)
{
    scratch_save("models/wood.png", inside, sizeof inside);
    CHECK(load(NULL, "wood.png") == LOADED);
    CHECK(load_with_intruder(link_the_file, "wood.png") == REFUSED);
    remove(scratch("models/wood.png"));
    CHECK(load(NULL, "sub/wood.png") == LOADED);
    CHECK(load_with_intruder(link_the_folder, "sub/wood.png") == REFUSED);
    return_the_folder();
}

// -- What may be opened

static int open_inside(const char *folder, const char *path)
{
    const tenon_files *files = tenon_system_files();
    tenon_file file = -1;
    int error = files->open_inside(files->user, folder, path, &file);
    if (error == 0) CHECK(files->close(files->user, file) == 0);
    return error;
}

TEST(links_inside_the_folder_are_followed)
{
    CHECK(symlink("sub/wood.png", scratch("models/near")) == 0);
    CHECK(symlink("../models/sub", scratch("models/round")) == 0);
    CHECK(symlink(scratch("models/sub/wood.png"), scratch("models/absolute")) == 0);
    CHECK(symlink("models", scratch("link")) == 0);
    CHECK(load(NULL, "near") == LOADED);
    CHECK(load(NULL, "round/wood.png") == LOADED);
    CHECK(load(NULL, "absolute") == LOADED);
    CHECK(open_inside(scratch("link/"), scratch("models/round/wood.png")) == 0);
    CHECK(open_inside(scratch("models"), scratch("link/near")) == 0);
}

TEST(what_is_not_inside_is_refused)
{
    CHECK(symlink("../others/wood.png", scratch("models/far")) == 0);
    CHECK(symlink("../others", scratch("models/out")) == 0);
    CHECK(open_inside(scratch("models"), scratch("others/wood.png")) == EXDEV);
    CHECK(open_inside(scratch("models"), scratch("models/far")) == EXDEV);
    CHECK(open_inside(scratch("models"), scratch("models/out/wood.png")) == EXDEV);
    CHECK(open_inside(scratch("model"), scratch("models/near")) == EXDEV);
    CHECK(open_inside(scratch("models"), scratch("models/")) == EISDIR);
    CHECK(open_inside(scratch("models"), scratch("models/none")) == ENOENT);
    CHECK(open_inside(scratch("models"), scratch("models/sub/wood.png/x")) == ENOTDIR);
    CHECK(open_inside(scratch("none/none"), scratch("models/near")) == ENOENT);
    CHECK(open_inside("/", scratch("models/sub/wood.png")) == 0);
}

TEST(the_error_says_that_it_leads_out)
{
    tenon_error err;
    tenon_bytes bytes;
    const tenon_read_opts read = {.beside = scratch("models/crane.gltf")};
    CHECK(!tenon_load(scratch("models/far"), &read, &bytes, &err));
    CHECK(err.code == TENON_ERR_VALUE && err.system == 0);
    CHECK(strstr(err.message, "/models/far' is outside the model's folder"));
}

TEST(a_model_without_a_folder_is_here)
{
    tenon_bytes bytes;
    CHECK(chdir(scratch("models")) == 0);
    const tenon_read_opts read = {.beside = "crane.gltf"};
    CHECK(tenon_load("./near", &read, &bytes, NULL));
    tenon_unload(&bytes);
    CHECK(tenon_load("near", &read, &bytes, NULL));
    tenon_unload(&bytes);
    CHECK(!tenon_load("far", &read, &bytes, NULL));
    CHECK(chdir("/") == 0);
}

// -- Races

// Replace a file, and a folder, by links that lead out, and put both back.
static void swap_for_ever(void)
{
    for (;;) {
        scratch_save("models/.file", inside, sizeof inside);
        if (symlink("../others/wood.png", scratch("models/.link")) != 0) _exit(1);
        (void)rename(scratch("models/.file"), scratch("models/wood.png"));
        link_the_folder();
        (void)rename(scratch("models/.link"), scratch("models/wood.png"));
        return_the_folder();
    }
}

TEST(no_race_leads_out)
{
    unsigned counts[OUTCOME_COUNT] = {0};
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) swap_for_ever();
    // Longer, if the other process did nothing meanwhile.
    for (unsigned i = 0; i < ROUNDS || !counts[LOADED] || !counts[REFUSED]; i++)
        counts[load(NULL, i % 2 ? "wood.png" : "sub/wood.png")]++;
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK(counts[LEAKED] == 0);
    printf("%u loaded, %u refused, %u leaked\n", counts[LOADED], counts[REFUSED], counts[LEAKED]);
}

int main(void)
{
    scratch_begin();
    scratch_make_folder("models");
    scratch_make_folder("models/sub");
    scratch_make_folder("model");
    scratch_make_folder("others");
    scratch_save("models/sub/wood.png", inside, sizeof inside);
    scratch_save("others/wood.png", outside, sizeof outside);
    RUN(a_link_between_checking_and_opening_is_not_followed_out);
    RUN(links_inside_the_folder_are_followed);
    RUN(what_is_not_inside_is_refused);
    RUN(the_error_says_that_it_leads_out);
    RUN(a_model_without_a_folder_is_here);
    RUN(no_race_leads_out);
    scratch_end();
    TEST_END();
}
