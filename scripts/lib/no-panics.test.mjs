import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgetSources, functionNames, trapPanics } from './no-panics.mjs'
import { NAMES, WASM } from './test-module.mjs'

const exported = (wasm) => new WebAssembly.Instance(new WebAssembly.Module(wasm), { g: { log() {} } }).exports

test('functions are known by their names', () => {
  assert.equal(functionNames(WASM).get(1), 'core::panicking::panic_fmt')
  assert.equal(functionNames(WASM).size, 4)
})

test('what is there for panics alone traps, and nothing else changes', () => {
  assert.equal(exported(WASM).panics(), 5)
  const { wasm, trapped } = trapPanics(WASM)
  assert.equal(trapped, 1)
  const { panics, counts, seven } = exported(wasm)
  assert.throws(panics, WebAssembly.RuntimeError)
  assert.deepEqual([counts(), seven()], [6, 7])
})

test('without names nothing is found, which the build refuses', () => {
  assert.equal(trapPanics(WASM.subarray(0, WASM.length - NAMES.length - 9)).trapped, 0)
})

test('names of source files are blanked where they stand, and what is beside them stays', () => {
  const folders = ['/home/someone/.cargo/registry', '/rustc/', 'crates/']
  const data = 'application/json/home/someone/.cargo/registry/src/index-1/yew-0.23.0/src/lib.rsé/rustc/5980/library/core/src/cell.rscrates/web/src/a-b.rs/qod/api/v1/game.rs'
  const blanked = forgetSources(Buffer.from(data), folders).toString()
  assert.equal(blanked.length, data.length)
  assert.equal(blanked.replaceAll('\0', ''), 'application/jsoné/qod/api/v1/game.rs')
})
