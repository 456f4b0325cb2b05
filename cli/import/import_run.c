// import_run.c: exchanges messages with tenon-import until it is done, fails or takes too long.
// SPDX-License-Identifier: MIT
//
// Nothing that tenon-import sends is trusted: sizes and the order of messages are checked, file
// names go through tenon_file_beside(), and the result is read like any other file.

#define _XOPEN_SOURCE 700  // waitid(), strsignal()

#include "import/import_run.h"

#include "import/import_protocol.h"
#include "import/import_start.h"
#include "input/job.h"
#include "input/paths.h"
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
#define BASE_MEMORY   (256 * MIB)  // What the program needs before it reads anything.
#define MODEL_MEMORY  (768 * MIB)  // What a model may need, besides 64 times its size.
#define MEMORY_FACTOR 64
#define CPU_SECONDS   10   // Plus 2 for each MiB of the file.
#define WALL_SECONDS  60   // Plus 4 for each MiB of the file.
#define END_SECONDS   2    // How long it may take to end after it has closed its pipes.
#define POLL_MS       100  // How often to check whether a silent process has ended.
#define REQUESTS_MOST 65536
#define PIECE_SIZE    65536
#define MESSAGE_SIZE  1024

// A message that is being sent to the importer.
typedef struct outgoing {
    uint8_t start[2 * IMPORT_HEADER_SIZE + IMPORT_NAME_MOST];  // Headers, and the model's name.
    const uint8_t *data;                                       // What follows them.
    size_t start_size, data_size, sent;
} outgoing;

// A message that is being received.
typedef struct incoming {
    uint8_t head[IMPORT_HEADER_SIZE];
    size_t head_size;
    import_header header;
    uint64_t left;                // Bytes not received yet.
    char text[IMPORT_NAME_MOST];  // Of all messages but IMPORT_DATA.
    size_t text_size;
} incoming;

typedef struct import_session {
    const cli_common *opts;
    const char *file;  // The model.
    const char *name;  // Its name for the importer.
    import_process process;
    import_limits most;
    double deadline;
    outgoing out;
    incoming in;
    tenon_bytes sidecar;  // The one that is being sent.
    uint32_t request_count;
    imported_model *result;
    size_t room;
    char message[MESSAGE_SIZE];  // From its standard error.
    size_t message_size;
    bool is_ready, is_done;
    bool has_failed;  // The reason is in `error`.
    tenon_error error;
} import_session;

static double import_run_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void import_run_fail(import_session *session, tenon_error error)
{
    if (!session->has_failed) session->error = error;
    session->has_failed = true;
}

// With --verbose: print what the sandbox lacks.
static void import_run_print_lack(const import_session *session, const char *text, size_t size)
{
    char shown[IMPORT_TEXT_MOST + 1];
    if (!session->opts->verbose) return;
    memcpy(shown, text, size);
    shown[size] = '\0';
    out_clean(stderr, report_name(session->file));
    out(stderr, ": importer sandbox: ");
    out_clean(stderr, shown);
    out(stderr, "\n");
}

// -- Sending

static bool import_run_is_sending(const import_session *session)
{
    return session->out.sent < session->out.start_size + session->out.data_size;
}

static void import_run_send_model(import_session *session, const tenon_bytes *model)
{
    outgoing *out = &session->out;
    const char *name = session->name;
    size_t size = strlen(name);
    if (size > IMPORT_NAME_MOST) name += size - IMPORT_NAME_MOST, size = IMPORT_NAME_MOST;
    import_put_header(out->start, IMPORT_NAME, size);
    memcpy(out->start + IMPORT_HEADER_SIZE, name, size);
    import_put_header(out->start + IMPORT_HEADER_SIZE + size, IMPORT_MODEL, model->size);
    out->start_size = IMPORT_HEADER_SIZE + size + IMPORT_HEADER_SIZE;
    out->data = model->data;
    out->data_size = model->size;
}

// Send as much as the pipe takes now. The importer may stop reading: its message or its exit
// status says why.
static void import_run_send_some(import_session *session)
{
    outgoing *out = &session->out;
    bool is_start = out->sent < out->start_size;
    size_t at = is_start ? out->sent : out->sent - out->start_size;
    ssize_t put = is_start ? write(session->process.in, out->start + at, out->start_size - at)
                           : write(session->process.in, out->data + at, out->data_size - at);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put < 0 && errno == EFAULT)
        import_run_fail(session, report_make(TENON_ERR_IO, "the file shrank while it was read"));
    if (put <= 0) import_close(&session->process.in);
    if (put > 0) out->sent += (size_t)put;
    if (put > 0 && import_run_is_sending(session)) return;
    tenon_unload(&session->sidecar);
    session->sidecar = (tenon_bytes){0};
}

// -- Receiving

// Answer a request for a file beside the model: whether it exists, or what it contains.
static void import_run_answer_request(import_session *session)
{
    const tenon_files *files = guard_files();
    const tenon_str name = {session->in.text, (uint32_t)session->in.text_size};
    const tenon_read_opts opts = {
        .allocator = job_allocator(), .files = files, .map = true, .beside = session->file};
    tenon_file_info info;
    tenon_error why;
    char path[IMPORT_NAME_MOST];
    if (++session->request_count > REQUESTS_MOST) {
        import_run_fail(
            session,
            report_make(TENON_ERR_LIMIT, "the importer sent more than %d requests", REQUESTS_MOST));
        return;
    }
    bool is_there = tenon_file_beside(files, session->file, name, path, sizeof path) &&
                    files->look(files->user, path, &info) == 0 && info.kind == TENON_FILE_REGULAR;
    if (is_there && session->in.header.kind == IMPORT_READ) {
        if (info.size > session->most.memory) {
            import_run_fail(session,
                            report_make(TENON_ERR_LIMIT,
                                        "a file that belongs to it has more than %" PRIu64 " bytes",
                                        session->most.memory));
            return;
        }
        is_there = tenon_load(path, &opts, &session->sidecar, &why);
        if (!is_there && why.code == TENON_ERR_MEMORY) import_run_fail(session, why);
    }
    session->out = (outgoing){.start_size = IMPORT_HEADER_SIZE,
                              .data = session->sidecar.data,
                              .data_size = session->sidecar.size};
    import_put_header(session->out.start, is_there ? IMPORT_FOUND : IMPORT_MISSING,
                      session->sidecar.size);
}

// Check whether a message of this kind and size is allowed now.
static void import_run_begin_message(import_session *session)
{
    incoming *in = &session->in;
    bool is_expected = import_get_header(in->head, &in->header);
    uint64_t size = in->header.size;
    switch (in->header.kind) {
    case IMPORT_READY:
        is_expected &= !session->is_ready && size <= IMPORT_TEXT_MOST;
        break;
    case IMPORT_LOOK:
    case IMPORT_READ:
        is_expected &= session->is_ready && !import_run_is_sending(session) &&
                       session->result->size == 0 && size <= IMPORT_NAME_MOST;
        break;
    case IMPORT_DATA:
        is_expected &= session->is_ready;
        break;
    case IMPORT_DONE:
        is_expected &= session->is_ready && size == 0;
        break;
    default:
        is_expected = false;
        break;
    }
    if (!is_expected) {
        import_run_fail(session, report_make(TENON_ERR_VALUE,
                                             "the importer does not follow the protocol: it "
                                             "is damaged or of another version"));
        return;
    }
    in->left = size;
    in->text_size = 0;
    if (in->header.kind == IMPORT_DATA && size > session->most.output - session->result->size)
        import_run_fail(session, report_make(TENON_ERR_LIMIT,
                                             "the imported model has more than %" PRIu64 " bytes",
                                             session->most.output));
}

static void import_run_end_message(import_session *session)
{
    incoming *in = &session->in;
    in->head_size = 0;
    switch (in->header.kind) {
    case IMPORT_READY:
        session->is_ready = true;
        if (in->text_size) import_run_print_lack(session, in->text, in->text_size);
        break;
    case IMPORT_LOOK:
    case IMPORT_READ:
        import_run_answer_request(session);
        break;
    case IMPORT_DONE:
        session->is_done = true;
        break;
    default:
        break;
    }
}

static void import_run_append_result(import_session *session, const uint8_t *bytes, size_t size)
{
    imported_model *result = session->result;
    if (size > session->room - result->size) {
        size_t room = session->room ? 2 * session->room : (size_t)1 << 16;
        while (size > room - result->size) room *= 2;
        void *longer = realloc(result->data, room);
        if (!longer) {
            import_run_fail(session, report_make(TENON_ERR_MEMORY, "out of memory"));
            return;
        }
        result->data = longer;
        session->room = room;
    }
    memcpy((char *)result->data + result->size, bytes, size);
    result->size += size;
}

static void import_run_receive(import_session *session, const uint8_t *bytes, size_t size)
{
    incoming *in = &session->in;
    while (size > 0 && !session->has_failed && !session->is_done) {
        bool is_head = in->head_size < IMPORT_HEADER_SIZE;
        uint64_t want = is_head ? IMPORT_HEADER_SIZE - in->head_size : in->left;
        size_t step = want < size ? (size_t)want : size;
        if (is_head) {
            memcpy(in->head + in->head_size, bytes, step);
            in->head_size += step;
            if (in->head_size == IMPORT_HEADER_SIZE) import_run_begin_message(session);
        } else {
            in->left -= step;
            if (in->header.kind == IMPORT_DATA) {
                import_run_append_result(session, bytes, step);
            } else {
                memcpy(in->text + in->text_size, bytes, step);
                in->text_size += step;
            }
        }
        bytes += step;
        size -= step;
        if (!session->has_failed && in->head_size == IMPORT_HEADER_SIZE && in->left == 0)
            import_run_end_message(session);
    }
}

// Returns false at the end of its output.
static bool import_run_read_output(import_session *session)
{
    uint8_t piece[PIECE_SIZE];
    ssize_t got = read(session->process.out, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return true;
    if (got > 0) import_run_receive(session, piece, (size_t)got);
    return got > 0;
}

// Keep the start of what it writes to standard error. Returns false at the end.
static bool import_run_read_errors(import_session *session)
{
    char piece[MESSAGE_SIZE];
    ssize_t got = read(session->process.err, piece, sizeof piece);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    size_t left = sizeof session->message - 1 - session->message_size;
    size_t size = (size_t)got < left ? (size_t)got : left;
    memcpy(session->message + session->message_size, piece, size);
    session->message_size += size;
    return true;
}

static bool import_run_has_ended(const import_session *session)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)session->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == session->process.pid;
}

// Exchange messages until the result is complete, the pipes are closed, or something fails.
static void import_run_exchange_messages(import_session *session)
{
    import_process *process = &session->process;
    while ((process->out >= 0 || process->err >= 0) && !session->has_failed && !session->is_done) {
        struct pollfd ends[] = {
            {.fd = process->out, .events = POLLIN},
            {.fd = process->err, .events = POLLIN},
            {.fd = import_run_is_sending(session) ? process->in : -1, .events = POLLOUT}};
        if (job_is_late()) import_run_fail(session, report_make(TENON_ERR_CANCELLED, "cancelled"));
        if (import_run_now() >= session->deadline)
            import_run_fail(session, report_make(TENON_ERR_LIMIT,
                                                 "importing it takes more than %" PRIu64 " s",
                                                 session->most.wall));
        int ready = poll(ends, sizeof ends / sizeof ends[0], POLL_MS);
        if (ready < 0 && errno != EINTR)
            import_run_fail(session, report_make(TENON_ERR_IO, "cannot wait for the importer: %s",
                                                 strerror(errno)));
        // A process that it started may still have its pipes open.
        if (ready == 0 && import_run_has_ended(session)) break;
        if (ready <= 0) continue;
        if (ends[2].revents) import_run_send_some(session);
        if (ends[0].revents && !import_run_read_output(session)) import_close(&process->out);
        if (ends[1].revents && !import_run_read_errors(session)) import_close(&process->err);
    }
}

// -- Ending

// Why there is no result, from the first line of its standard error and its exit status.
static tenon_error import_run_explain_failure(import_session *session, const import_format *format,
                                              int status)
{
    static const char prefix[] = "tenon-import: ";
    char *message = session->message;
    message[session->message_size] = '\0';
    message[strcspn(message, "\r\n")] = '\0';
    if (strncmp(message, prefix, sizeof prefix - 1) == 0) message += sizeof prefix - 1;
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (strstr(message, "out of memory") || strstr(message, "bad_alloc") ||
        strstr(message, "std::length_error"))
        return report_make(TENON_ERR_LIMIT,
                           "importing it takes more than %" PRIu64 " bytes of memory",
                           session->most.memory);
    if (number == SIGXCPU || number == SIGKILL)
        return report_make(TENON_ERR_LIMIT, "importing it takes more than %" PRIu64 " s",
                           session->most.cpu);
    if (number == SIGSYS)
        return report_make(TENON_ERR_VALUE,
                           "the importer made a system call that its sandbox forbids");
    if (number)
        return report_make(TENON_ERR_VALUE, "the importer crashed (%s): the file is damaged",
                           strsignal(number));
    if (WEXITSTATUS(status) == IMPORT_LACKS_LIBRARY)
        return report_make(TENON_ERR_IO, "%s needs tenon-import with its library: %s",
                           format->title, message);
    if (WEXITSTATUS(status) == 0)
        return report_make(TENON_ERR_VALUE, "the importer ended without a result");
    return report_make(TENON_ERR_VALUE, "cannot be read as %s: %s", format->title,
                       *message ? message : "the importer does not say why");
}

bool import_run(const cli_common *opts, const char *file, const import_format *format,
                const tenon_bytes *model, imported_model *result, tenon_error *err)
{
    static const char *const lacks[] = {"memory is not limited", "some limits could not be set",
                                        "privileges of programs that it starts are not blocked",
                                        "it continues for a while if this program is killed"};
    char program[PATH_SIZE];
    *result = (imported_model){0};
    if (!import_find_program(program, sizeof program)) {
        *err = report_make(TENON_ERR_IO, "%s needs tenon-import, which is not installed",
                           format->title);
        (void)snprintf(err->note, sizeof err->note,
                       "it is built with Tenon where its libraries are installed: `apt-get install "
                       "libassimp-dev%s`, then build again",
                       format->is_draco ? " libdraco-dev" : "");
        return false;
    }
    uint64_t memory =
        opts->max_memory ? opts->max_memory : MODEL_MEMORY + MEMORY_FACTOR * model->size;
    import_session session = {.opts = opts,
                              .file = file,
                              .name = format->is_draco ? IMPORT_DRACO : path_base_name(file),
                              .result = result,
                              .most = {.memory = BASE_MEMORY + memory,
                                       .output = memory,
                                       .cpu = CPU_SECONDS + 2 * (model->size / MIB),
                                       .wall = WALL_SECONDS + 4 * (model->size / MIB)}};
    int error = import_start(program, &session.most, &session.process);
    if (error) {
        *err = report_make(TENON_ERR_IO, "the importer could not be started: %s", strerror(error));
        return false;
    }
    session.deadline = import_run_now() + (double)session.most.wall;
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++)
        if (session.process.lacks >> i & 1)
            import_run_print_lack(&session, lacks[i], strlen(lacks[i]));
    import_run_send_model(&session, model);
    import_run_exchange_messages(&session);
    import_close(&session.process.in);
    import_close(&session.process.out);
    import_close(&session.process.err);
    tenon_unload(&session.sidecar);
    // Without a result, the exit status says why: give it a moment to end.
    const struct timespec moment = {.tv_nsec = 1000000};
    double until = import_run_now() + END_SECONDS;
    bool is_over = session.is_done || session.has_failed;
    while (!is_over && !(is_over = import_run_has_ended(&session)) && import_run_now() < until)
        (void)nanosleep(&moment, NULL);
    int status = import_end(&session.process);
    if (!is_over)
        import_run_fail(&session, report_make(TENON_ERR_VALUE, "the importer stopped responding"));
    if (session.is_done && !session.has_failed) return true;
    *err =
        session.has_failed ? session.error : import_run_explain_failure(&session, format, status);
    free(result->data);
    *result = (imported_model){0};
    return false;
}
