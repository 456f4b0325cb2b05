// import_pipe.h: messages from and to tenon, as cli/import/import_protocol.h describes them.
// SPDX-License-Identifier: MIT
//
// If tenon has ended or does not follow the protocol, the program ends.

#ifndef TENON_IMPORT_SYSTEM_PIPE_H
#define TENON_IMPORT_SYSTEM_PIPE_H

#include <stdbool.h>
#include <stddef.h>

// A model or a file beside it; `data` is allocated.
typedef struct pipe_file {
    unsigned char *data;
    size_t size;
} pipe_file;

// Report that the sandbox is ready, and what is missing from it ("" for nothing).
void pipe_send_ready(const char *missing);

// Receive the model and its name; both are allocated.
void pipe_receive_model(char **name, pipe_file *model);

// Whether there is a file of that name beside the model.
bool pipe_file_exists(const char *name);

// Read a file beside the model. Returns false if there is none.
bool pipe_read_file(const char *name, pipe_file *file);

// Send a part of the result; report that it is complete.
void pipe_send_data(const void *bytes, size_t size);
void pipe_send_done(void);

#endif  // TENON_IMPORT_SYSTEM_PIPE_H
