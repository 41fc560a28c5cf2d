// A Wasm module for the tests of the build's steps.

const text = (s) => [s.length, ...Buffer.from(s)]
const section = (id, bytes) => [id, bytes.length, ...bytes]
// One imported function, then three of its own: one that panics, one that only counts panics, one that answers 7.
export const NAMES = [4, 0, ...text('web::log'), 1, ...text('core::panicking::panic_fmt'), 2, ...text('std::panicking::panic_count::get'), 3, ...text('web::seven')]
export const WASM = Buffer.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, [2, 0x60, 0, 0, 0x60, 0, 1, 0x7f]),
  ...section(2, [1, ...text('g'), ...text('log'), 0, 0]),
  ...section(3, [3, 1, 1, 1]),
  ...section(7, [3, ...text('panics'), 0, 1, ...text('counts'), 0, 2, ...text('seven'), 0, 3]),
  ...section(10, [3, 4, 0, 0x41, 5, 0x0b, 4, 0, 0x41, 6, 0x0b, 4, 0, 0x41, 7, 0x0b]),
  ...section(0, [...text('name'), 1, NAMES.length, ...NAMES]),
])
