/* SPDX-License-Identifier: MIT
 *
 * The forms of notebook 02 in C, to be compiled, looked at and counted: tests/bench/count_instructions.py.
 * It is our own writing, after lan966x_lab/ifh, with the integer types that the driver uses: a value to set is
 * a size_t, a value read is 64 bits wide.
 *
 * Each form comes twice. "constant": inlined, and every position and width is a literal, so that the compiler
 * knows all it could know. "run_time": one routine out of line, which gets them as arguments. Bit j of the
 * header stands in byte LENGTH - 1 - j / 8, where it is worth 1 << j % 8.
 */

#include <stddef.h>
#include <stdint.h>

#define LENGTH 28
#define INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif

/* ---- packing: any range of bits, any length, any of eight bit orders; it replaces the field ---- */

enum direction { PACK, UNPACK };
enum { MSB_ON_THE_RIGHT = 1, LITTLE_ENDIAN_GROUPS = 2, LSW32_IS_FIRST = 4 };

INLINE uint8_t mirror(uint8_t byte)
{
	uint8_t mirrored = 0;

	for (int bit = 0; bit < 8; bit++)
		if (byte & 1u << bit)
			mirrored |= 0x80u >> bit;
	return mirrored;
}

/* Where a box (a logical byte, the lowest is 0) stands in the buffer. */
INLINE size_t address(size_t box, size_t length, unsigned int quirks)
{
	size_t group = box / 4, rank = box % 4;
	size_t size = length - 4 * group < 4 ? length - 4 * group : 4;
	size_t start = quirks & LSW32_IS_FIRST ? 4 * group : length - 4 * group - size;

	return start + (quirks & LITTLE_ENDIAN_GROUPS ? rank : size - 1 - rank);
}

/* Ones from bit high down to bit low. Both shifts are 64 bits wide, as they are in the kernel's routine. */
INLINE uint64_t ones(size_t high, size_t low)
{
	return ~(uint64_t)0 << low & ~(uint64_t)0 >> (63 - high);
}

INLINE int packing(uint8_t *buffer, uint64_t *value, size_t start_bit, size_t end_bit, size_t length,
		   enum direction direction, unsigned int quirks)
{
	if (start_bit < end_bit || start_bit >= 8 * length || start_bit - end_bit >= 64)
		return -1;
	if (direction == UNPACK)
		*value = 0;
	else if (start_bit - end_bit < 63 && *value >> (start_bit - end_bit + 1))
		return -1;

	for (size_t box = end_bit / 8; box <= start_bit / 8; box++) {
		size_t first = 8 * box;
		size_t low = first > end_bit ? first : end_bit;
		size_t high = first + 7 < start_bit ? first + 7 : start_bit;
		uint64_t part = ones(high - end_bit, low - end_bit); /* this byte's share of the value */
		uint8_t mask = ones(high - first, low - first);
		uint8_t *at = buffer + address(box, length, quirks);
		uint64_t bits;

		if (direction == PACK) {
			bits = (*value & part) >> (low - end_bit) << (low - first);
			if (quirks & MSB_ON_THE_RIGHT) {
				bits = mirror(bits);
				mask = mirror(mask);
			}
			*at = (*at & ~mask) | bits;
		} else {
			bits = (quirks & MSB_ON_THE_RIGHT ? mirror(*at) : *at) & mask;
			*value = (*value & ~part) | bits >> (low - first) << (low - end_bit);
		}
	}
	return 0;
}

ALONE int packing_alone(uint8_t *buffer, uint64_t *value, size_t start_bit, size_t end_bit, size_t length,
			enum direction direction, unsigned int quirks)
{
	return packing(buffer, value, start_bit, end_bit, length, direction, quirks);
}

/* ---- bit_loop, the idea of v1: a question for every bit; a byte is loaded and stored once; it only ORs ---- */

INLINE void bit_loop_put(uint8_t *header, size_t value, size_t pos, size_t width)
{
	size_t top = pos + width - 1;

	for (size_t box = pos / 8; box <= top / 8; box++) {
		size_t first = 8 * box;
		size_t low = first > pos ? first : pos;
		size_t high = first + 7 < top ? first + 7 : top;
		uint8_t *at = header + LENGTH - 1 - box;
		uint8_t byte = *at;

		for (size_t bit = low; bit <= high; bit++)
			if (value & (size_t)1 << (bit - pos))
				byte |= 1u << (bit - first);
		*at = byte;
	}
}

INLINE uint64_t bit_loop_take(const uint8_t *header, size_t pos, size_t width)
{
	size_t top = pos + width - 1;
	uint64_t value = 0;

	for (size_t box = pos / 8; box <= top / 8; box++) {
		size_t first = 8 * box;
		size_t low = first > pos ? first : pos;
		size_t high = first + 7 < top ? first + 7 : top;
		uint8_t byte = header[LENGTH - 1 - box];

		for (size_t bit = low; bit <= high; bit++)
			if (byte & 1u << (bit - first))
				value |= (uint32_t)1 << (bit - pos); /* without a sign, unlike v1 */
	}
	return value;
}

/* ---- byte_shift_v2, the idea that was merged: eight bits into the two bytes they reach; it only ORs ---- */

INLINE void byte_shift_v2_put(uint8_t *header, size_t value, size_t pos, size_t width)
{
	for (size_t low = pos; low < pos + width; low += 8, value >>= 8) {
		uint8_t *at = header + LENGTH - 1 - low / 8;
		uint32_t pair = (value & 0xff) << low % 8;

		*at-- |= pair;
		*at |= pair >> 8; /* for the topmost field, the byte before the header */
	}
}

/* ---- byte_shift: shift once, then byte by byte under a mask; it replaces the field ---- */

INLINE void byte_shift_put(uint8_t *header, size_t value, size_t pos, size_t width)
{
	uint8_t *at = header + LENGTH - 1 - pos / 8;
	uint64_t ones = (((uint64_t)1 << width) - 1) << pos % 8;
	uint64_t bits = (uint64_t)value << pos % 8;

	for (; ones; ones >>= 8, bits >>= 8, at--)
		*at = (*at & ~ones) | (bits & ones);
}

INLINE uint64_t byte_shift_take(const uint8_t *header, size_t pos, size_t width)
{
	size_t last = LENGTH - 1 - pos / 8;
	uint64_t value = 0;

	for (size_t index = LENGTH - 1 - (pos + width - 1) / 8; index <= last; index++)
		value = value << 8 | header[index];
	return value >> pos % 8 & (((uint64_t)1 << width) - 1);
}

/* ---- every form under one signature, with constants and with run-time arguments ---- */

#define SET_FORM(form) \
	INLINE void form##_constant_set(uint8_t *header, size_t value, size_t pos, size_t width) \
	{ \
		form##_put(header, value, pos, width); \
	} \
	ALONE void form##_run_time_set(uint8_t *header, size_t value, size_t pos, size_t width) \
	{ \
		form##_put(header, value, pos, width); \
	}

#define GET_FORM(form) \
	INLINE uint64_t form##_constant_get(const uint8_t *header, size_t pos, size_t width) \
	{ \
		return form##_take(header, pos, width); \
	} \
	ALONE uint64_t form##_run_time_get(const uint8_t *header, size_t pos, size_t width) \
	{ \
		return form##_take(header, pos, width); \
	}

#define PACKING_FORM(args, routine) \
	INLINE void packing_##args##_set(uint8_t *header, size_t value, size_t pos, size_t width) \
	{ \
		uint64_t wide = value; \
		routine(header, &wide, pos + width - 1, pos, LENGTH, PACK, 0); \
	} \
	INLINE uint64_t packing_##args##_get(const uint8_t *header, size_t pos, size_t width) \
	{ \
		uint64_t wide; \
		routine((uint8_t *)header, &wide, pos + width - 1, pos, LENGTH, UNPACK, 0); \
		return wide; \
	}

PACKING_FORM(constant, packing)
PACKING_FORM(run_time, packing_alone)
SET_FORM(bit_loop)
GET_FORM(bit_loop)
SET_FORM(byte_shift_v2)
SET_FORM(byte_shift)
GET_FORM(byte_shift)

/* ---- one field ---- */

#define SET_FIELD(way, field, pos, width) \
	void way##_##field##_set(uint8_t *header, uint32_t value) \
	{ \
		way##_set(header, value, pos, width); \
	}

#define GET_FIELD(way, field, pos, width) \
	uint64_t way##_##field##_get(const uint8_t *header) \
	{ \
		return way##_get(header, pos, width); \
	}

#define SET_FIELDS(way) \
	SET_FIELD(way, BYPASS, 191, 1) \
	SET_FIELD(way, QOS_CLASS, 100, 3) \
	SET_FIELD(way, IPV, 55, 3) \
	SET_FIELD(way, DSTS, 62, 9) \
	SET_FIELD(way, REW_CMD, 163, 10) \
	SET_FIELD(way, TCI, 103, 17) \
	SET_FIELD(way, TIMESTAMP, 192, 32)

#define GET_FIELDS(way) \
	GET_FIELD(way, SRCPORT, 141, 4) \
	GET_FIELD(way, LEN, 178, 14) \
	GET_FIELD(way, TIMESTAMP, 192, 32)

/* ---- the header of a frame: TX5 and TX7 make one of zeros first, RX2 (by DMA) and RX3 read one ---- */

enum { DSTS, QOS_CLASS, IPV, TCI, REW_CMD, TIMESTAMP }; /* the places in values[]; BYPASS is always 1 */

INLINE void clear(uint8_t *header)
{
	uint32_t *word = (uint32_t *)header;

	word[0] = word[1] = word[2] = word[3] = word[4] = word[5] = word[6] = 0;
}

#define FIVE(set) \
	clear(header); \
	set(header, 1, 191, 1); \
	set(header, values[DSTS], 62, 9); \
	set(header, values[QOS_CLASS], 100, 3); \
	set(header, values[IPV], 55, 3); \
	set(header, values[TCI], 103, 17);

#define TWO(set) \
	set(header, values[REW_CMD], 163, 10); \
	set(header, values[TIMESTAMP], 192, 32);

#define SENT(way) \
	void way##_TX5(uint8_t *restrict header, const uint32_t *restrict values) { FIVE(way##_set) } \
	void way##_TX7(uint8_t *restrict header, const uint32_t *restrict values) { FIVE(way##_set) TWO(way##_set) }

#define RECEIVED(way) \
	void way##_RX2(const uint8_t *restrict header, uint64_t *restrict values) \
	{ \
		values[0] = way##_get(header, 141, 4); \
		values[1] = way##_get(header, 192, 32); \
	} \
	void way##_RX3(const uint8_t *restrict header, uint64_t *restrict values) \
	{ \
		values[0] = way##_get(header, 141, 4); \
		values[1] = way##_get(header, 178, 14); \
		values[2] = way##_get(header, 192, 32); \
	}

#define SETS(way) SET_FIELDS(way) SENT(way)
#define GETS(way) GET_FIELDS(way) RECEIVED(way)

SETS(packing_run_time)
SETS(packing_constant)
SETS(bit_loop_run_time)
SETS(bit_loop_constant)
SETS(byte_shift_v2_run_time)
SETS(byte_shift_v2_constant)
SETS(byte_shift_run_time)
SETS(byte_shift_constant)
GETS(packing_run_time)
GETS(packing_constant)
GETS(bit_loop_run_time)
GETS(bit_loop_constant)
GETS(byte_shift_run_time)
GETS(byte_shift_constant)

/* ---- words: the positions are worked out beforehand, and seven words go out, highest byte first ---- */

INLINE uint32_t big_endian(uint32_t word)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap32(word) : word;
}

INLINE void words(uint8_t *header, const uint32_t *values, uint32_t rew_cmd, uint32_t timestamp)
{
	uint32_t *word = (uint32_t *)header;

	word[0] = big_endian(timestamp);
	word[1] = big_endian((uint32_t)1 << 31 | rew_cmd << 3);
	word[2] = 0;
	word[3] = big_endian(values[TCI] << 7 | values[QOS_CLASS] << 4);
	word[4] = big_endian(values[DSTS] >> 2);
	word[5] = big_endian(values[DSTS] << 30 | values[IPV] << 23);
	word[6] = 0;
}

void words_constant_TX5(uint8_t *restrict header, const uint32_t *restrict values)
{
	words(header, values, 0, 0);
}

void words_constant_TX7(uint8_t *restrict header, const uint32_t *restrict values)
{
	words(header, values, values[REW_CMD], values[TIMESTAMP]);
}

void words_constant_RX2(const uint8_t *restrict header, uint64_t *restrict values)
{
	const uint32_t *word = (const uint32_t *)header;

	values[0] = big_endian(word[2]) >> 13 & 0xf;
	values[1] = big_endian(word[0]);
}

void words_constant_RX3(const uint8_t *restrict header, uint64_t *restrict values)
{
	const uint32_t *word = (const uint32_t *)header;

	values[0] = big_endian(word[2]) >> 13 & 0xf;
	values[1] = big_endian(word[1]) >> 18;
	values[2] = big_endian(word[0]);
}

/* ---- template: a header with the five fields stands ready; copy it, and set what varies ---- */

INLINE void copy(uint8_t *restrict header, const uint8_t *restrict ready)
{
	uint32_t *to = (uint32_t *)header;
	const uint32_t *from = (const uint32_t *)ready;

	for (int word = 0; word < LENGTH / 4; word++)
		to[word] = from[word];
}

void template_constant_TX5(uint8_t *restrict header, const uint32_t *restrict values, const uint8_t *ready)
{
	(void)values;
	copy(header, ready);
}

void template_constant_TX7(uint8_t *restrict header, const uint32_t *restrict values, const uint8_t *ready)
{
	copy(header, ready);
	TWO(byte_shift_constant_set)
}
