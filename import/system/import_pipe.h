// import_pipe.h: the conversation with tenon, as cli/import/import_protocol.h describes it.
// SPDX-License-Identifier: MIT
//
// Where tenon is gone or does not follow the protocol, the program ends.

#ifndef TENON_IMPORT_SYSTEM_PIPE_H
#define TENON_IMPORT_SYSTEM_PIPE_H

#include <stdbool.h>
#include <stddef.h>

// A model or a file beside it; `data` is allocated.
typedef struct pipe_file {
    unsigned char *data;
    size_t size;
} pipe_file;

// Say what the sandbox lacks ("" for nothing), which is what tenon waits for.
void pipe_send_ready(const char *missing);

// The model, and its name, which is allocated.
void pipe_receive_model(char **name, pipe_file *model);

// Whether there is a file of that name beside the model; and what is in it.
bool pipe_file_exists(const char *name);
bool pipe_read_file(const char *name, pipe_file *file);

// A part of the result; and the end of it.
void pipe_send_data(const void *bytes, size_t size);
void pipe_send_done(void);

#endif  // TENON_IMPORT_SYSTEM_PIPE_H
