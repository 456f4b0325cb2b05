// formats.h: what a format is made of. One constant per format, listed in formats.c.
// SPDX-License-Identifier: MIT

#ifndef TN_FORMATS_FORMATS_H
#define TN_FORMATS_FORMATS_H

#include "../core/check.h"
#include "../core/io.h"

// Told what a change of dialect costs.
typedef struct tn_losses {
    tenon_loss_fn *lost;  // May be NULL.
    void *user;
} tn_losses;

void tn_lose(const tn_losses *losses, tenon_loss_kind kind, const char *feature, uint64_t count,
             const char *why);

typedef struct tn_format {
    tenon_format face;  // What users of the library see of it.
    size_t doc_size;    // Of the document, which starts with a tenon_doc.
    bool big_endian;

    // How much the content looks like this format: 0 no, 100 certain.
    int (*probe)(const uint8_t *data, uint64_t size);
    // Whether the header leaves `dialect` possible; NULL: it says nothing.
    bool (*fits)(const uint8_t *data, uint64_t size, const tenon_dialect *dialect);
    // The whole file, in file order.
    void (*describe)(tn_io *io, void *doc);
    // Apply the format's rules.
    void (*check)(tn_check *check, const void *doc);
    // Fill in what applies; lists come from the document's memory. False: out of memory.
    bool (*info)(const void *doc, bool full, tn_arena *arena, tenon_info *info);
    // Recompute derived fields; NULL: there are none.
    bool (*finalize)(void *doc, tn_arena *arena, tenon_error *err);
    // Make the document fit `dialect`; NULL: dialects cannot be changed.
    bool (*adapt)(void *doc, const tenon_dialect *dialect, tn_arena *arena, const tn_losses *losses,
                  tenon_error *err);
} tn_format;

// The formats, NULL past the last one.
const tn_format *tn_format_at(uint32_t index);

// The format whose content this is. On failure NULL, and `err` names the candidates. `name` is the
// file's name, whose extension settles a tie; it may be NULL.
const tn_format *tn_format_probe(const uint8_t *data, uint64_t size, const char *name,
                                 tenon_error *err);

// Describe all of a file: the format's own fields, then bytes that follow them.
void tn_format_describe(tn_io *io, const tn_format *format, tenon_doc *doc);

// Rules that hold for every format.
extern const tenon_rule tn_common_rules[];
extern const uint32_t tn_common_rule_count;

extern const tn_format tn_bbmod_format, tn_gpb_format, tn_bmw_format, tn_modeldata_format,
    tn_bplx_format;

#endif  // TN_FORMATS_FORMATS_H
