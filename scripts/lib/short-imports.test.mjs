import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renameImports, shortenImports } from './short-imports.mjs'

const text = (s) => [s.length, ...Buffer.from(s)]
const section = (id, bytes) => [id, bytes.length, ...bytes]
// One function, one table with a maximum, one memory without, one global; then a function that calls the first.
const IMPORTS = [
  4,
  ...text('g'), ...text('__wbg_log_0123456789abcdef'), 0, 0,
  ...text('g'), ...text('__wbg_table_1'), 1, 0x70, 1, 1, 2,
  ...text('g'), ...text('memory'), 2, 0, 1,
  ...text('g'), ...text('__wbg_global_2'), 3, 0x7f, 0,
]
const WASM = Buffer.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  ...section(1, [1, 0x60, 0, 0]),
  ...section(2, IMPORTS),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text('run'), 0, 1]),
  ...section(10, [1, 4, 0, 0x10, 0, 0x0b]),
])

const names = (wasm) => WebAssembly.Module.imports(new WebAssembly.Module(wasm)).map(({ module, name }) => `${module}.${name}`)

test('every kind of import is renamed, and nothing else changes', () => {
  const renamed = renameImports(WASM, (module, name) => [module.repeat(200), name + '!'])
  assert.deepEqual(names(renamed), names(WASM).map((name) => name.replace('g.', 'g'.repeat(200) + '.') + '!'))
  assert.deepEqual(renameImports(renamed, (_, name) => ['g', name.slice(0, -1)]), WASM)
})

test('the Wasm and its glue agree on short names, and what is no plain function of the glue keeps its own', () => {
  const { wasm, glue } = shortenImports(WASM, '({ __wbg_log_0123456789abcdef: function() { called++ }, memory })')
  assert.deepEqual(names(wasm), ['g.0', 'g.__wbg_table_1', 'g.memory', 'g.__wbg_global_2'])
  globalThis.called = 0
  const g = {
    ...new Function('memory', `return ${glue}`)(new WebAssembly.Memory({ initial: 1 })),
    __wbg_table_1: new WebAssembly.Table({ element: 'anyfunc', initial: 1, maximum: 2 }),
    __wbg_global_2: 1,
  }
  new WebAssembly.Instance(new WebAssembly.Module(wasm), { g }).exports.run()
  assert.equal(globalThis.called, 1)
})

test('a name that the glue holds twice stays', () => {
  const twice = '__wbg_log_0123456789abcdef: function() {} __wbg_log_0123456789abcdef: function() {}'
  assert.deepEqual(shortenImports(WASM, twice), { wasm: WASM, glue: twice })
})
