// What Trunk leaves to be done; Trunk calls this as its post-build hook, with the built page in a staging folder.
//
// Always:
//   - the inline script that starts the app moves into a file: the page's policy allows no inline script.
// In a release:
//   - what panics would say is taken out of the Wasm, which is then optimised; it and wasm-bindgen's glue call each other by
//     short names;
//   - that script and the glue become one minified file, and so do verify.js and its glue; styles and other scripts are minified too;
//   - every file gets its content's hash as `name-<16 hex>.ext`, so that a server may call it immutable. The page,
//     web manifests and names that the outside world knows (robots.txt, favicon.ico, .well-known) keep theirs;
//   - each script, style sheet and preload carries the integrity of the bytes that are really shipped;
//   - a page that would break a strict policy (inline script, style or handler) fails the build;
//   - compressible files get a .br and a .gz beside them;
//   - the bytes of every file, and of the first load, go into .build.json.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { basename, dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import zlib from 'node:zlib'

import { forgetSources, trapPanics } from './no-panics.mjs'
import { shortenImports } from './short-imports.mjs'

const COMPRESSIBLE = new Set(['.html', '.js', '.wasm', '.css', '.svg', '.json', '.webmanifest', '.txt', '.xml'])
const REFERRING = new Set(['.html', '.js', '.css', '.svg', '.json', '.webmanifest'])
const KEEPS_ITS_NAME = /^index\.html$|\.webmanifest$|^robots\.txt$|^favicon\.ico$|^\.well-known\//
// The oldest browsers that the page supports; newer syntax is rewritten for them.
const BROWSERS = ['safari16.4', 'chrome100', 'firefox115']

// Less inlining, and alike code left alike: 1.4 KB less once compressed.
const WASM_OPT = '-Oz -ocimfs 60 -aimfs 4 --skip-pass=local-cse --skip-pass=merge-similar-functions --strip-debug --strip-producers --strip-target-features'.split(' ')

const TAG = /<!--[\s\S]*?-->|<([a-zA-Z][\w-]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g
const INLINE_SCRIPT = /<script\b((?:"[^"]*"|'[^']*'|[^'">])*)>([\s\S]*?)<\/script>/g

/** The value of an attribute in a tag's text; null where it is missing. */
export function attribute(attributes, name) {
  const found = new RegExp(`(?:^|\\s)${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+)))?(?=[\\s/]|$)`, 'i').exec(attributes)
  return found ? (found[1] ?? found[2] ?? found[3] ?? '') : null
}

/** The page without its inline starter, and the starter's code. `tag` is put in its place. */
export function takeStarter(html, tag) {
  let code = null
  const page = html.replace(INLINE_SCRIPT, (whole, attributes, body) => {
    if (code !== null || attribute(attributes, 'src') !== null || attribute(attributes, 'type') !== 'module') return whole
    if (!/\bimport init\b/.test(body)) return whole
    code = body.trim() + '\n'
    return tag
  })
  if (code === null) throw new Error('the script that starts the app was not found in index.html')
  return { page, code }
}

/** What a policy of `script-src 'self'; style-src 'self'` would refuse in this page. */
export function refusedByPolicy(html) {
  const refused = []
  for (const [, attributes, body] of html.matchAll(INLINE_SCRIPT)) {
    const type = attribute(attributes, 'type') ?? ''
    const data = type !== '' && type !== 'module' && !/javascript|ecmascript/i.test(type)
    if (attribute(attributes, 'src') === null && !data) refused.push(`inline script: ${body.trim().slice(0, 60)}`)
  }
  for (const [whole, name, attributes] of html.matchAll(TAG)) {
    if (!name) continue
    if (name.toLowerCase() === 'style') refused.push('a <style> element')
    const text = attributes.replace(/"[^"]*"|'[^']*'/g, '""')
    if (/\sstyle\s*=/i.test(text)) refused.push(`style attribute: ${whole.slice(0, 80)}`)
    if (/\son[a-z]+\s*=/i.test(text)) refused.push(`event handler: ${whole.slice(0, 80)}`)
    if (/=\s*["']?\s*javascript:/i.test(attributes)) refused.push(`javascript: address: ${whole.slice(0, 80)}`)
  }
  return refused
}

/** `web-1a2b3c4d5e6f7a8b_bg.wasm` and the like, without the hash that Trunk gave. */
export function plainName(file) {
  const name = basename(file).replace(/-[0-9a-f]{12,16}(?=[._])/, '')
  return posix.join(posix.dirname(file), name)
}

export function hashedName(file, content) {
  const plain = plainName(file)
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const ext = posix.extname(plain)
  return `${plain.slice(0, plain.length - ext.length)}-${hash}${ext}`
}

/** Replaces whole mentions of files by their new names: `/a.css`, `./a.css`, `a.css`, never `data.css`. */
export function renameMentions(text, names) {
  for (const [old, now] of names) {
    const escaped = old.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    text = text.replace(new RegExp(`(?<![\\w.-])(?<!\\w/)${escaped}(?![\\w-]|\\.\\w)`, 'g'), now)
  }
  return text
}

export function integrity(content) {
  return 'sha384-' + createHash('sha384').update(content).digest('base64')
}

/** Gives every script, style sheet and preload of the page the integrity of what `read` returns for its file. Not the
 *  Wasm's preload: no browser checks it there, and Chromium warns of it; its name is its hash. */
export function setIntegrity(html, read) {
  return html.replace(TAG, (whole, name, attributes) => {
    name = name?.toLowerCase()
    const rel = name === 'link' ? (attribute(attributes, 'rel') ?? '').toLowerCase() : ''
    if (name !== 'script' && !rel) return whole
    const rest = attributes.replace(/\s+integrity\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)/i, '').replace(/\s*\/?\s*$/, '')
    const wanted = name === 'script' || /\b(stylesheet|modulepreload|preload)\b/.test(rel)
    const href = wanted && attribute(attributes, 'as') !== 'fetch' ? attribute(attributes, name === 'script' ? 'src' : 'href') : null
    const content = href === null ? null : read(href)
    return content === null ? `<${name}${rest}>` : `<${name}${rest} integrity="${integrity(content)}">`
  })
}

function walk(dir, below = '') {
  const found = []
  for (const entry of readdirSync(join(dir, below), { withFileTypes: true })) {
    const path = posix.join(below, entry.name)
    if (entry.isDirectory()) found.push(...walk(dir, path))
    else found.push(path)
  }
  return found.sort()
}

function nodeModules() {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..')
  const cache = process.env.QOD_CACHE || join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quitte-ou-double')
  const lock = createHash('sha256').update(readFileSync(join(root, 'tools', 'package-lock.json'))).digest('hex').slice(0, 16)
  const modules = process.env.QOD_NODE_MODULES || join(cache, `npm-${lock}`, 'node_modules')
  for (const tool of ['esbuild', 'binaryen']) {
    if (!existsSync(join(modules, tool))) throw new Error(`${tool} is missing: run scripts/install-tools`)
  }
  return modules
}

/** The Wasm as it is shipped, without what only panics need. */
function optimised(modules, file) {
  const { wasm, trapped } = trapPanics(readFileSync(file))
  if (trapped === 0) throw new Error(`${basename(file)}: the functions for panics are not found by their names any more`)
  writeFileSync(file, wasm)
  execFileSync(join(modules, '.bin', 'wasm-opt'), [file, '-o', file, ...WASM_OPT], { stdio: ['ignore', 'ignore', 'inherit'] })
  const shipped = forgetSources(readFileSync(file))
  for (const folder of [homedir() + '/', process.cwd() + '/', '.cargo/']) {
    if (shipped.includes(folder)) throw new Error(`${basename(file)} tells of the machine that built it: ${folder}`)
  }
  return shipped
}

/** One module of the starter and all it imports; what it imported is removed from the folder. */
async function bundle(esbuild, staging, base, code) {
  const used = new Set()
  const result = await esbuild.build({
    stdin: { contents: code, resolveDir: staging, sourcefile: 'start.js' },
    bundle: true,
    write: false,
    format: 'esm',
    minify: true,
    target: BROWSERS,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [
      {
        name: 'page',
        setup(build) {
          // Trunk imports by absolute address, snippets by relative ones.
          build.onResolve({ filter: /^[./]/ }, ({ path, resolveDir }) => {
            const file = path.startsWith(base) ? join(staging, path.slice(base.length)) : join(resolveDir, path)
            used.add(file)
            return { path: file }
          })
        },
      },
    ],
  })
  for (const file of used) {
    rmSync(file)
    for (let dir = dirname(file); dir !== staging && readdirSync(dir).length === 0; dir = dirname(dir)) rmdirSync(dir)
  }
  const gone = new Set([...used].map((file) => base + file.slice(staging.length + 1).replaceAll('\\', '/')))
  return { code: result.outputFiles[0].text, gone }
}

async function release(staging, base, html) {
  const modules = nodeModules()
  const esbuild = createRequire(join(modules, 'x.js'))('esbuild')
  const file = (name) => join(staging, name)

  for (const name of walk(staging).filter((name) => name.endsWith('_bg.wasm'))) {
    const glueName = name.replace(/_bg\.wasm$/, '.js')
    const { wasm, glue } = shortenImports(optimised(modules, file(name)), readFileSync(file(glueName), 'utf8'))
    writeFileSync(file(name), wasm)
    writeFileSync(file(glueName), glue)
  }

  // The starter and the glue become app.js; preloads of what it swallowed go.
  const { page, code } = takeStarter(html, `<script type="module" src="${base}app.js"></script>`)
  const app = await bundle(esbuild, staging, base, code)
  writeFileSync(file('app.js'), app.code)
  let index = page.replace(TAG, (whole, name, attributes) =>
    name?.toLowerCase() === 'link' && app.gone.has(attribute(attributes, 'href')) ? '' : whole,
  )

  // So does verify.js with the verifier's glue; it is named by boot.js alone.
  const verify = await bundle(esbuild, staging, base, readFileSync(file('verify.js'), 'utf8'))
  writeFileSync(file('verify.js'), verify.code)

  // Minified before they are hashed.
  for (const name of walk(staging)) {
    const loader = { '.js': 'js', '.css': 'css', '.webmanifest': 'json', '.json': 'json' }[extname(name)]
    if (!loader || name === 'app.js' || name === 'verify.js') continue
    const text = readFileSync(file(name), 'utf8')
    const small = loader === 'json' ? JSON.stringify(JSON.parse(text)) : (await esbuild.transform(text, { loader, minify: true, target: BROWSERS, charset: 'utf8', legalComments: 'none' })).code
    writeFileSync(file(name), small)
  }

  // Names by content: first what mentions no other file, then what mentions files that have their names.
  const names = new Map()
  const waiting = walk(staging).filter((name) => name !== 'index.html')
  while (waiting.length > 0) {
    const next = waiting.findIndex((name) => {
      if (!REFERRING.has(extname(name))) return true
      const text = readFileSync(file(name), 'utf8')
      return waiting.every((other) => other === name || renameMentions(text, [[other, '']]) === text)
    })
    if (next < 0) throw new Error(`these files mention each other, so that none can be named by its content: ${waiting.join(', ')}`)
    const [name] = waiting.splice(next, 1)
    if (REFERRING.has(extname(name))) writeFileSync(file(name), renameMentions(readFileSync(file(name), 'utf8'), names))
    if (KEEPS_ITS_NAME.test(name)) continue
    const now = hashedName(name, readFileSync(file(name)))
    renameSync(file(name), file(now))
    names.set(name, now)
  }
  index = renameMentions(index, names)

  index = setIntegrity(index, (href) => {
    if (!href.startsWith(base) || !existsSync(file(href.slice(base.length)))) return null
    return readFileSync(file(href.slice(base.length)))
  })
  // Comments and indentation are for those who read the source.
  index = index.replace(/<!--[\s\S]*?-->\n?/g, '').replace(/^[ \t]+/gm, '').replace(/\n{2,}/g, '\n')
  const refused = refusedByPolicy(index)
  if (refused.length > 0) throw new Error('the page would break its own policy:\n  ' + refused.join('\n  '))
  writeFileSync(file('index.html'), index)

  const sizes = await compress(staging)
  report(staging, base, index, sizes)
}

async function compress(staging) {
  const brotli = promisify(zlib.brotliCompress)
  const gzip = promisify(zlib.gzip)
  const c = zlib.constants
  // Which size of block serves a file best is known only afterwards (0: brotli's own choice).
  const smallest = async (raw) => {
    const params = { [c.BROTLI_PARAM_QUALITY]: 11, [c.BROTLI_PARAM_LGWIN]: 22, [c.BROTLI_PARAM_SIZE_HINT]: raw.length }
    const tried = [0, 16].map((block) => brotli(raw, { params: { ...params, [c.BROTLI_PARAM_LGBLOCK]: block } }))
    return (await Promise.all(tried)).reduce((best, next) => (next.length < best.length ? next : best))
  }
  const one = async (name) => {
    const raw = readFileSync(join(staging, name))
    if (!COMPRESSIBLE.has(extname(name))) return [name, { raw: raw.length }]
    const [br, gz] = await Promise.all([
      smallest(raw),
      gzip(raw, { level: 9 }),
    ])
    writeFileSync(join(staging, name + '.br'), br)
    writeFileSync(join(staging, name + '.gz'), gz)
    return [name, { raw: raw.length, gzip: gz.length, brotli: br.length }]
  }
  return new Map(await Promise.all(walk(staging).map(one)))
}

/** What a browser loads at first: the page, what its head names, and the fonts of its style sheets. */
export function firstLoad(html, base, files, readText) {
  const loaded = new Set(['index.html'])
  const add = (href) => {
    const name = href?.startsWith(base) ? href.slice(base.length) : null
    if (name && files.has(name)) loaded.add(name)
  }
  for (const [, name, attributes] of html.matchAll(TAG)) {
    if (name?.toLowerCase() === 'script') add(attribute(attributes, 'src'))
    if (name?.toLowerCase() === 'link') add(attribute(attributes, 'href'))
    if (name?.toLowerCase() === 'img') add(attribute(attributes, 'src'))
  }
  for (const name of [...loaded].filter((name) => name.endsWith('.css'))) {
    const text = readText(name)
    for (const file of files.keys()) if (/\.woff2?$/.test(file) && text.includes(basename(file))) loaded.add(file)
  }
  return loaded
}

/** For scripts/build-web, which prints it as a table, and for the tests, which hold the page to its budget. */
function report(staging, base, index, sizes) {
  const first = firstLoad(index, base, sizes, (name) => readFileSync(join(staging, name), 'utf8'))
  const shipped = ({ raw, brotli }) => Math.min(raw, brotli ?? raw)
  const first_load_brotli = [...first].reduce((sum, name) => sum + shipped(sizes.get(name)), 0)
  const files = Object.fromEntries([...sizes].map(([name, size]) => [name, { first: first.has(name), ...size }]))
  writeFileSync(join(staging, '.build.json'), JSON.stringify({ first_load_brotli, files }) + '\n')
}

function debug(staging, base, html) {
  const { code } = takeStarter(html, '')
  const name = hashedName('start.js', code)
  writeFileSync(join(staging, name), code)
  writeFileSync(join(staging, 'index.html'), takeStarter(html, `<script type="module" src="${base}${name}"></script>`).page)
}

async function main() {
  const staging = process.env.TRUNK_STAGING_DIR
  if (!staging) throw new Error('this is a hook of Trunk: see Trunk.toml')
  const base = process.env.TRUNK_PUBLIC_URL || '/'
  const html = readFileSync(join(staging, 'index.html'), 'utf8')
  if (process.env.TRUNK_PROFILE === 'release') await release(staging, base, html)
  else debug(staging, base, html)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`post-build: ${error.message}`)
    process.exit(1)
  })
}
