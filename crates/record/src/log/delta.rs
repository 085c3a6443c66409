//! Parquet's DELTA_BINARY_PACKED: the encoding of times, offsets and counters.
//!
//! A block of 128 differences stores the smallest one, then the distance of each from it, packed in four
//! miniblocks of 32 with as few bits as the largest one needs.

use super::bits::{PACK, pack, put_varint, put_zigzag};

const BLOCK: usize = 128;
const MINIBLOCKS: usize = BLOCK / PACK;

/// Appends the page body for 64-bit values.
pub(super) fn encode_wide(values: &[u64], out: &mut Vec<u8>) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor supports AVX2, as just checked.
        return unsafe { encode_wide_avx2(values, out) };
    }
    encode_wide_portably(values, out);
}

/// The smallest and the largest value.
pub(super) fn bounds(values: &[u64]) -> Option<(u64, u64)> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor supports AVX2, as just checked.
        return unsafe { bounds_avx2(values) };
    }
    bounds_portably(values)
}

// The baseline of x86-64 can't compare 64-bit lanes, and comparing is most of the work here: a third of
// the cost of an operation's row. So the same code is also compiled for AVX2.

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn encode_wide_avx2(values: &[u64], out: &mut Vec<u8>) {
    encode_wide_portably(values, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn bounds_avx2(values: &[u64]) -> Option<(u64, u64)> {
    bounds_portably(values)
}

#[inline(always)]
fn bounds_portably(values: &[u64]) -> Option<(u64, u64)> {
    let first = *values.first()? as i64;
    // As signed numbers, which the file contains and processors can compare.
    let (min, max) = values
        .iter()
        .fold((first, first), |(min, max), &value| (min.min(value as i64), max.max(value as i64)));
    Some((min as u64, max as u64))
}

// Loops instead of closures below: a closure is compiled without its function's target features.
#[inline(always)]
fn encode_wide_portably(values: &[u64], out: &mut Vec<u8>) {
    let mut previous = values.first().map_or(0, |&value| value as i64);
    put_header(values.len(), previous, out);
    let mut deltas = [0i64; BLOCK];
    // Without values there are no differences.
    for chunk in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (delta, &value) in deltas.iter_mut().zip(chunk) {
            *delta = (value as i64).wrapping_sub(previous);
            previous = value as i64;
        }
        put_block(&mut deltas, chunk.len(), out);
    }
}

/// Appends the page body for 32-bit values. Differences wrap at 32 bits, as readers expect.
pub(super) fn encode_narrow(values: &[u32], out: &mut Vec<u8>) {
    let mut previous = values.first().map_or(0, |&value| value as i32);
    put_header(values.len(), i64::from(previous), out);
    let mut deltas = [0i64; BLOCK];
    // Without values there are no differences.
    for chunk in values.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (delta, &value) in deltas.iter_mut().zip(chunk) {
            *delta = i64::from((value as i32).wrapping_sub(previous));
            previous = value as i32;
        }
        put_block(&mut deltas, chunk.len(), out);
    }
}

fn put_header(count: usize, first: i64, out: &mut Vec<u8>) {
    put_varint(BLOCK as u64, out);
    put_varint(MINIBLOCKS as u64, out);
    put_varint(count as u64, out);
    put_zigzag(first, out);
}

/// Appends one block. `deltas` beyond `count` are padding, and are overwritten.
#[inline(always)]
fn put_block(deltas: &mut [i64; BLOCK], count: usize, out: &mut Vec<u8>) {
    debug_assert!((1..=BLOCK).contains(&count), "a block has values, and no more than fit");
    let min = deltas[..count].iter().copied().min().unwrap_or(0);
    deltas[count..].fill(min);
    put_zigzag(min, out);
    let widths_at = out.len();
    out.extend_from_slice(&[0; MINIBLOCKS]);
    for (index, miniblock) in deltas.chunks_exact(PACK).enumerate() {
        if index * PACK >= count {
            break; // No values: width 0 and no data.
        }
        let mut above = [0u64; PACK];
        let mut bits = 0;
        for (slot, &delta) in above.iter_mut().zip(miniblock) {
            *slot = delta.wrapping_sub(min) as u64;
            bits |= *slot;
        }
        let width = u64::BITS - bits.leading_zeros();
        out[widths_at + index] = width as u8;
        pack(&above, width, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a block has values, and no more than fit")]
    fn a_block_without_values_is_a_defect() {
        put_block(&mut [0; BLOCK], 0, &mut Vec::new());
    }
}
