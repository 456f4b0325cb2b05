// field_rules.h: rules that hold for all fields of a kind, whatever the format.
// SPDX-License-Identifier: MIT
//
// A format has such a rule if its table lists it: "bplx/flag" turns the rule "flag" on.
//
// rule             fields
// not-finite       numbers and arrays of numbers, but not the tails of records
// text-utf8        texts
// flag             TN_ROLE_FLAG: it is 0 or 1
// padding          TN_ROLE_RESERVED: it is 0
// texture-path     TN_ROLE_TEXTURE: it does not lead out of the model's folder
// texture-missing  TN_ROLE_TEXTURE: the file exists; if the path of the model is known

#ifndef TN_DOCUMENT_FIELD_RULES_H
#define TN_DOCUMENT_FIELD_RULES_H

#include "document/document.h"

// Apply the rules to every field of a document that its description visits.
void tn_check_fields(tn_check *check, const void *doc);

// The path of a field that an observer sees, or of an item of it; TENON_ABSENT: of all of it.
tn_path_text tn_path_of_field(const tn_io *io, const tn_field *field, uint64_t item);

// The two rules on textures, for paths that are not fields.
void tn_check_texture(tn_check *check, tn_path_text path, tenon_str texture);

#endif  // TN_DOCUMENT_FIELD_RULES_H
