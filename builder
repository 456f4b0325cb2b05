    for (uint32_t i = 0; i < count && !importer->builder->failed; i++) {
