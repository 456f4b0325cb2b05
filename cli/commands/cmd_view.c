// cmd_view.c: tenon view: models in a page that shows them, as one file.
// SPDX-License-Identifier: MIT
//
// The page is made by tools/build_page.py. What a conversion of a model to glTF opens belongs to
// the model, and is put into the page as well.

#include "input/job.h"
#include "input/paths.h"
#include "options/cli.h"
#include "report/json_out.h"
#include "report/output.h"
#include "report/report.h"
#include "system/guard.h"
#include "system/platform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/convert.h>

// Where the page is, relative to the folder of the tool: as it is built, and as it is installed.
#ifndef TENON_SHARE
#define TENON_SHARE "../share/tenon"
#endif

#define MARK "<!-- files -->"  // In the page: where the files go.

typedef struct view_opts {
    cli_common common;
    const char *output;
    bool force, no_open;
} view_opts;

// -- The page

// Load the page. False, with `err` set, if it is not there.
static bool cmd_view_load_page(tenon_bytes *page, tenon_error *err)
{
    static const char *const places[] = {"page/tenon.html", TENON_SHARE "/page.html"};
    char folder[PATH_SIZE], path[PATH_SIZE];
    const tenon_read_opts opts = {.files = guard_files()};
    const char *given = getenv("TENON_PAGE");
    if (given) return tenon_load(given, &opts, page, err);
    bool is_known = platform_program_folder(folder, sizeof folder);
    for (size_t i = 0; is_known && i < sizeof places / sizeof places[0]; i++) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        if (size > 0 && (size_t)size < sizeof path && tenon_load(path, &opts, page, err))
            return true;
    }
    *err = report_make(TENON_ERR_IO, "this tool was built without the page for 'view'; 'make page' "
                                     "builds it, and 'make install' installs it");
    return false;
}

// -- The files of a model

// Files that are opened, in their order.
typedef struct view_recorder {
    tenon_files files;
    file_list *opened;
} view_recorder;

static void cmd_view_record(view_recorder *recorder, const char *path, int error)
{
    file_list *list = recorder->opened;
    tenon_file_info info;
    if (error || guard_files()->look(guard_files()->user, path, &info) != 0) return;
    if (info.kind != TENON_FILE_REGULAR) return;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], path) == 0) return;
    (void)file_list_add(list, "", path);
}

static int cmd_view_open(void *user, const char *path, tenon_file *file)
{
    view_recorder *recorder = user;
    int error = guard_files()->open(guard_files()->user, path, file);
    cmd_view_record(recorder, path, error);
    return error;
}

static int cmd_view_open_inside(void *user, const char *folder, const char *path, tenon_file *file)
{
    view_recorder *recorder = user;
    const tenon_files *files = guard_files();
    int error = files->open_inside ? files->open_inside(files->user, folder, path, file)
                                   : files->open(files->user, path, file);
    cmd_view_record(recorder, path, error);
    return error;
}

// Find what belongs to a model. A damaged model has at least its own file.
static void cmd_view_find_files(const cli_common *common, const char *file, file_list *opened)
{
    view_recorder recorder = {.files = *guard_files(), .opened = opened};
    recorder.files.user = &recorder;
    recorder.files.open = cmd_view_open;
    recorder.files.open_inside = cmd_view_open_inside;
    tenon_error ignored;
    tenon_memory *memory = tenon_memory_new(NULL, &ignored);
    tenon_convert_opts opts = {
        .reading = {.files = &recorder.files, .format = NULL},
        .importing.files = &recorder.files,
        .exporting.format = "glb",
        .writing.files = memory ? tenon_memory_files(memory) : NULL,
        .textures = TENON_TEXTURES_EMBED,
        .makes_new_model = true,
        .accept_losses = true,
    };
    if (common->from.format) opts.reading.format = common->from.format->name;
    if (common->from.dialect) opts.reading.dialect = common->from.dialect->name;
    if (memory) (void)tenon_convert_file(file, "shown.glb", &opts, NULL, &ignored);
    tenon_memory_free(memory);
}

// -- Writing

static void cmd_view_put_name(FILE *to, const char *name)
{
    for (const char *c = name; *c; c++)
        if (strchr("&<>\"'", *c) || (unsigned char)*c < 32)
            out(to, "&#%d;", (unsigned char)*c);
        else
            out_bytes(to, c, 1);
}

static void cmd_view_put_base64(FILE *to, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char block[4 * 1024];
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t three = (uint32_t)bytes[i] << 16;
        if (left > 1) three |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) three |= bytes[i + 2];
        for (size_t k = 0; k < 4; k++)
            block[used++] = k <= left ? digits[three >> (18 - 6 * k) & 63] : '=';
        if (used < sizeof block && left > 3) continue;
        out_bytes(to, block, used);
        used = 0;
    }
}

// Paths in the page are relative to the folder of the model. Those of several models are in
// folders with numbers if the models are in several folders.
static bool cmd_view_put_files(FILE *to, const file_list *files, const char *model, uint32_t number)
{
    size_t folder = (size_t)(path_base_name(model) - model);
    tenon_error err;
    for (uint32_t i = 0; i < files->count; i++) {
        const char *path = files->names[i], *name = path;
        tenon_bytes bytes;
        const tenon_read_opts opts = {.files = guard_files(), .map = true};
        if (strncmp(path, model, folder) == 0) name += folder;
        if (strncmp(name, "./", 2) == 0) name += 2;
        if (!tenon_load(path, &opts, &bytes, &err)) return false;
        out(to, "<script type=\"application/octet-stream\" data-file=\"");
        if (number) out(to, "%u/", number);
        cmd_view_put_name(to, name);
        out(to, "\">");
        cmd_view_put_base64(to, bytes.data, bytes.size);
        out(to, "</script>\n");
        tenon_unload(&bytes);
    }
    return true;
}

// The page with all files in it. Returns the exit status.
static int cmd_view_make(const view_opts *opts, const tenon_bytes *page, FILE *to, uint32_t *count)
{
    const cli_common *common = &opts->common;
    const char *text = page->data, *mark = NULL;
    for (const char *at = text; !mark && (size_t)(at - text) + sizeof MARK - 1 <= page->size; at++)
        if (memcmp(at, MARK, sizeof MARK - 1) == 0) mark = at;
    tenon_error err = report_make(TENON_ERR_IO, "the page of this tool is of another version");
    if (!mark) return report_error("page.html", &err);
    bool are_apart = false;
    for (uint32_t i = 1; i < common->operand_count; i++) {
        const char *a = common->operands[0], *b = common->operands[i];
        size_t size = (size_t)(path_base_name(a) - a);
        are_apart |= (size_t)(path_base_name(b) - b) != size || strncmp(a, b, size) != 0;
    }
    out_bytes(to, text, (size_t)(mark - text));
    int status = CLI_OK;
    for (uint32_t i = 0; i < common->operand_count && status == CLI_OK; i++) {
        const char *file = common->operands[i];
        file_list files = {0};
        tenon_file_info info;
        int error = guard_files()->look(guard_files()->user, file, &info);
        if (error || info.kind != TENON_FILE_REGULAR) {
            err = report_make(TENON_ERR_IO, "cannot open '%s': %s", file,
                              error ? strerror(error) : "it is not a file");
            status = report_error(file, &err);
        } else {
            (void)file_list_add(&files, "", file);
            cmd_view_find_files(common, file, &files);
            if (files.failed || !cmd_view_put_files(to, &files, file, are_apart ? i + 1 : 0))
                status = report_no_memory();
        }
        *count += files.count;
        file_list_free(&files);
    }
    const char *rest = mark + sizeof MARK - 1;
    out_bytes(to, rest, page->size - (size_t)(rest - text));
    return status;
}

// The path of a page in a new temporary folder. False if that cannot be made.
static bool cmd_view_place(const char *file, char path[PATH_SIZE])
{
    char folder[PATH_SIZE];
    const char *base = path_base_name(file);
    if (!platform_make_temporary_folder("tenon-", folder, sizeof folder)) return false;
    int size = snprintf(path, PATH_SIZE, "%s/%.*s.html", folder, (int)path_stem_size(base), base);
    return size > 0 && size < PATH_SIZE;
}

static int run_view(const cli_command *self, char **args)
{
    view_opts opts = {0};
    int status = cli_parse(self, args, &opts);
    if (status != CLI_GO_ON) return status;
    tenon_error err;
    tenon_bytes page;
    uint32_t count = 0;
    char made[PATH_SIZE], *text = NULL;
    size_t size = 0;
    if (!cmd_view_load_page(&page, &err)) {
        (void)report_error("view", &err);
        return CLI_SYSTEM;
    }
    FILE *to = out_to_memory(&text, &size);
    status = to ? cmd_view_make(&opts, &page, to, &count) : report_no_memory();
    tenon_unload(&page);
    if (to && !out_memory_end(to, &text, &size) && status == CLI_OK) status = report_no_memory();
    const char *output = opts.output ? opts.output : made;
    if (status == CLI_OK && !opts.output && !cmd_view_place(opts.common.operands[0], made)) {
        err = report_make(TENON_ERR_IO, "cannot create a temporary folder: %s", strerror(errno));
        status = report_error("view", &err);
    } else if (status == CLI_OK && opts.output && path_is_stream(opts.output)) {
        out_bytes(stdout, text, size);
    } else if (status == CLI_OK) {
        const tenon_write_opts write = {.force = opts.force, .files = guard_output_files()};
        if (!tenon_save(output, text, size, &write, &err)) {
            status = report_error(output, &err);
        } else if (opts.common.json) {
            json_out json = {.to = stdout};
            json_begin(&json, NULL, '{');
            json_text(&json, "output", output);
            json_uint(&json, "files", count);
            json_uint(&json, "size", size);
            json_end(&json, '}');
            json_line(&json);
        } else if (!opts.common.quiet) {
            out_clean(stdout, output);
            out(stdout, "\n");
        }
        if (status == CLI_OK && !opts.output && !opts.no_open) {
            int error = platform_open_document(output);
            err = report_make(TENON_ERR_IO, "nothing could be started to show it: %s",
                              strerror(error));
            if (error) status = report_error(output, &err);
        }
    }
    free(text);
    return status;
}

#define FIELD(field) offsetof(view_opts, field)

static const cli_option options[] = {
    {.long_name = "output",
     .short_name = 'o',
     .kind = CLI_FILE,
     .metavar = "OUT.html",
     .help = "write the page to OUT.html, and do not open it",
     .field = FIELD(output)},
    {.long_name = "no-open",
     .help = "only write the page into a temporary folder, and print its path",
     .field = FIELD(no_open)},
    {.long_name = "force",
     .short_name = 'f',
     .help = "replace an existing file",
     .field = FIELD(force)},
    {0},
};

static const cli_example examples[] = {
    {"tenon view robot.gpb", "see it, its clips and its bytes in a browser"},
    {"tenon view old.bbmod new.bbmod", "compare two versions"},
    {"tenon view robot.gpb -o robot.html", "one file, to mail or to keep"},
    {0},
};

const cli_command cmd_view = {
    .name = "view",
    .summary = "show models in a browser, from one HTML file",
    .usage = {"[OPTION]... FILE... [-o OUT.html]"},
    .details =
        "The page contains the models and what belongs to them, works without a network, and "
        "sends nothing anywhere. It shows damaged files up to the fault as well.",
    .options = options,
    .reads_models = true,
    .examples = examples,
    .statuses = {[3] = "a missing file, I/O, memory, or a tool that was built without the page"},
    .operands_min = 1,
    .operands_max = CLI_LIST_MOST,
    .operand = "FILE",
    .run = run_view,
};
