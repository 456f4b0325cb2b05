// test_file_beside.c: attacks on the function that decides which files a model may name.
// SPDX-License-Identifier: MIT

#define _DEFAULT_SOURCE 1

#include <errno.h>

#include <tenon/files.h>

#include "../faulty_files.h"
#include "../scratch.h"
#include "../test.h"

static char found[PATH_MAX];

static bool beside_sized(const char *model, const char *name, size_t size)
{
    return tenon_file_beside(NULL, model, (tenon_str){name, (uint32_t)size}, found, sizeof found);
}

static bool beside(const char *model, const char *name)
{
    return beside_sized(model, name, strlen(name));
}

// The path of a name beside the model of the scratch folder; "" if it is refused.
static const char *lead(const char *name)
{
    size_t folder = strlen(scratch_folder);
    if (!beside(scratch("models/crane.bplx"), name)) return found;
    CHECK(strncmp(found, scratch_folder, folder) == 0);
    return found + folder;
}

TEST(plain_names_are_beside_the_model)
{
    CHECK_STR(lead("crane.png"), "/models/crane.png");
    CHECK_STR(lead("none.png"), "/models/none.png");
    CHECK_STR(lead("sub/wood.png"), "/models/sub/wood.png");
    CHECK_STR(lead("sub\\wood.png"), "/models/sub/wood.png");
    CHECK_STR(lead("./sub//./wood.png"), "/models/sub/wood.png");
    CHECK_STR(lead("none/none/none.png"), "/models/none/none/none.png");
    CHECK_STR(lead(".hidden"), "/models/.hidden");
    CHECK_STR(lead("..hidden"), "/models/..hidden");
    CHECK_STR(lead("a..b/c..png"), "/models/a..b/c..png");
    CHECK_STR(lead("with space.png"), "/models/with space.png");
    CHECK_STR(lead("\xc3\xa4\xff.png"), "/models/\xc3\xa4\xff.png");
    CHECK_STR(lead("crane.png/inner"), "/models/crane.png/inner");
    CHECK_STR(lead("sub"), "/models/sub");
}

TEST(what_others_expand_stays_a_literal_name)
{
    CHECK_STR(lead("file:///etc/passwd"), "/models/file:/etc/passwd");
    CHECK_STR(lead("%2e%2e/%2e%2e/etc/passwd"), "/models/%2e%2e/%2e%2e/etc/passwd");
    CHECK_STR(lead("%2e%2e%2fx"), "/models/%2e%2e%2fx");
    CHECK_STR(lead("~/x"), "/models/~/x");
    CHECK_STR(lead("~root/x"), "/models/~root/x");
    CHECK_STR(lead("$HOME/x"), "/models/$HOME/x");
    CHECK_STR(lead("`id`;x|y"), "/models/`id`;x|y");
    CHECK_STR(lead("\xc0\xae\xc0\xae/x"), "/models/\xc0\xae\xc0\xae/x");  // Overlong dots.
    CHECK_STR(lead("\xe2\x80\xa5/x"), "/models/\xe2\x80\xa5/x");          // U+2025.
    CHECK_STR(lead("a\xe2\x88\x95..\xe2\x88\x95x"), "/models/a\xe2\x88\x95..\xe2\x88\x95x");
    CHECK_STR(lead("http://x/y"), "/models/http:/x/y");
    CHECK_STR(lead("-"), "/models/-");
}

static const char *const hostile[] = {
    "",
    "/",
    "//",
    "\\",
    "/etc/passwd",
    "\\etc\\passwd",
    "//server/share",
    "\\\\server\\share",
    "\\\\?\\C:\\x",
    "\\\\.\\NUL",
    "C:",
    "c:x",
    "C:/x",
    "C:\\x",
    "z:..\\x",
    "..",
    "../",
    "..\\",
    "../x",
    "..\\x",
    "./../x",
    ".\\..\\x",
    "sub/../../x",
    "sub\\..\\..\\x",
    "sub/..\\../x",
    "sub/..",
    "sub/../crane.png",
    "x/../../models2/secret.png",
    "../models/crane.png",
    "../../../../../../../../etc/passwd",
    "...",
    "..../x",
    ".. /x",
    ".. ",
    " ../x",
    ". ./x",
    ".. ./x",
    " ",
    "  /x",
    "sub/.. ",
    "sub/...",
    "..//x",
    "sub//..//..//x",
    ".",
    "./",
    "./.",
    ".\\.",
    "a\nb",
    "a\rb",
    "a\tb",
    "\x1b[2J",
    "a\x7f",
    "\x01",
    "/dev/zero",
    "/dev/stdin",
    "/proc/self/mem",
};

TEST(hostile_names_are_refused)
{
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        CHECK_STR(lead(hostile[i]), "");
        CHECK(!beside("crane.bplx", hostile[i]));
        CHECK(!beside("/crane.bplx", hostile[i]));
    }
}

TEST(nul_inside_a_name_is_refused)
{
    CHECK(!beside_sized(scratch("models/crane.bplx"), "crane.png\0.jpg", 14));
    CHECK(!beside_sized(scratch("models/crane.bplx"), "\0", 1));
    CHECK(!beside_sized(scratch("models/crane.bplx"), "crane.png\0", 10));
    CHECK(beside_sized(scratch("models/crane.bplx"), "crane.png/../x", 9));  // No NUL at its end.
}

TEST(links_that_lead_out_are_refused)
{
    CHECK(symlink("/etc/passwd", scratch("models/absolute")) == 0);
    CHECK(symlink("../models2/secret.png", scratch("models/relative")) == 0);
    CHECK(symlink("../models2", scratch("models/out")) == 0);
    CHECK(symlink("..", scratch("models/up")) == 0);
    CHECK(symlink("/", scratch("models/root")) == 0);
    CHECK(symlink("relative", scratch("models/twice")) == 0);
    CHECK(symlink("../models2/none.png", scratch("models/dangling")) == 0);
    CHECK(symlink("../none", scratch("models/dangling_folder")) == 0);
    static const char *const names[] = {
        "absolute",        "relative",          "out",       "out/secret.png",
        "out/none.png",    "out/none/none.png", "up",        "up/models2/secret.png",
        "root/etc/passwd", "root/none",         "twice",     "dangling",
        "dangling_folder", "dangling_folder/x", "sub/../up", "out\\secret.png",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) CHECK_STR(lead(names[i]), "");
}

TEST(links_that_stay_inside_are_fine)
{
    CHECK(symlink("sub/wood.png", scratch("models/inner")) == 0);
    CHECK(symlink("../models/crane.png", scratch("models/round")) == 0);
    CHECK(symlink("sub", scratch("models/inner_folder")) == 0);
    CHECK(symlink(".", scratch("models/self")) == 0);
    CHECK(symlink("sub/later.png", scratch("models/later")) == 0);
    CHECK_STR(lead("inner"), "/models/inner");
    CHECK_STR(lead("round"), "/models/round");
    CHECK_STR(lead("inner_folder/wood.png"), "/models/inner_folder/wood.png");
    CHECK_STR(lead("self/self/crane.png"), "/models/self/self/crane.png");
    CHECK_STR(lead("later"), "/models/later");
    CHECK_STR(lead("self"), "/models/self");
}

TEST(loops_are_refused)
{
    CHECK(symlink("loop", scratch("models/loop")) == 0);
    CHECK(symlink("pong", scratch("models/ping")) == 0);
    CHECK(symlink("ping", scratch("models/pong")) == 0);
    CHECK(symlink("sub2/x", scratch("models/grow")) == 0);
    CHECK(symlink("grow/x", scratch("models/sub2")) == 0);
    static const char *const names[] = {"loop", "loop/x", "ping", "pong/x/y", "grow", "sub2/z"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) CHECK_STR(lead(names[i]), "");
}

TEST(the_folder_of_the_model_may_be_a_link)
{
    CHECK(symlink("models", scratch("link")) == 0);
    CHECK(beside(scratch("link/crane.bplx"), "sub/wood.png"));
    CHECK_STR(found, scratch("link/sub/wood.png"));
    CHECK(!beside(scratch("link/crane.bplx"), "relative"));
    CHECK(!beside(scratch("link/crane.bplx"), "../models2/secret.png"));
    CHECK(beside(scratch("models/../models/crane.bplx"), "crane.png"));
    CHECK(beside(scratch("models2/../link/"), "crane.png"));
}

TEST(a_folder_with_the_same_start_is_another_one)
{
    CHECK(symlink("../models2/secret.png", scratch("models/near")) == 0);
    CHECK_STR(lead("near"), "");
    CHECK(symlink("../mod/secret.png", scratch("models/short")) == 0);
    CHECK_STR(lead("short"), "");
}

TEST(without_a_folder_the_model_is_here)
{
    CHECK(chdir(scratch("models")) == 0);
    CHECK(beside("crane.bplx", "crane.png"));
    CHECK_STR(found, "./crane.png");
    CHECK(beside("crane.bplx", "-"));
    CHECK_STR(found, "./-");
    CHECK(beside("", "none.png"));
    CHECK(!beside("crane.bplx", "relative"));
    CHECK(!beside("crane.bplx", "up/models2/secret.png"));
    CHECK(chdir("/") == 0);
    CHECK(beside("/crane.bplx", "none.png"));
    CHECK_STR(found, "/none.png");
}

TEST(a_model_from_a_pipe_has_nothing_beside_it)
{
    CHECK(!beside("/dev/fd/0", "1"));
    CHECK(!beside("/dev/fd/63", "crane.png"));
    CHECK(!beside("/dev/fd/", "0"));
    CHECK(!beside("/proc/self/fd/3", "0"));
    CHECK(!beside("/dev/stdin", "zero"));
}

TEST(a_model_that_does_not_exist_has_a_folder)
{
    CHECK(beside("no/such/folder/crane.bplx", "sub/x.png"));
    CHECK_STR(found, "no/such/folder/sub/x.png");
    CHECK(!beside("no/such/folder/crane.bplx", "../x.png"));
}

TEST(what_does_not_fit_is_refused)
{
    static char name[100000];
    const char *model = scratch("models/crane.bplx");
    size_t folder = strlen(scratch("models/"));
    memset(name, 'x', sizeof name);
    for (size_t size = 200; size < sizeof name; size = size * 3 / 2) {
        if (beside_sized(model, name, size)) CHECK(size <= 255);
    }
    for (size_t i = 1; i < sizeof name; i += 2) name[i] = '/';
    CHECK(beside_sized(model, name, 3001));  // 1501 folders that do not exist.
    CHECK(!beside_sized(model, name, sizeof name - 1));
    for (size_t size = 0; size < folder + 10; size++) {
        char small[PATH_MAX];
        memset(small, '#', sizeof small);
        bool fits = tenon_file_beside(NULL, model, (tenon_str){"crane.png", 9}, small, size);
        CHECK(fits == (size >= folder + 10));
        CHECK(small[size] == '#');
        CHECK(size == 0 || small[0] == '\0');
    }
}

// How the system resolves a path, or an errno.
static int resolve(const char *path, size_t out_size)
{
    const tenon_files *files = tenon_system_files();
    return files->resolve(files->user, path, found, out_size);
}

TEST(what_is_missing_has_a_path)
{
    CHECK(resolve("/none", sizeof found) == 0);
    CHECK_STR(found, "/none");
    CHECK(resolve("/none", 6) == 0 && resolve("/none", 5) == ENAMETOOLONG);
    CHECK(resolve(scratch("models2/../link/none"), sizeof found) == 0);
    CHECK_STR(found, scratch("models/none"));
    CHECK(resolve(scratch("models/dangling"), sizeof found) == 0);
    CHECK_STR(found, scratch("models2/none.png"));
    CHECK(resolve(scratch("none/none"), sizeof found) == ENOENT);
    CHECK(resolve(scratch("none/"), sizeof found) == ENOENT);
    CHECK(resolve("", sizeof found) == ENOENT);
    static char path[5000];
    memset(path, 'x', sizeof path - 1);
    CHECK(resolve(path, sizeof found) == ENAMETOOLONG);
}

TEST(every_operation_may_fail)
{
    const int errors[] = {EIO, ENOENT, ENOSYS, EACCES, ENAMETOOLONG, ELOOP};
    for (size_t i = 0; i < 2 * sizeof errors / sizeof errors[0]; i++) {
        faulty_files faulty;
        unsigned k = 0;
        do {
            faulty_begin(&faulty);
            faulty.fail_at = ++k;
            faulty.for_ever = i % 2 != 0;
            faulty.error = errors[i / 2];
            bool ok = tenon_file_beside(&faulty.files, scratch("models/crane.bplx"),
                                        (tenon_str){"sub/wood.png", 12}, found, sizeof found);
            bool harmless = faulty.error == ENOENT || (faulty.error == ENOSYS && k == 1);
            CHECK(ok == (harmless || faulty.failed_calls == 0));
        } while (faulty.failed_calls > 0);
    }
}

TEST(without_links_the_name_alone_decides)
{
    faulty_files faulty;
    faulty_begin(&faulty);
    faulty.fail_at = 1;
    faulty.for_ever = true;
    faulty.error = ENOSYS;
    CHECK(tenon_file_beside(&faulty.files, "m/crane.bplx", (tenon_str){"x", 1}, found, 10));
    CHECK_STR(found, "m/x");
    CHECK(!tenon_file_beside(&faulty.files, "m/crane.bplx", (tenon_str){"../x", 4}, found, 10));
}

int main(void)
{
    scratch_begin();
    mkdir(scratch("models"), 0777);
    mkdir(scratch("models/sub"), 0777);
    mkdir(scratch("models2"), 0777);
    mkdir(scratch("mod"), 0777);
    scratch_save("models/crane.bplx", "b", 1);
    scratch_save("models/crane.png", "p", 1);
    scratch_save("models/sub/wood.png", "w", 1);
    scratch_save("models2/secret.png", "s", 1);
    scratch_save("mod/secret.png", "s", 1);
    RUN(plain_names_are_beside_the_model);
    RUN(what_others_expand_stays_a_literal_name);
    RUN(hostile_names_are_refused);
    RUN(nul_inside_a_name_is_refused);
    RUN(links_that_lead_out_are_refused);
    RUN(links_that_stay_inside_are_fine);
    RUN(loops_are_refused);
    RUN(the_folder_of_the_model_may_be_a_link);
    RUN(a_folder_with_the_same_start_is_another_one);
    RUN(without_a_folder_the_model_is_here);
    RUN(a_model_from_a_pipe_has_nothing_beside_it);
    RUN(a_model_that_does_not_exist_has_a_folder);
    RUN(what_does_not_fit_is_refused);
    RUN(what_is_missing_has_a_path);
    RUN(every_operation_may_fail);
    RUN(without_links_the_name_alone_decides);
    scratch_end();
    TEST_END();
}
