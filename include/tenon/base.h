// base.h: what all headers share: errors, costs, callbacks, text and arrays.
// SPDX-License-Identifier: MIT

#ifndef TENON_BASE_H
#define TENON_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A program that uses Tenon as a DLL defines TENON_SHARED; the CMake package does this
// automatically.
#if defined(_WIN32) && defined(TENON_SHARED) && defined(TENON_BUILDING)
#define TENON_API __declspec(dllexport)
#elif defined(_WIN32) && defined(TENON_SHARED)
#define TENON_API __declspec(dllimport)
#elif defined(__GNUC__)
#define TENON_API __attribute__((visibility("default")))
#else
#define TENON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// An index that refers to nothing.
#define TENON_NONE UINT32_MAX

// A count or a number that does not apply to this format or was not computed.
#define TENON_ABSENT UINT64_MAX

// -- Errors

// Why a call failed: constant, word for scripts, meaning.
#define TENON_CODES(X)                                                        \
    X(TENON_OK, "ok", "no error")                                             \
    X(TENON_ERR_MEMORY, "memory", "the allocator returned NULL")              \
    X(TENON_ERR_LIMIT, "limit", "a limit of the options was exceeded")        \
    X(TENON_ERR_TRUNCATED, "truncated", "the file ends inside a field")       \
    X(TENON_ERR_FORMAT, "format", "the content is none of the known formats") \
    X(TENON_ERR_AMBIGUOUS, "ambiguous", "the content fits several formats")   \
    X(TENON_ERR_VERSION, "version", "the version is not one we know")         \
    X(TENON_ERR_VALUE, "value", "a field holds what the format forbids")      \
    X(TENON_ERR_TRAILING, "trailing", "bytes follow the end of the model")    \
    X(TENON_ERR_UNSUPPORTED, "unsupported", "the format cannot do that")      \
    X(TENON_ERR_CANCELLED, "cancelled", "the progress callback said stop")    \
    X(TENON_ERR_EXISTS, "exists", "the output exists, or is an input")        \
    X(TENON_ERR_IO, "io", "a file operation failed")

typedef enum tenon_code {
#define TENON_CODE_ENUM(id, word, meaning) id,
    TENON_CODES(TENON_CODE_ENUM)
#undef TENON_CODE_ENUM
} tenon_code;

// Why a call failed, and where.
typedef struct tenon_error {
    tenon_code code;
    int system;            // The errno of TENON_ERR_IO, else 0.
    uint64_t offset;       // First byte of the field at fault; TENON_ABSENT if there is no place.
    uint64_t line;         // Of a text input, with `column`, from 1; 0 for a binary one.
    uint64_t column;       // In bytes.
    char path[160];        // For example "meshes[2].vertices"; "" if there is no place.
    char message[256];     // One line, lower case, no full stop.
    char note[128];        // A fact that helps, for example "vertex_count is 9 (at 0x0008)"; or "".
    uint64_t reserved[4];  // Zeros: room for what later versions add.
} tenon_error;

// The word for a code, for example "truncated".
TENON_API const char *tenon_code_word(tenon_code code);

// -- Options common to many calls

// One kind of cost.
typedef struct tenon_cost {
    uint64_t limit;    // At most this much; 0: no limit.
    uint64_t used;     // So far. Memory that is freed is subtracted.
    uint64_t most;     // The largest value that `used` has had.
    uint64_t refused;  // The value that would have exceeded the limit; 0: it was not reached.
} tenon_cost;

// What a job may cost, and what it has cost: all memory from an allocator with this budget, and the
// work of all functions that get such an allocator or something allocated with it. A whole
// conversion is one job: give the same budget to all its calls. The call that reaches a limit fails
// with TENON_ERR_LIMIT and a message with both numbers, and so does every later one.
//
// A budget is used by one thread at a time and must outlive everything allocated with it. Start
// from tenon_budget_for(), or from zeros for no limits.
typedef struct tenon_budget {
    tenon_cost memory;     // Bytes allocated.
    tenon_cost output;     // Bytes handed to files and callbacks.
    tenon_cost work;       // Steps: elements visited, samples taken, 64 bytes copied.
    bool is_exceeded;      // A limit was reached: `refused` of one of them says how.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_budget;

// The limits that the tool has for files of `input_size` bytes together: memory of 64 MiB and 64
// times the input, output of 64 MiB and 256 times the input, 2^28 steps and 4096 for each byte.
TENON_API tenon_budget tenon_budget_for(uint64_t input_size);

// Count costs that the library does not see, such as the memory and the pixels of your decoder:
// before allocating, after freeing, and before doing the work. False if a limit is reached: do not
// allocate, or stop. `budget` may be NULL.
TENON_API bool tenon_budget_take(tenon_budget *budget, uint64_t bytes);
TENON_API void tenon_budget_give_back(tenon_budget *budget, uint64_t bytes);
TENON_API bool tenon_budget_work(tenon_budget *budget, uint64_t steps);

// Memory callbacks. Leave all at zero to use malloc() and free() without a budget.
typedef struct tenon_allocator {
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory, size_t size);
    void *user;
    tenon_budget *budget;  // Counts allocations and work; NULL: they are not counted.
} tenon_allocator;

// -- What a call reports

// What happened to something that the target cannot hold unchanged.
typedef enum tenon_loss_kind {
    TENON_DROPPED,       // It was removed.
    TENON_APPROXIMATED,  // It was changed.
    TENON_DEFAULTED,     // It was missing and got the value that an engine would assume.
    TENON_SYNTHESIZED,   // The target needs it, and the source does not have it.
} tenon_loss_kind;

// The word for a kind of loss, for example "dropped".
TENON_API const char *tenon_loss_word(tenon_loss_kind kind);

// All pointers are valid during the call only.
typedef struct tenon_loss {
    tenon_loss_kind kind;
    const char *feature;  // For example "materials".
    const char *why;
    uint64_t count;
    const char *path;  // Of the first one, in the source; NULL: unknown.
    uint64_t offset;   // Of that one in the file; 0: unknown.
    double error;      // The largest, as a fraction of the model's diagonal; 0: not measured.
    bool is_damage;    // Salvaged: the lost data was damaged.
} tenon_loss;

// A file that is complete but not yet renamed. The pointer is valid during the call only.
typedef struct tenon_written_file {
    const char *path;
    uint64_t size;
    bool is_unchanged;  // It existed with the same bytes, and is not touched.
} tenon_written_file;

// Called while a function works; each may be NULL. All get the same `user`.
typedef struct tenon_events {
    void *user;
    // At intervals, with parts of the work; return false to cancel it.
    bool (*on_progress)(void *user, uint64_t done, uint64_t total);
    // For what is not the same afterwards.
    void (*on_loss)(void *user, const tenon_loss *loss);
    // For each file of an export, sidecars first; return false to stop.
    bool (*on_file)(void *user, const tenon_written_file *file);
    void *reserved[4];  // NULL: room for what later versions add.
} tenon_events;

// Runs parts of a job at the same time, in threads of the program: the library starts none. Where
// options have an executor, files, results and all texts are the same with any, and without one.
// Callbacks are called by the thread that called the library.
typedef struct tenon_executor {
    void *user;
    // Call task(data, i) for each i below `count`, which is at most `width`, by any threads and in
    // any order, and return when all calls have returned. They neither allocate nor fail.
    void (*run)(void *user, uint32_t count, void (*task)(void *data, uint32_t i), void *data);
    uint32_t width;     // How many calls are worth running at the same time; at most 32 are used.
    void *reserved[2];  // NULL: room for what later versions add.
} tenon_executor;

struct tenon_files;   // How files are opened, read and written: <tenon/files.h>.
struct tenon_batch;   // Files that are renamed together: the same header.
struct tenon_memory;  // Files in memory: the same header.

// Options for reading.
typedef struct tenon_read_opts {
    tenon_allocator allocator;
    tenon_events events;  // Progress.
    uint64_t max_memory;  // Bytes a document may own (4 MiB + 16 times the input).
    uint64_t max_stream;  // Bytes taken from an input of unknown size, such as a pipe (1 GiB).
    uint32_t max_depth;   // Nesting of structures (256, which is also the most).
    const char *format;   // Read the input as this format ("gpb"); NULL: found by content.
    const char *dialect;  // Read it as this dialect; NULL: found by trial.
    const char *name;     // The file's name, whose extension settles a tie; NULL: no hint.
    bool copy;            // Own a copy of the input (false: borrow it).
    bool partial;         // A damaged input gives its intact items, and an error as well.
    bool incomplete;      // Also keep usable parts of incomplete items; see tenon_cuts().
    bool map;             // tenon_read_file(): map the file instead of reading it into memory.
    const struct tenon_files *files;  // NULL: the system's.
    const char *beside;    // Path of the model that names the file: files outside of the model's
                           // folder are refused with TENON_ERR_VALUE. NULL: any file.
    uint64_t reserved[8];  // Zeros: room for what later versions add.
} tenon_read_opts;

// -- Bytes, text, layouts

// Text as found in the file. `data` is followed by a NUL for convenience, but may hold other NULs
// and need not be valid UTF-8. Never NULL in a document that was read.
typedef struct tenon_str {
    const char *data;
    uint32_t size;  // Bytes, without the NUL.
} tenon_str;

// What the bytes of a field are.
typedef enum tenon_type {
    TENON_TYPE_BYTES,  // Unknown content.
    TENON_TYPE_U8,
    TENON_TYPE_I16,
    TENON_TYPE_U16,
    TENON_TYPE_I32,
    TENON_TYPE_U32,
    TENON_TYPE_F32,
    TENON_TYPE_F64,
    TENON_TYPE_STR,      // Text whose size is stored elsewhere.
    TENON_TYPE_STR32,    // Text after a 32-bit size.
    TENON_TYPE_STRZ,     // Text that ends with a NUL.
    TENON_TYPE_RECORDS,  // An array with a layout.
    TENON_TYPE_I64,
    TENON_TYPE_U64,
} tenon_type;

// The word for a type, for example "u32".
TENON_API const char *tenon_type_word(tenon_type type);

// Bytes of one number of that type; 1 for text and unknown bytes.
TENON_API uint32_t tenon_type_size(tenon_type type);

// One named part of a record: `rows` times `count` numbers. A record with one unnamed element is a
// plain array.
typedef struct tenon_element {
    const char *name;  // "" if it is the only one.
    tenon_type type;   // A number.
    uint32_t count;    // Numbers in a row, for example 3 for a position.
    uint32_t rows;     // How many rows; 0 means one, not shown as a list.
    uint64_t offset;   // Bytes from the start of the record.
} tenon_element;

// The layout of records in the file. If `tail` is set, each record is followed by tail records,
// whose number is its element number `tail_count` (a u32).
typedef struct tenon_layout {
    const tenon_element *elements;
    uint32_t element_count;
    uint64_t stride;                  // Bytes of one record, without its tail.
    const struct tenon_layout *tail;  // NULL: all records have the same size.
    uint32_t tail_count;
    const char *tail_name;
} tenon_layout;

// An array of records, in the file's byte order, pointing into the input: nothing is copied. To
// change it, point `data` to a modified copy (tenon_doc_alloc()).
typedef struct tenon_span {
    const uint8_t *data;
    uint64_t size;               // Bytes.
    uint64_t count;              // Records.
    const tenon_layout *layout;  // NULL: bytes of unknown content.
    bool big_endian;
} tenon_span;

#ifdef __cplusplus
}
#endif
#endif  // TENON_BASE_H
