// The few things about the bytes of a Wasm module that the build's steps share.

/** An unsigned number in LEB128, and where it ends. */
export function readLeb(bytes, at) {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    value += (byte & 127) * 2 ** shift
    if (byte < 128) return [value, at]
  }
}

export function leb(value) {
  const bytes = []
  do {
    const rest = Math.floor(value / 128)
    bytes.push((value % 128) | (rest > 0 ? 128 : 0))
    value = rest
  } while (value > 0)
  return Buffer.from(bytes)
}

/** These bytes with their number in front. */
export const sized = (bytes) => Buffer.concat([leb(bytes.length), bytes])

/** The sections of a module: `from` is where one begins, `start` where its content does. */
export function sections(wasm) {
  const found = []
  for (let at = 8; at < wasm.length; ) {
    const [size, start] = readLeb(wasm, at + 1)
    found.push({ id: wasm[at], from: at, start, end: start + size })
    at = start + size
  }
  return found
}
