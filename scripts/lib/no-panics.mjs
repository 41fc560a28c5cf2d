// What a panic would say is left out of the page's Wasm: the browser's console is read by no player, and all that it takes to
// say it (messages, the names of files, the machinery that formats them) is a twentieth of the download. A panic is a trap
// then, `RuntimeError: unreachable`, and ends the program at the same place as before. Debug builds say everything.

import { homedir } from 'node:os'
import { join } from 'node:path'

import { leb, readLeb, sections, sized } from './wasm.mjs'

// Functions that begin a panic, or are reached from panics alone. Nothing that is shown is formatted with `Debug`.
const ONLY_FOR_PANICS = [
  /panicking::(panic(?!_count)|assert_failed|begin_panic)/,
  /rust_begin_unwind|rust_panic|panic_handler|panic_with_hook|panic_display|console_error_panic_hook::hook/,
  /(slice_error|slice_index)_fail/,
  /(unwrap|expect|len_mismatch|borrow)_fail(ed)?(:|$)/,
  /cell::(panic_already|lazy::panic)|handle_alloc_error|raw_vec::handle_error/,
  /fmt::Debug>::fmt/,
]

const CODE = 10
const IMPORT = 2
const CUSTOM = 0
/** `unreachable`, in a body without locals. */
const TRAP = Buffer.from([0, 0, 11])

/** How many functions are imported: they come first among the numbers of functions. */
function importedFunctions(wasm) {
  const section = sections(wasm).find(({ id }) => id === IMPORT)
  if (!section) return 0
  let [count, at] = readLeb(wasm, section.start)
  let functions = 0
  const limits = () => {
    const [flags, from] = readLeb(wasm, at)
    at = readLeb(wasm, from)[1]
    if (flags & 1) at = readLeb(wasm, at)[1]
  }
  for (; count > 0; count--) {
    for (let name = 0; name < 2; name++) {
      const [length, from] = readLeb(wasm, at)
      at = from + length
    }
    const kind = wasm[at++]
    if (kind === 0) {
      functions++
      at = readLeb(wasm, at)[1]
    } else if (kind === 3) at += 2
    else {
      if (kind === 1) at++
      limits()
    }
  }
  return functions
}

/** The names of functions by their numbers, from the section that only tools read. */
export function functionNames(wasm) {
  const names = new Map()
  for (const { id, start, end } of sections(wasm)) {
    if (id !== CUSTOM) continue
    const [length, from] = readLeb(wasm, start)
    if (wasm.subarray(from, from + length).toString() !== 'name') continue
    for (let at = from + length; at < end; ) {
      const kind = wasm[at]
      const [size, inside] = readLeb(wasm, at + 1)
      at = inside + size
      if (kind !== 1) continue
      let [count, next] = readLeb(wasm, inside)
      for (; count > 0; count--) {
        const [index, after] = readLeb(wasm, next)
        const [bytes, text] = readLeb(wasm, after)
        names.set(index, wasm.subarray(text, text + bytes).toString())
        next = text + bytes
      }
    }
  }
  return names
}

/** The Wasm with a trap in the place of each function that is there for panics alone, and how many these were. */
export function trapPanics(wasm) {
  const names = functionNames(wasm)
  const first = importedFunctions(wasm)
  const parts = [wasm.subarray(0, 8)]
  let trapped = 0
  for (const { id, from, start, end } of sections(wasm)) {
    if (id !== CODE) {
      parts.push(wasm.subarray(from, end))
      continue
    }
    let [count, at] = readLeb(wasm, start)
    const bodies = [leb(count)]
    for (let index = first; count > 0; count--, index++) {
      const [length, body] = readLeb(wasm, at)
      at = body + length
      const trap = ONLY_FOR_PANICS.some((pattern) => pattern.test(names.get(index) ?? ''))
      if (trap) trapped++
      bodies.push(sized(trap ? TRAP : wasm.subarray(body, at)))
    }
    parts.push(Buffer.from([id]), sized(Buffer.concat(bodies)))
  }
  return { wasm: Buffer.concat(parts), trapped }
}

/** Where this machine keeps sources: what stands before the names of files that panics would tell. */
function sourceFolders() {
  const cargo = process.env.CARGO_HOME || join(homedir(), '.cargo')
  return [join(cargo, 'registry'), join(cargo, 'git'), join(homedir(), '.rustup'), '/rustc/', '/usr/src/', '/usr/lib/rustlib/', 'crates/']
}

/** The Wasm without the names of source files: no panic tells them any more, and they tell of the machine. */
export function forgetSources(wasm, folders = sourceFolders()) {
  const escaped = folders.map((folder) => folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const names = new RegExp(`(?:${escaped.join('|')})[\\w.+@/~-]*?\\.rs`, 'g')
  const text = wasm.toString('latin1').replace(names, (name) => '\0'.repeat(name.length))
  return Buffer.from(text, 'latin1')
}
