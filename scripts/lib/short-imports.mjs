// wasm-bindgen names what the Wasm imports from its glue by 16 hex digits of a hash each, once in the Wasm and once in
// the glue: 3.6 KB of a first load that nothing can compress. Here both get the same short names.

const IMPORT_SECTION = 2

function readLeb(bytes, at) {
  let value = 0
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++]
    value += (byte & 127) * 2 ** shift
    if (byte < 128) return [value, at]
  }
}

function leb(value) {
  const bytes = []
  do {
    const rest = Math.floor(value / 128)
    bytes.push((value % 128) | (rest > 0 ? 128 : 0))
    value = rest
  } while (value > 0)
  return Buffer.from(bytes)
}

const sized = (bytes) => Buffer.concat([leb(bytes.length), bytes])

/** Past the description of an import: what kind of thing it is, and its type. */
function pastDescription(bytes, at) {
  const kind = bytes[at++]
  if (kind === 0) return readLeb(bytes, at)[1]
  if (kind === 3) return at + 2
  if (kind === 1) at += 1
  const [flags, start] = readLeb(bytes, at)
  at = readLeb(bytes, start)[1]
  return flags & 1 ? readLeb(bytes, at)[1] : at
}

/** The Wasm with each import renamed by `rename(module, name)`, which gives both. */
export function renameImports(wasm, rename) {
  const parts = [wasm.subarray(0, 8)]
  for (let at = 8; at < wasm.length; ) {
    const [size, start] = readLeb(wasm, at + 1)
    const end = start + size
    if (wasm[at] !== IMPORT_SECTION) {
      parts.push(wasm.subarray(at, end))
      at = end
      continue
    }
    let [count, next] = readLeb(wasm, start)
    const imports = [leb(count)]
    for (; count > 0; count--) {
      const text = () => {
        const [length, from] = readLeb(wasm, next)
        next = from + length
        return wasm.subarray(from, next).toString()
      }
      const [module, name] = rename(text(), text())
      const description = wasm.subarray(next, (next = pastDescription(wasm, next)))
      imports.push(sized(Buffer.from(module)), sized(Buffer.from(name)), description)
    }
    parts.push(Buffer.from([IMPORT_SECTION]), sized(Buffer.concat(imports)))
    at = end
  }
  return Buffer.concat(parts)
}

/** The Wasm and its glue with short names between them. A name that the glue does not hold exactly once, as a key, stays. */
export function shortenImports(wasm, glue) {
  const short = new Map()
  const once = (text, key) => text.split(key).length === 2
  const shortened = renameImports(wasm, (module, name) => {
    const key = `${name}: function`
    if (!short.has(key) && once(glue, key)) {
      const to = short.size.toString(36)
      short.set(key, to)
      glue = glue.replace(key, () => `"${to}": function`)
    }
    return [module, short.get(key) ?? name]
  })
  return { wasm: shortened, glue }
}
