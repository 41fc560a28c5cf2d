import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'
import { WASM } from './test-module.mjs'
import { attribute, hashedName, plainName, refusedByPolicy, renameMentions, setIntegrity, takeStarter } from './post-build.mjs'

const PAGE = `<!doctype html><html lang="fr"><head><title>Q</title><!-- a note -->
<link rel="stylesheet" href="/qod-1111111111111111.css" integrity="sha384-old"/>
<link rel="apple-touch-icon" href="/icon.png">
<link rel="manifest" href="/qod.webmanifest">
<script type="module">
import init from '/web-2222222222222222.js';
const wasm = await init({ module_or_path: '/web-2222222222222222_bg.wasm' });
dispatchEvent(new CustomEvent("TrunkApplicationStarted", {detail: {wasm}}));
</script>
<link rel="modulepreload" href="/web-2222222222222222.js" crossorigin="anonymous" integrity="sha384-old">
<link rel="preload" href="/web-2222222222222222_bg.wasm" crossorigin="anonymous" as="fetch" type="application/wasm" integrity="sha384-old">
</head><body><main id="app" data-style="x">Un « texte » de icon.png.</main></body></html>`

const GLUE = `
/** A long comment that does not ship. */
export function neverCalled() { return 'never-called' }
export default async function init(options) { return (await fetch(options.module_or_path)).arrayBuffer() }
`

function stage(profile, change = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'post-build-'))
  const files = {
    'index.html': PAGE,
    'qod-1111111111111111.css': 'body { background: url(/icon.png) }\n',
    'icon.png': 'png',
    'qod.webmanifest': '{ "icons": [ { "src": "/icon.png" } ] }',
    'web-2222222222222222.js': GLUE,
    'web-2222222222222222_bg.wasm': WASM,
    'verifier.js': GLUE + 'const own = new URL("verifier_bg.wasm", import.meta.url)\ninit(own)\n',
    'verifier_bg.wasm': WASM,
    'boot.js': 'let s = document.createElement("script"); s.src = "/verify.js"',
    'verify.js': 'import init from "/verifier.js"\ninit({})',
    'robots.txt': 'User-agent: *\n',
    ...change,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  execFileSync(process.execPath, [fileURLToPath(new URL('post-build.mjs', import.meta.url))], {
    env: { ...process.env, TRUNK_STAGING_DIR: dir, TRUNK_PROFILE: profile, TRUNK_PUBLIC_URL: '/' },
    stdio: 'pipe',
  })
  return { dir, names: readdirSync(dir), read: (name) => readFileSync(join(dir, name)) }
}

test('a release has one script file, true integrities, names by content and no inline script', () => {
  const { names, read } = stage('release')
  const html = read('index.html').toString()
  assert.deepEqual(refusedByPolicy(html), [])
  const app = names.find((name) => /^app-[0-9a-f]{16}\.js$/.test(name))
  const css = names.find((name) => /^qod-[0-9a-f]{16}\.css$/.test(name))
  const icon = names.find((name) => /^icon-[0-9a-f]{16}\.png$/.test(name))
  const wasm = names.find((name) => /^web_bg-[0-9a-f]{16}\.wasm$/.test(name))
  assert.ok(app && css && icon && wasm, names.join(' '))
  assert.ok(names.includes('robots.txt') && names.includes('qod.webmanifest'))
  for (const name of [app, css]) {
    const tag = html.split('<').find((tag) => tag.includes(`"/${name}"`))
    assert.ok(tag.includes(`integrity="sha384-${createHash('sha384').update(read(name)).digest('base64')}"`), tag)
    assert.equal(name, hashedName(name.replace(/-[0-9a-f]{16}/, ''), read(name)))
  }
  assert.ok(read(app).includes(`"/${wasm}"`))
  assert.ok(!read(app).includes('never-called') && !read(app).includes('comment'))
  assert.ok(read(css).includes(`/${icon}`) && read('qod.webmanifest').includes(`/${icon}`))
  assert.ok(!html.includes('modulepreload') && !html.includes('sha384-old') && !html.includes('a note'))
  assert.ok(html.includes(`<link rel="preload" href="/${wasm}"`))
  // What panics would say is gone, names and all, and the rest answers as before.
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(read(wasm)), { g: { log() {} } })
  assert.throws(exports.panics, WebAssembly.RuntimeError)
  assert.equal(exports.seven(), 7)
  assert.ok(!read(wasm).includes('panicking'))
  // The second program: one file with its glue, named by boot.js, which names its Wasm.
  const verify = names.find((name) => /^verify-[0-9a-f]{16}\.js$/.test(name))
  const second = names.find((name) => /^verifier_bg-[0-9a-f]{16}\.wasm$/.test(name))
  const boot = names.find((name) => /^boot-[0-9a-f]{16}\.js$/.test(name))
  assert.ok(verify && second && boot && !names.some((name) => /^verifier.*\.js$/.test(name)), names.join(' '))
  assert.ok(read(boot).includes(`/${verify}`) && read(verify).includes(second))
})

test('every compressible file of a release has a true .br and .gz', () => {
  const { names, read } = stage('release')
  const compressible = names.filter((name) => /\.(html|js|wasm|css|webmanifest|txt)$/.test(name))
  assert.equal(compressible.length, 9)
  for (const name of compressible) {
    assert.deepEqual(zlib.brotliDecompressSync(read(name + '.br')), read(name))
    assert.deepEqual(zlib.gunzipSync(read(name + '.gz')), read(name))
  }
  assert.ok(!names.some((name) => /\.png\.(br|gz)$/.test(name)))
  const { first_load_brotli, files } = JSON.parse(read('.build.json'))
  const first = Object.values(files).filter((file) => file.first)
  assert.equal(first.length, 6)
  assert.equal(first_load_brotli, first.reduce((sum, { raw, brotli }) => sum + Math.min(raw, brotli ?? raw), 0))
})

test('the same input gives the same bytes', () => {
  const [one, two] = [stage('release'), stage('release')]
  assert.deepEqual(one.names, two.names)
  for (const name of one.names) assert.deepEqual(one.read(name), two.read(name), name)
})

test('a debug build only moves the starter into a file', () => {
  const { names, read } = stage('debug')
  const start = names.find((name) => /^start-[0-9a-f]{16}\.js$/.test(name))
  assert.ok(read(start).includes("import init from '/web-2222222222222222.js'"))
  assert.ok(read('index.html').includes(`<script type="module" src="/${start}"></script>`))
  assert.ok(names.includes('web-2222222222222222.js') && !names.some((name) => name.endsWith('.br')))
})

test('a page that breaks the policy fails the build', () => {
  const inline = PAGE.replace('</body>', '<script>alert(1)</script></body>')
  assert.throws(() => stage('release', { 'index.html': inline }), /would break its own policy/)
  for (const bad of ['<p style="x">', '<p style=x>', '<style>p{}</style>', '<a onclick="x()">', '<a href="javascript:x()">', '<script type="module">x</script>'])
    assert.equal(refusedByPolicy(bad).length, 1, bad)
  for (const good of ['<p data-style="x" title="style=1 onclick=2">', '<!-- <style> -->', '<script type="application/ld+json">{}</script>', '<script src="/x.js"></script>'])
    assert.deepEqual(refusedByPolicy(good), [], good)
})

test('two files that mention each other fail the build', () => {
  assert.throws(() => stage('release', { 'a.css': '@import "/b.css"', 'b.css': '@import "/a.css"' }), /mention each other/)
})

test('mentions are whole names', () => {
  const names = [['a.css', 'a-0.css']]
  assert.equal(renameMentions('"/a.css" url(a.css) "./a.css"', names), '"/a-0.css" url(a-0.css) "./a-0.css"')
  const others = '"/data.css" "a.css.map" "b/a.css" "x-a.css" "a.cssx"'
  assert.equal(renameMentions(others, names), others)
})

test('small pieces', () => {
  assert.equal(plainName('web-2222222222222222_bg.wasm'), 'web_bg.wasm')
  assert.equal(plainName('icon-180.png'), 'icon-180.png')
  assert.equal(attribute(' a="1" async b=2', 'async'), '')
  assert.equal(attribute(' data-src="1"', 'src'), null)
  assert.throws(() => takeStarter('<script>x</script>', ''), /was not found/)
  assert.equal(setIntegrity('<link rel="icon" href="/i" integrity="old"/>', () => 'x'), '<link rel="icon" href="/i">')
  assert.equal(setIntegrity('<p title="a > b">', () => 'x'), '<p title="a > b">')
})
