// import_run.c: the conversation with tenon-import, which is always ended.
// SPDX-License-Identifier: MIT
//
// Nothing that tenon-import sends is trusted: sizes and the order of messages are checked, names of
// files go through tenon_file_beside(), and the result is read like any other file.

#define _XOPEN_SOURCE 700  // waitid(), strsignal()

#include "import/import_run.h"

#include "import/import_protocol.h"
#include "import/import_start.h"
#include "input/job.h"
#include "report/report.h"
#include "system/guard.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB           ((uint64_t)1 << 20)
#define BASE_MEMORY   (256 * MIB)  // What the program takes before it has read anything.
#define MODEL_MEMORY  (768 * MIB)  // What a model may take, besides 64 times its size.
#define MEMORY_FACTOR 64
#define CPU_SECONDS   10   // And two for each MiB of the file.
#define WALL_SECONDS  60   // And four.
#define END_SECONDS   2    // To end, once it has closed its pipes.
#define POLL_MS       100  // How often it is asked whether the process has ended, if it is silent.
#define REQUESTS_MOST 65536
#define PIECE_SIZE    65536
#define MESSAGE_SIZE  1024

// A message that is on its way to the importer.
typedef struct outgoing {
    uint8_t start[2 * IMPORT_HEADER_SIZE + IMPORT_NAME_MOST];  // Headers, and the model's name.
    const uint8_t *data;                                       // What follows them.
    size_t start_size, data_size, sent;
} outgoing;

// A message that is coming from there.
typedef struct incoming {
    uint8_t head[IMPORT_HEADER_SIZE];
    size_t head_size;
    import_header header;
    uint64_t left;                // Bytes that are still to come.
    char text[IMPORT_NAME_MOST];  // Of all messages but IMPORT_DATA.
    size_t text_size;
} incoming;

typedef struct conversation {
    const cli_common *opts;
    const char *file;  // The model's.
    import_process process;
    import_limits most;
    double deadline;
    outgoing out;
    incoming in;
    tenon_bytes sidecar;  // That is being sent.
    uint32_t request_count;
    imported_model *result;
    size_t room;
    char message[MESSAGE_SIZE];  // From its standard error.
    size_t message_size;
    bool is_ready, is_done;
    bool has_failed;  // The reason is in `error`.
    tenon_error error;
} conversation;

static import_limits limits_for(const cli_common *opts, uint64_t input_size)
{
    uint64_t memory = opts->max_memory;
    if (!memory) memory = MODEL_MEMORY + MEMORY_FACTOR * input_size;
    return (import_limits){.memory = BASE_MEMORY + memory,
                           .output = memory,
                           .cpu = CPU_SECONDS + 2 * (input_size / MIB),
                           .wall = WALL_SECONDS + 4 * (input_size / MIB)};
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(conversation *c, tenon_error error)
{
    if (!c->has_failed) c->error = error;
    c->has_failed = true;
}

// Say with --verbose what the sandbox lacks.
static void note_lack(const conversation *c, const char *text, size_t size)
{
    char shown[IMPORT_TEXT_MOST + 1];
    if (!c->opts->verbose) return;
    memcpy(shown, text, size);
    shown[size] = '\0';
    out_clean(stderr, report_name(c->file));
    out(stderr, ": importer sandbox: ");
    out_clean(stderr, shown);
    out(stderr, "\n");
}

// -- Sending

static bool is_sending(const conversation *c)
{
    return c->out.sent < c->out.start_size + c->out.data_size;
}

static void close_end(int *end)
{
    if (*end >= 0) (void)close(*end);
    *end = -1;
}

static void send_model(conversation *c, const tenon_bytes *model)
{
    outgoing *out = &c->out;
    const char *slash = strrchr(c->file, '/'), *name = slash ? slash + 1 : c->file;
    size_t size = strlen(name);
    if (size > IMPORT_NAME_MOST) name += size - IMPORT_NAME_MOST, size = IMPORT_NAME_MOST;
    import_put_header(out->start, IMPORT_NAME, size);
    memcpy(out->start + IMPORT_HEADER_SIZE, name, size);
    import_put_header(out->start + IMPORT_HEADER_SIZE + size, IMPORT_MODEL, model->size);
    out->start_size = IMPORT_HEADER_SIZE + size + IMPORT_HEADER_SIZE;
    out->data = model->data;
    out->data_size = model->size;
}

static void send_answer(conversation *c, import_kind kind, const void *data, size_t size)
{
    c->out = (outgoing){.start_size = IMPORT_HEADER_SIZE, .data = data, .data_size = size};
    import_put_header(c->out.start, kind, size);
}

// As much as the pipe takes now. If the importer reads no more, that is its decision: what it says
// or how it ends tells why.
static void send_some(conversation *c)
{
    outgoing *out = &c->out;
    bool is_start = out->sent < out->start_size;
    size_t at = is_start ? out->sent : out->sent - out->start_size;
    ssize_t put = is_start ? write(c->process.in, out->start + at, out->start_size - at)
                           : write(c->process.in, out->data + at, out->data_size - at);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put < 0 && errno == EFAULT)
        fail(c, report_make(TENON_ERR_IO, "the file shrank while it was read"));
    if (put <= 0) close_end(&c->process.in);
    if (put > 0) out->sent += (size_t)put;
    if (put > 0 && is_sending(c)) return;
    tenon_unload(&c->sidecar);
    c->sidecar = (tenon_bytes){0};
}

// -- Receiving

// Look for a file beside the model, and read it if that is wanted.
static void answer_request(conversation *c)
{
    const tenon_files *files = guard_files();
    const tenon_str name = {c->in.text, (uint32_t)c->in.text_size};
    const tenon_read_opts opts = {
        .allocator = job_allocator(), .files = files, .map = true, .beside = c->file};
    tenon_file_info info;
    tenon_error why;
    char path[IMPORT_NAME_MOST];
    if (++c->request_count > REQUESTS_MOST) {
        fail(c, report_make(TENON_ERR_LIMIT, "the importer asks for files more than %d times",
                            REQUESTS_MOST));
        return;
    }
    bool is_there = tenon_file_beside(files, c->file, name, path, sizeof path) &&
                    files->look(files->user, path, &info) == 0 && info.kind == TENON_FILE_REGULAR;
    if (is_there && c->in.header.kind == IMPORT_READ) {
        if (info.size > c->most.memory) {
            fail(c, report_make(TENON_ERR_LIMIT, "a file beside it has more than %" PRIu64 " bytes",
                                c->most.memory));
            return;
        }
        is_there = tenon_load(path, &opts, &c->sidecar, &why);
        if (!is_there && why.code == TENON_ERR_MEMORY) fail(c, why);
    }
    send_answer(c, is_there ? IMPORT_FOUND : IMPORT_MISSING, c->sidecar.data, c->sidecar.size);
}

// Whether a message of that kind and size may come now.
static bool is_expected(const conversation *c)
{
    uint64_t size = c->in.header.size;
    switch (c->in.header.kind) {
    case IMPORT_READY:
        return !c->is_ready && size <= IMPORT_TEXT_MOST;
    case IMPORT_LOOK:
    case IMPORT_READ:
        return c->is_ready && !is_sending(c) && c->result->size == 0 && size <= IMPORT_NAME_MOST;
    case IMPORT_DATA:
        return c->is_ready;
    case IMPORT_DONE:
        return c->is_ready && size == 0;
    default:
        return false;
    }
}

static void begin_message(conversation *c)
{
    incoming *in = &c->in;
    if (!import_get_header(in->head, &in->header) || !is_expected(c)) {
        fail(c, report_make(TENON_ERR_VALUE, "the importer does not follow the protocol: it is "
                                             "damaged or of another version"));
        return;
    }
    in->left = in->header.size;
    in->text_size = 0;
    if (in->header.kind == IMPORT_DATA && in->left > c->most.output - c->result->size)
        fail(c, report_make(TENON_ERR_LIMIT, "what is imported has more than %" PRIu64 " bytes",
                            c->most.output));
}

static void end_message(conversation *c)
{
    incoming *in = &c->in;
    in->head_size = 0;
    switch (in->header.kind) {
    case IMPORT_READY:
        c->is_ready = true;
        if (in->text_size) note_lack(c, in->text, in->text_size);
        break;
    case IMPORT_LOOK:
    case IMPORT_READ:
        answer_request(c);
        break;
    case IMPORT_DONE:
        c->is_done = true;
        break;
    default:
        break;
    }
}

static void keep_result(conversation *c, const uint8_t *bytes, size_t size)
{
    imported_model *r = c->result;
    if (size > c->room - r->size) {
        size_t room = c->room ? 2 * c->room : (size_t)1 << 16;
        while (size > room - r->size) room *= 2;
        void *longer = realloc(r->data, room);
        if (!longer) {
            fail(c, report_make(TENON_ERR_MEMORY, "out of memory"));
            return;
        }
        r->data = longer;
        c->room = room;
    }
    memcpy((char *)r->data + r->size, bytes, size);
    r->size += size;
}

static void receive(conversation *c, const uint8_t *bytes, size_t size)
{
    incoming *in = &c->in;
    while (size > 0 && !c->has_failed && !c->is_done) {
        bool is_head = in->head_size < IMPORT_HEADER_SIZE;
        uint64_t want = is_head ? IMPORT_HEADER_SIZE - in->head_size : in->left;
        size_t step = want < size ? (size_t)want : size;
        if (is_head) {
            memcpy(in->head + in->head_size, bytes, step);
            in->head_size += step;
            if (in->head_size == IMPORT_HEADER_SIZE) begin_message(c);
        } else {
            in->left -= step;
            if (in->header.kind == IMPORT_DATA) {
                keep_result(c, bytes, step);
            } else {
                memcpy(in->text + in->text_size, bytes, step);
                in->text_size += step;
            }
        }
        bytes += step;
        size -= step;
        if (!c->has_failed && in->head_size == IMPORT_HEADER_SIZE && in->left == 0) end_message(c);
    }
}

// Returns false when there is nothing more to read.
static bool read_output(conversation *c)
{
    uint8_t piece[PIECE_SIZE];
    ssize_t got = read(c->process.out, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) receive(c, piece, (size_t)got);
    return got > 0;
}

// The first words are kept, the others only read.
static bool read_message(conversation *c)
{
    char words[MESSAGE_SIZE];
    ssize_t got = read(c->process.err, words, sizeof words);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    size_t left = sizeof c->message - 1 - c->message_size;
    size_t size = (size_t)got < left ? (size_t)got : left;
    memcpy(c->message + c->message_size, words, size);
    c->message_size += size;
    return true;
}

static bool has_ended(const conversation *c)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)c->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == c->process.pid;
}

// Until the result is complete, the pipes are closed, or something fails.
static void converse(conversation *c)
{
    import_process *p = &c->process;
    while ((p->out >= 0 || p->err >= 0) && !c->has_failed && !c->is_done) {
        struct pollfd ends[] = {{.fd = p->out, .events = POLLIN},
                                {.fd = p->err, .events = POLLIN},
                                {.fd = is_sending(c) ? p->in : -1, .events = POLLOUT}};
        if (now() >= c->deadline)
            fail(c, report_make(TENON_ERR_LIMIT, "importing it takes more than %" PRIu64 " s",
                                c->most.wall));
        int ready = poll(ends, sizeof ends / sizeof ends[0], POLL_MS);
        if (ready < 0 && errno != EINTR)
            fail(c, report_make(TENON_ERR_IO, "cannot wait for the importer: %s", strerror(errno)));
        // Something that it started may still have its pipes open.
        if (ready == 0 && has_ended(c)) break;
        if (ready <= 0) continue;
        if (ends[2].revents) send_some(c);
        if (ends[0].revents && !read_output(c)) close_end(&p->out);
        if (ends[1].revents && !read_message(c)) close_end(&p->err);
    }
}

// -- Ending

// What it said, in one line.
static const char *last_words(conversation *c)
{
    static const char prefix[] = "tenon-import: ";
    c->message[c->message_size] = '\0';
    c->message[strcspn(c->message, "\r\n")] = '\0';
    bool is_ours = strncmp(c->message, prefix, sizeof prefix - 1) == 0;
    return c->message + (is_ours ? sizeof prefix - 1 : 0);
}

static bool wants_memory(const char *words)
{
    return strstr(words, "out of memory") || strstr(words, "bad_alloc") ||
           strstr(words, "std::length_error");
}

static tenon_error explain(conversation *c, const import_format *format, int status)
{
    const char *words = last_words(c);
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (wants_memory(words))
        return report_make(TENON_ERR_LIMIT,
                           "importing it takes more than %" PRIu64 " bytes of memory",
                           c->most.memory);
    if (number == SIGXCPU || number == SIGKILL)
        return report_make(TENON_ERR_LIMIT, "importing it takes more than %" PRIu64 " s",
                           c->most.cpu);
    if (number == SIGSYS)
        return report_make(TENON_ERR_VALUE,
                           "the importer made a system call that its sandbox forbids");
    if (number)
        return report_make(TENON_ERR_VALUE, "the importer crashed (%s): the file is damaged",
                           strsignal(number));
    if (WEXITSTATUS(status) == 0)
        return report_make(TENON_ERR_VALUE, "the importer ended without a result");
    return report_make(TENON_ERR_VALUE, "this is no %s that can be read: %s", format->title,
                       *words ? words : "the importer does not say why");
}

// -- All of it

static tenon_error is_not_there(const import_format *format)
{
    tenon_error err =
        report_make(TENON_ERR_IO, "%s is read by tenon-import, which is not there", format->title);
    (void)snprintf(err.note, sizeof err.note,
                   "it is built with Tenon where Assimp is installed: `apt-get install "
                   "libassimp-dev`, then build again");
    return err;
}

static void note_lacks(const conversation *c)
{
    static const char *const texts[] = {"memory is not limited", "some limits could not be set",
                                        "privileges of programs that it starts are not blocked",
                                        "it goes on for a while if this program is killed"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (c->process.lacks >> i & 1) note_lack(c, texts[i], strlen(texts[i]));
}

bool import_run(const cli_common *opts, const char *file, const import_format *format,
                const tenon_bytes *model, imported_model *result, tenon_error *err)
{
    char program[4096];
    conversation c = {.opts = opts, .file = file, .result = result};
    c.most = limits_for(opts, model->size);
    *result = (imported_model){0};
    if (!import_find_program(program, sizeof program)) {
        *err = is_not_there(format);
        return false;
    }
    int error = import_start(program, &c.most, &c.process);
    if (error) {
        *err = report_make(TENON_ERR_IO, "the importer could not be started: %s", strerror(error));
        return false;
    }
    c.deadline = now() + (double)c.most.wall;
    note_lacks(&c);
    send_model(&c, model);
    converse(&c);
    close_end(&c.process.in);
    close_end(&c.process.out);
    close_end(&c.process.err);
    tenon_unload(&c.sidecar);
    // Without a result, how it ends tells why; it has a moment to do so.
    const struct timespec moment = {.tv_nsec = 1000000};
    double until = now() + END_SECONDS;
    bool is_over = c.is_done || c.has_failed;
    while (!is_over && !(is_over = has_ended(&c)) && now() < until) (void)nanosleep(&moment, NULL);
    int status = import_end(&c.process);
    if (!is_over) fail(&c, report_make(TENON_ERR_VALUE, "the importer went silent"));
    if (c.is_done && !c.has_failed) return true;
    *err = c.has_failed ? c.error : explain(&c, format, status);
    free(result->data);
    *result = (imported_model){0};
    return false;
}
