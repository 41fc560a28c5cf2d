// wasm-bindgen names what the Wasm imports from its glue by 16 hex digits of a hash each, once in the Wasm and once in
// the glue: 3.6 KB of a first load that nothing can compress. Here both get the same short names.

import { leb, readLeb, sections, sized } from './wasm.mjs'

const IMPORT_SECTION = 2

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
  for (const { id, from, start, end } of sections(wasm)) {
    if (id !== IMPORT_SECTION) {
      parts.push(wasm.subarray(from, end))
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
