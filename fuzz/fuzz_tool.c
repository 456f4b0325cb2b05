// fuzz_tool.c: whole commands of the tool with options drawn from its table, in a separate folder:
// the status is a documented one, messages are clean, inputs stay as they are, and what is written
// can be read again.
// SPDX-License-Identifier: MIT
//
// An input is a bundle of files; the bytes of a file with the extension "args" choose the command,
// its options and their values. Without it a hash of the input does. Commands run in this process:
// none of them ends it, and no state of the process outlives a command.

#define _XOPEN_SOURCE 700

#include "../cli/options/cli.h"
#include "../cli/pictures/picture.h"
#include "../cli/system/guard.h"
#include "bundle.h"
#include "core/json/json.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS_MOST   40
#define WORD_SIZE    96
#define OPTIONS_MOST 5
#define TEXT_MOST    ((size_t)64 << 20)
#define STEPS_MOST   ((uint64_t)1 << 19)  // "512K": of the budget of each input.
#define STEP_WORK    ((uint64_t)1 << 10)  // Branches.

// -- Chance

typedef struct draws {
    const uint8_t *bytes;  // Used first,
    size_t left;
    uint64_t chance;  // and this when there are none left.
} draws;

static uint64_t draw(draws *d, uint64_t count)
{
    if (!d->left) return pick(&d->chance, count);
    d->left--;
    return *d->bytes++ % count;
}

// -- The folder

static char folder[64];
static int home = -1, streams[3] = {-1, -1, -1}, captured[3] = {-1, -1, -1};

static int open_captured(const char *name)
{
    char path[96];
    (void)snprintf(path, sizeof path, "%s.%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
    require(fd >= 0, "a file for what a command prints", NULL);
    (void)unlink(path);
    return fd;
}

// Where a sanitizer reports while the streams are redirected; missing without one.
#if defined(__ELF__)
__attribute__((weak)) void __sanitizer_set_report_fd(void *fd);
#endif

static void remove_folder(void)
{
    (void)rmdir(folder);
}

static void begin_once(void)
{
    if (home >= 0) return;
    struct stat st;
    const char *base = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof folder, "%s/tenon-fuzz-XXXXXX", base);
    home = open(".", O_RDONLY);
    require(home >= 0 && mkdtemp(folder) != NULL, "a folder", NULL);
    guard_begin();
    (void)atexit(remove_folder);
    captured[0] = open("/dev/null", O_RDONLY);
    captured[1] = open_captured("stdout");
    captured[2] = open_captured("stderr");
    (void)setvbuf(stderr, NULL, _IONBF, 0);
#if defined(__ELF__)
    if (__sanitizer_set_report_fd) __sanitizer_set_report_fd((void *)(intptr_t)dup(STDERR_FILENO));
#endif
}

static void redirect(const int to[3])
{
    (void)fflush(stdout);
    for (int i = 0; i < 3; i++) require(dup2(to[i], i) == i, "streams are redirected", NULL);
}

static char *read_all(int fd, size_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    require(end >= 0 && (size_t)end < TEXT_MOST, "a command prints no flood", NULL);
    char *text = malloc((size_t)end + 1);
    require(text && pread(fd, text, (size_t)end, 0) == end, "what was printed", NULL);
    text[end] = 0;
    *size = (size_t)end;
    return text;
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "an input is written", NULL);
    (void)close(fd);
}

// -- Inputs

typedef struct inputs {
    const uint8_t *data;
    bundle files;
    char names[BUNDLE_FILES_MOST][32];  // "" if nothing is written.
} inputs;

static void write_inputs(inputs *in, draws *d)
{
    for (uint32_t i = 0; i < in->files.count; i++) {
        const bundle_file *f = &in->files.files[i];
        const char *extension = f->extension[0] ? f->extension : "x";
        in->names[i][0] = 0;
        if (i && strcmp(extension, "args") == 0) {
            *d = (draws){in->data + f->offset, f->size, d->chance};
            continue;
        }
        (void)snprintf(in->names[i], sizeof in->names[i], "m.%s", extension);
        if (i && (access(in->names[i], F_OK) == 0 || strcmp(extension, "bbanim") == 0))
            (void)snprintf(in->names[i], sizeof in->names[i], "m_%u.%s", (unsigned)i, extension);
        write_file(in->names[i], in->data + f->offset, f->size);
    }
}

static int find_input(const inputs *in, const char *path)
{
    if (strncmp(path, "./", 2) == 0) path += 2;
    for (uint32_t i = 0; i < in->files.count; i++)
        if (strcmp(in->names[i], path) == 0) return (int)i;
    return -1;
}

// -- The command line

typedef struct command_line {
    const cli_command *command;
    char words[WORDS_MOST][WORD_SIZE];
    char *args[WORDS_MOST + 1];
    uint32_t count;
    bool replaces, is_json, is_colored, is_help, is_quiet;
    bool is_forced;  // Names a format, which may not be that of the input or of the output's name.
    bool prints_file;    // Standard output is a file, not text;
    bool prints_output;  // the one that the command makes.
    bool has_budget;     // Of STEPS_MOST.
} command_line;

static void add_word(command_line *line, const char *word)
{
    if (line->count == WORDS_MOST) return;
    (void)snprintf(line->words[line->count], WORD_SIZE, "%s", word);
    line->args[line->count] = line->words[line->count];
    line->args[++line->count] = NULL;
}

// Whether a command is one of those.
static bool has_name(const cli_command *command, const char *names)
{
    const char *found = strstr(names, command->name);
    size_t size = strlen(command->name);
    return found && (found == names || found[-1] == ' ') && (found[size] == ' ' || !found[size]);
}

static const tenon_format *draw_format(draws *d)
{
    uint32_t count = 0;
    while (tenon_format_at(count)) count++;
    return tenon_format_at((uint32_t)draw(d, count));
}

static void draw_choices(const cli_option *option, draws *d, char *out)
{
    uint32_t count = 0, words = option->kind == CLI_WORDS ? 1 + (uint32_t)draw(d, 3) : 1;
    while (option->choices[count]) count++;
    out[0] = 0;
    for (uint32_t i = 0; i < words; i++) {
        size_t used = strlen(out);
        (void)snprintf(out + used, WORD_SIZE - used, "%s%s", i ? "," : "",
                       option->choices[draw(d, count)]);
    }
}

// The name of a file for an option or an operand.
static void draw_file(const inputs *in, draws *d, char *out)
{
    static const char *const others[] = {"-", "missing.gpb", ".", "out.x", "report.json", ""};
    const char *name = in->names[draw(d, 4) ? 0 : draw(d, in->files.count)];
    if (draw(d, 8) == 0) name = others[draw(d, sizeof others / sizeof others[0])];
    (void)snprintf(out, WORD_SIZE, "%s", name);
}

static void draw_value(const cli_option *option, const inputs *in, draws *d, char *out)
{
    static const char *const texts[] = {"*",  "a",        "all=box/1/2/3", "0=convex",
                                        "",   "rest:1:x", "travel",        "0=sphere/1",
                                        "m.", "../x",     "a:b:c",         "meshes[0]"};
    static const char *const numbers[] = {"1",   "0.01", "30",  "1e-3", "1000",
                                          "0.5", "2",    "1e9", "0",    "-1"};
    static const char *const sizes[] = {"1", "1K", "64K", "16M", "4", "18446744073709551615", "0"};
    const tenon_format *format = draw_format(d);
    const char *dialect =
        format->dialect_count ? format->dialects[draw(d, format->dialect_count)].name : "none";
    const char *profile = tenon_profile_at((uint32_t)draw(d, 8));
    switch (option->kind) {
    case CLI_CHOICE:
    case CLI_WORDS:
        draw_choices(option, d, out);
        return;
    case CLI_FILE:
    case CLI_FILES:
        draw_file(in, d, out);
        return;
    case CLI_DIALECT:
        (void)snprintf(out, WORD_SIZE, "%s", dialect);
        return;
    case CLI_PROFILE:
        (void)snprintf(out, WORD_SIZE, "%s", profile ? profile : format->name);
        return;
    case CLI_FORMAT:
        (void)snprintf(out, WORD_SIZE, "%s%s%s", format->name, draw(d, 2) ? ":" : "", dialect);
        if (!strchr(out, ':')) out[strlen(format->name)] = 0;
        return;
    case CLI_SIZE:
    case CLI_OFFSET:
        (void)snprintf(out, WORD_SIZE, "%s", sizes[draw(d, sizeof sizes / sizeof sizes[0])]);
        return;
    case CLI_NUMBER:
    case CLI_AMOUNT:
        (void)snprintf(out, WORD_SIZE, "%s", numbers[draw(d, sizeof numbers / sizeof numbers[0])]);
        return;
    default:
        (void)snprintf(out, WORD_SIZE, "%s", texts[draw(d, sizeof texts / sizeof texts[0])]);
    }
}

static void draw_option(command_line *line, const inputs *in, draws *d)
{
    uint32_t count = 0;
    while (cli_option_at(line->command, count)) count++;
    const cli_option *option = cli_option_at(line->command, (uint32_t)draw(d, count));
    if (strcmp(option->long_name, "watch") == 0) return;  // Only a signal would end it.
    char word[WORD_SIZE], value[WORD_SIZE];
    (void)snprintf(word, sizeof word, "--%s", option->long_name);
    add_word(line, word);
    line->replaces |= strcmp(word, "--force") == 0 || strcmp(word, "--in-place") == 0;
    line->is_json |= strcmp(word, "--json") == 0;
    line->is_help |= strcmp(word, "--help") == 0;
    line->is_quiet |= strcmp(word, "--quiet") == 0;
    line->is_forced |= strcmp(word, "--from") == 0 || strcmp(word, "--to") == 0;
    line->has_budget &= strcmp(word, "--max-work") != 0;
    if (option->kind == CLI_FLAG) return;
    draw_value(option, in, d, value);
    // An input as a list of files could name every folder of this machine.
    if (strcmp(word, "--files-from") == 0) (void)snprintf(value, sizeof value, "missing.gpb");
    add_word(line, value);
    line->is_colored |= strcmp(value, "always") == 0;
    line->prints_file |= strcmp(value, "-") == 0;
}

// Inputs, and an output whose name fits.
static void draw_operands(command_line *line, const inputs *in, draws *d)
{
    const cli_command *command = line->command;
    char word[WORD_SIZE];
    bool writes = has_name(command, "convert salvage build");
    if (command->operands_max == 0 || has_name(command, "help formats")) {
        if (draw(d, 2)) add_word(line, draw(d, 2) ? "convert" : draw_format(d)->name);
        return;
    }
    draw_file(in, d, word);
    add_word(line, word);
    if (has_name(command, "diff verify") || draw(d, 8) == 0) {
        draw_file(in, d, word);
        add_word(line, word);
        line->prints_file |= writes && strcmp(word, "-") == 0;
    }
    if (has_name(command, "dump") && draw(d, 2)) add_word(line, "out.json");
    if (!writes) return;
    const tenon_format *format = draw_format(d);
    (void)snprintf(word, sizeof word, "%s.%s", draw(d, 8) ? "out" : "sub/out",
                   format->extensions[0]);
    if (draw(d, 8) == 0) (void)snprintf(word, sizeof word, "%s", draw(d, 2) ? "-" : "out/");
    add_word(line, word);
    line->prints_output = strcmp(word, "-") == 0 && !line->prints_file;
    line->prints_file |= line->prints_output;
}

static void draw_line(command_line *line, const inputs *in, draws *d)
{
    uint32_t count = 0;
    while (cli_command_at(count)) count++;
    // Half of the commands convert, which has most of the options.
    line->command =
        draw(d, 2) ? cli_command_by_name("convert") : cli_command_at((uint32_t)draw(d, count));
    if (line->command->reads_models) {
        add_word(line, "--max-work");
        add_word(line, "512K");
        line->has_budget = true;
    }
    for (uint64_t left = draw(d, OPTIONS_MOST + 1); left > 0; left--) draw_option(line, in, d);
    draw_operands(line, in, d);
}

static void show(const command_line *line)
{
    fprintf(stderr, "tenon %s", line->command->name);
    for (uint32_t i = 0; i < line->count; i++) fprintf(stderr, " '%s'", line->words[i]);
    fprintf(stderr, "\n");
}

// The command moves its arguments, but not the words.
static void check(bool holds, const char *what, const command_line *line, const char *text)
{
    if (holds) return;
    show(line);
    fprintf(stderr, "%s\n%.2000s\n", what, text);
    abort();
}

// -- What was printed

static bool is_clean(const char *text, size_t size, bool is_colored)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t c = (uint8_t)text[i];
        if (c == '\n' || (c == '\x1b' && is_colored)) continue;
        if (c < ' ' || c == 0x7f) return false;
    }
    return true;
}

static bool is_json(const char *text, size_t size)
{
    tn_json json;
    tn_json_begin(&json, text, size, 0);
    while (tn_json_next(&json) > TN_JSON_END) continue;
    return json.token.kind == TN_JSON_END;
}

static void check_printed(const command_line *line, int status)
{
    size_t out_size, err_size;
    char *out = read_all(captured[1], &out_size), *err = read_all(captured[2], &err_size);
    check(status >= CLI_OK && status <= CLI_SYSTEM, "the status is documented", line, err);
    check(is_clean(err, err_size, line->is_colored), "messages are clean", line, err);
    // A quiet comparison answers with the status alone.
    check(status == CLI_OK || err_size || out_size || (line->is_quiet && status == CLI_FAILED),
          "a failure says why", line, "");
    check(status != CLI_USAGE || !out_size || line->is_json || line->prints_file,
          "a wrong call prints nothing on standard output", line, out);
    check(status != CLI_USAGE || err_size || line->is_json, "a wrong call says what is wrong", line,
          out);
    check(status == CLI_OK || !out_size || line->is_json || !line->prints_output,
          "a failure prints no part of an output", line, "");
    if (!line->prints_file) {
        check(is_clean(out, out_size, line->is_colored), "output is clean", line, out);
        for (char *at = out, *end; line->is_json && !line->is_help && (end = strchr(at, '\n'));
             at = end + 1)
            check(is_json(at, (size_t)(end - at)), "each line is JSON", line, at);
    }
    free(out);
    free(err);
}

// -- What was written

static void check_written(const command_line *line, const char *path)
{
    const char *dot = strrchr(path, '.');
    bool is_model = has_name(line->command, "convert salvage build");
    const tenon_format *format = NULL;
    for (uint32_t i = 0; dot && is_model && (format = tenon_format_at(i)); i++)
        if (strcmp(format->extensions[0], dot + 1) == 0) break;
    tenon_error err = {0};
    tenon_read_opts opts = {.name = path};
    struct stat st;
    check(stat(path, &st) == 0, "an output is there", line, path);
    check(!strstr(path, ".tenon-"), "no temporary file is left", line, path);
    if (format && format->caps & TENON_CAN_READ && strstr(path, "out.")) {
        tenon_doc *doc = tenon_read_file(path, &opts, &err);
        bool is_unknown = err.code == TENON_ERR_FORMAT && line->is_forced;
        check(doc || is_excused(&err) || is_unknown, "what was written can be read", line,
              err.message);
        tenon_doc_free(doc);
    }
}

static void check_input(const command_line *line, const inputs *in, int number)
{
    const bundle_file *f = &in->files.files[number];
    int fd = open(in->names[number], O_RDONLY);
    uint8_t *bytes = malloc(f->size + 1);
    bool is_same = fd >= 0 && bytes && read(fd, bytes, f->size + 1) == (ssize_t)f->size &&
                   memcmp(bytes, in->data + f->offset, f->size) == 0;
    free(bytes);
    if (fd >= 0) (void)close(fd);
    check(is_same, "an input is as it was", line, in->names[number]);
}

// Check every file, and remove it.
static void check_folder(const command_line *line, const inputs *in, const char *path, int depth)
{
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char inner[PATH_MAX];
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        int size = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        check(size > 0 && (size_t)size < sizeof inner, "a path is short", line, inner);
        check(lstat(inner, &st) == 0 && depth < 20, "a file is there", line, inner);
        if (S_ISDIR(st.st_mode)) {
            check_folder(line, in, inner, depth + 1);
            (void)rmdir(inner);
            continue;
        }
        int number = find_input(in, inner);
        if (number < 0)
            check_written(line, inner);
        else if (!line->replaces)
            check_input(line, in, number);
        (void)unlink(inner);
    }
    if (dir) (void)closedir(dir);
}

// -- One input

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    inputs in = {.data = data, .files = bundle_split(data, size)};
    draws d = {.chance = hash_of(data, size)};
    command_line line = {0};
    begin_once();
    require(chdir(folder) == 0, "the folder is there", NULL);
    write_inputs(&in, &d);
    draw_line(&line, &in, &d);
    if (getenv("TENON_FUZZ_SHOW")) show(&line);
    for (int i = 0; i < 3; i++) streams[i] = dup(i);
    require(ftruncate(captured[1], 0) == 0 && ftruncate(captured[2], 0) == 0, "empty files", NULL);
    redirect(captured);
    uint64_t start = fuzz_work;
    int status = line.command->run(line.command, line.args);
    redirect(streams);
    if (line.has_budget) start += in.files.count * STEPS_MOST * STEP_WORK;
    if (!line.command->reads_models || line.has_budget)
        require_little_work(start < fuzz_work ? start : fuzz_work, size, line.command->name);
    for (int i = 0; i < 3; i++) (void)close(streams[i]);
    check_printed(&line, status);
    check_folder(&line, &in, ".", 0);
    require(fchdir(home) == 0, "back home", NULL);
    return 0;
}
