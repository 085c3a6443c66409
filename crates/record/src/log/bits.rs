//! Bit packing and variable-length integers in Parquet's layout: least significant bit first.

/// Number of values that [`pack`] packs at a time.
pub(super) const PACK: usize = 32;

/// Appends a ULEB128 integer.
pub(super) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed integer: zigzag, then ULEB128.
pub(super) fn put_zigzag(value: i64, out: &mut Vec<u8>) {
    put_varint(((value << 1) ^ (value >> 63)) as u64, out);
}

/// Appends 32 values of `width` bits each: `4 * width` bytes. No value may need more than `width` bits.
#[inline]
pub(super) fn pack(values: &[u64; PACK], width: u32, out: &mut Vec<u8>) {
    debug_assert!(width <= u64::BITS, "a value has at most 64 bits");
    debug_assert!(
        width == u64::BITS || values.iter().all(|value| value >> width == 0),
        "packed values fit into their width"
    );
    let bytes = width as usize * PACK / 8;
    let start = out.len();
    // One extra word, because every step stores whole words; it is cut off at the end.
    out.resize(start + bytes + 8, 0);
    let packed = &mut out[start..];
    // Neighbours that fit into one word are joined first, which vectorises: the byte-wise part below is
    // a chain of dependent steps, and packing is most of the log's cost per operation.
    let mut words = *values;
    match width {
        0 => {}
        1..=7 => {
            join_neighbours(&mut words, PACK / 2, width);
            join_neighbours(&mut words, PACK / 4, width * 2);
            join_neighbours(&mut words, PACK / 8, width * 4);
            append_words(&words[..PACK / 8], width * 8, packed);
        }
        8..=14 => {
            join_neighbours(&mut words, PACK / 2, width);
            join_neighbours(&mut words, PACK / 4, width * 2);
            append_words(&words[..PACK / 4], width * 4, packed);
        }
        15..=28 => {
            join_neighbours(&mut words, PACK / 2, width);
            append_words(&words[..PACK / 2], width * 2, packed);
        }
        29..=MAX_APPENDED => append_words(&words, width, packed),
        _ => append_wide_words(&words, width, packed),
    }
    out.truncate(start + bytes);
}

/// The widest value that fits into a word after up to seven bits of the previous value.
const MAX_APPENDED: u32 = u64::BITS - 7;

/// Joins words in pairs (the second in the higher bits) into the first `count` words.
#[inline(always)]
fn join_neighbours(words: &mut [u64; PACK], count: usize, width: u32) {
    for at in 0..count {
        words[at] = words[2 * at] | words[2 * at + 1] << width;
    }
}

/// Appends words of up to [`MAX_APPENDED`] bits. Each step stores a whole word and continues in its
/// last, partial byte, so no branch depends on bit positions.
#[inline(always)]
fn append_words(words: &[u64], width: u32, packed: &mut [u8]) {
    let (mut pending, mut pending_bits, mut at) = (0, 0, 0);
    for &word in words {
        pending |= word << pending_bits;
        packed[at..at + 8].copy_from_slice(&pending.to_le_bytes());
        let bits = pending_bits + width;
        at += bits as usize / 8;
        pending_bits = bits % 8;
        // Shifted in two steps: a single shift by 64 would overflow.
        pending = pending >> (bits - pending_bits - 1) >> 1;
    }
}

/// The same for words of any width.
fn append_wide_words(words: &[u64; PACK], width: u32, packed: &mut [u8]) {
    let (mut pending, mut pending_bits, mut at) = (0_u128, 0, 0);
    for &word in words {
        pending |= u128::from(word) << pending_bits;
        pending_bits += width;
        while pending_bits >= 8 {
            packed[at] = pending as u8;
            at += 1;
            pending >>= 8;
            pending_bits -= 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit at a time: slow and obviously correct.
    fn pack_bitwise(values: &[u64; PACK], width: u32) -> Vec<u8> {
        let mut out = vec![0; width as usize * PACK / 8];
        for (index, value) in values.iter().enumerate() {
            for bit in 0..width as usize {
                let at = index * width as usize + bit;
                out[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
            }
        }
        out
    }

    #[test]
    fn every_width_packs_as_one_bit_after_another() {
        let mut state = 1u64;
        for width in 0..=64 {
            let values = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if width == 0 { 0 } else { state >> (64 - width) }
            });
            let mut out = vec![7];
            pack(&values, width, &mut out);
            assert_eq!(out[0], 7);
            assert_eq!(out[1..], pack_bitwise(&values, width), "width {width}");
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "packed values fit into their width")]
    fn a_value_that_needs_more_bits_is_a_defect() {
        pack(&[8; PACK], 3, &mut Vec::new());
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a value has at most 64 bits")]
    fn a_width_beyond_a_word_is_a_defect() {
        pack(&[0; PACK], 65, &mut Vec::new());
    }

    #[test]
    fn variable_length_integers() {
        let mut out = Vec::new();
        put_varint(0, &mut out);
        put_varint(300, &mut out);
        put_zigzag(-1, &mut out);
        put_zigzag(i64::MIN, &mut out);
        assert_eq!(out[..4], [0, 0xac, 2, 1]);
        assert_eq!(out[4..], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]);
    }
}
