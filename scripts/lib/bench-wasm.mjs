// How long one opening takes to verify in Wasm, in Node and in headless Chromium: node scripts/lib/bench-wasm.mjs FILE.wasm CHROMIUM
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Microseconds an opening, the fastest of 9 runs; runs in Node and in the page, so it uses nothing of either. */
function measure(bytes) {
  const { verify_openings } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports
  const count = 30_000
  const times = []
  for (let run = 0; run < 11; run++) {
    const start = performance.now()
    const good = verify_openings(count)
    // Two runs warm up: the engine compiles anew what is called often.
    if (run > 1) times.push(((performance.now() - start) * 1000) / count)
    if (good !== (count / 30) * 27) throw new Error(`${good} openings held`)
  }
  return Math.min(...times)
}

const [file, chromium] = process.argv.slice(2)
const wasm = readFileSync(file)
const report = (where, us) => console.log(`one opening verified in Wasm, ${where}`.padEnd(50) + `${us.toFixed(2).padStart(11)} µs ${(1e6 / us).toFixed(0).padStart(12)} /s`)
report(`Node ${process.versions.node}`, measure(wasm))

const folder = mkdtempSync(join(tmpdir(), 'qod-bench-'))
try {
  const page = join(folder, 'bench.html')
  const bytes = `Uint8Array.from(atob('${wasm.toString('base64')}'), (c) => c.charCodeAt(0))`
  writeFileSync(page, `<body><script>${measure}\ndocument.body.textContent = 'measured ' + measure(${bytes})</script>`)
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  const dom = execFileSync(chromium, [...flags, `--user-data-dir=${folder}/profile`, '--dump-dom', `file://${page}`], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const found = /measured ([0-9.]+)/.exec(dom)
  if (!found) throw new Error(`the page says: ${dom.slice(-300)}`)
  report('headless Chromium', Number(found[1]))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
