// crc32.c: the checksum of PNG files (CRC-32).
// SPDX-License-Identifier: MIT

#include "core/compress/crc32.h"

// What four bits contribute.
static const uint32_t table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t tn_crc32(uint32_t before, const uint8_t *data, uint64_t size)
{
    uint32_t sum = ~before;
    for (uint64_t i = 0; i < size; i++) {
        sum ^= data[i];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}
