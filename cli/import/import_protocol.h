// import_protocol.h: the messages that tenon and tenon-import exchange over pipes.
// SPDX-License-Identifier: MIT
//
// tenon-import opens no file: it receives the model and the files beside it on standard input, and
// sends requests and the result to standard output. The first line of its standard error says why
// it failed.
//
//     tenon                   tenon-import
//     IMPORT_NAME        -->                  the model's name, without its folder
//     IMPORT_MODEL       -->                  its bytes
//                        <--  IMPORT_READY    sent before a byte of these is read: what the sandbox
//                                             lacks, as text; empty: nothing
//                        <--  IMPORT_LOOK     a name: is there such a file beside the model?
//                        <--  IMPORT_READ     a name: what is in it?
//     IMPORT_FOUND       -->                  yes; to IMPORT_READ with the file's bytes
//     IMPORT_MISSING     -->                  no, or it is outside the model's folder
//                        <--  IMPORT_DATA     a part of the result, a GLB file
//                        <--  IMPORT_DONE     it is complete
//
// Each request is sent after the answer to the one before, and none after the first part of the
// result. A message is a header and then as many bytes as the header says. Neither side trusts the
// other: an unexpected header, or a size above the limit of its kind, ends the exchange. tenon
// alone decides which names are inside the model's folder.

#ifndef TENON_CLI_IMPORT_PROTOCOL_H
#define TENON_CLI_IMPORT_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#define IMPORT_HEADER_SIZE 16          // Version, kind, size: u32, u32, u64, little-endian.
#define IMPORT_VERSION     0x31504954  // "TIP1".
#define IMPORT_NAME_MOST   4096        // Bytes of a name.
#define IMPORT_TEXT_MOST   256         // Bytes of the text of IMPORT_READY.

// The name of a message of IMPORT_MODEL that has meshes compressed by Draco instead of a model: a
// name that no file has. The result is not a GLB file then. All numbers are little-endian, u32 but
// for sizes.
//
//     IMPORT_MODEL: for each mesh, the size (u64), the number of parts, and of each part the id,
//     the
//                   component type, the width and the count, as in tenon_draco_part; then its bytes
//     IMPORT_DATA:  the bytes of all parts of all meshes, one after the other
#define IMPORT_DRACO "/draco"

// Its exit status if it was built without the library that the model needs.
#define IMPORT_LACKS_LIBRARY 4

typedef enum import_kind {
    IMPORT_NAME = 1,
    IMPORT_MODEL,
    IMPORT_FOUND,
    IMPORT_MISSING,
    IMPORT_READY = 16,
    IMPORT_LOOK,
    IMPORT_READ,
    IMPORT_DATA,
    IMPORT_DONE,
} import_kind;

typedef struct import_header {
    uint32_t kind;  // An import_kind, or whatever the other side has sent.
    uint64_t size;
} import_header;

static inline void import_put_header(uint8_t *out, import_kind kind, uint64_t size)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)((uint32_t)IMPORT_VERSION >> 8 * i);
        out[4 + i] = (uint8_t)((uint32_t)kind >> 8 * i);
    }
    for (int i = 0; i < 8; i++) out[8 + i] = (uint8_t)(size >> 8 * i);
}

// False if it is not a header, or of another version.
static inline bool import_get_header(const uint8_t *from, import_header *header)
{
    uint32_t version = 0;
    *header = (import_header){0};
    for (int i = 0; i < 4; i++) {
        version |= (uint32_t)from[i] << 8 * i;
        header->kind |= (uint32_t)from[4 + i] << 8 * i;
    }
    for (int i = 0; i < 8; i++) header->size |= (uint64_t)from[8 + i] << 8 * i;
    return version == IMPORT_VERSION;
}

#endif  // TENON_CLI_IMPORT_PROTOCOL_H
