/* SPDX-License-Identifier: MIT
 *
 * The getter of TIMESTAMP as it was published, and its repairs, to be compiled and run on three processors:
 * tests/bench/count_instructions.py. What does a mask of type long do where a long has 64 bits, and where it has
 * 32? It is our own writing, with the integer types of the driver, and for notebook 02.
 */

#include <stddef.h>
#include <stdint.h>

#define LENGTH 28
#define LONG_BITS (8 * sizeof(long))

/* Ones from bit high down to bit low, both included, in a long. Beyond its highest bit the second shift would be
 * negative, and C does not say what comes of that.
 */
static inline unsigned long mask(size_t high, size_t low)
{
	return ~0UL << low & ~0UL >> (LONG_BITS - 1 - high);
}

#define GETTER(name, one, repair) \
	static uint64_t name##_get(const uint8_t *header, size_t pos, size_t width) \
	{ \
		uint64_t value = 0; \
		for (size_t bit = pos; bit < pos + width; bit++) \
			if (header[LENGTH - 1 - bit / 8] & 1u << bit % 8) \
				value |= one << (bit - pos); \
		return value repair; \
	} \
	uint64_t name(const uint8_t *header) \
	{ \
		return name##_get(header, 192, 32); \
	}

GETTER(published, 1, )
GETTER(first_cure, 1, & mask(width, 0))
GETTER(one_less, 1, & mask(width - 1, 0))
GETTER(merged, (uint64_t)1, )
