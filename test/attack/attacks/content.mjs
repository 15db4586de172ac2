import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { ask, send } from '../client.mjs'
import { startTarget } from '../target.mjs'
import { createRun, list } from './bodies.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const CONTENT_ATTACKS = {
  'uploaded-scripts': {
    about: 'attachments that are scripts, pages or documents with scripts in them',
    run: uploadScripts,
  },
  'files-origin': {
    about: 'the origin where attachments are opened, asked with keys, cookies and forged addresses',
    run: askFilesOrigin,
  },
  ranges: { about: 'ranges that overlap, are huge, or make no sense', run: askRanges },
  paths: { about: 'paths that lead out of the dashboard’s folder', run: askPaths },
  'open-data-folder': { about: 'a data folder that others on the machine may read', run: openFolder },
}

/** Makes an attachment of a run and returns its download address. */
async function upload(target, name, contentType, body) {
  return (await attach(target, name, contentType, body)).download_url
}

/** Makes an attachment of a run and returns it. */
async function attach(target, name, contentType, body) {
  const { id, upload_url } = (await send(target, 'POST', '/v2/attachments', { name })).json
  await ask(upload_url, { method: 'PUT', headers: { 'content-type': contentType }, body })
  const run = (await send(target, 'POST', '/v1/runs/create', createRun(target))).json
  await send(target, 'PATCH', `/v2/runs/${run.id}`, { attachments: [id] })
  return (await send(target, 'GET', `/v2/runs/${run.id}`)).json.attachments[0]
}

const SCRIPTS = [
  ['a.js', 'text/javascript'],
  ['a.js', 'application/javascript; charset=utf-8'],
  ['a.mjs', 'application/x-javascript'],
  ['a.js', 'text/plain'],
  ['a.css', 'text/css'],
  ['a.html', 'text/html'],
  ['a.xhtml', 'application/xhtml+xml'],
  ['a.svg', 'image/svg+xml'],
  ['a.xml', 'text/xml'],
  ['a.pdf', 'application/pdf'],
  ['a.json', 'application/json'],
  ['a.wasm', 'application/wasm'],
  ['a.appcache', 'text/cache-manifest'],
  ['a"; filename=b.html\r\n', 'image/png'],
  // Browsers take what follows a comma for another type.
  ['a.mp4', 'video/mp4;,text/javascript'],
  ['a', 'application/octet-stream; a=b, text/javascript'],
  ['a.png', 'image/png;x, text/html'],
]
const ACTIVE = /javascript|ecmascript|jscript|livescript|css|html|xml|svg|wasm|manifest/i

async function uploadScripts({ target, claim }) {
  const page = await ask(`${target.url}/runs`, { headers: { accept: 'text/html' } })
  const scripts = /script-src ([^;]*)/.exec(page.headers['content-security-policy'] ?? '')?.[1] ?? '*'
  const covers = scripts
    .split(' ')
    .some((source) => source === "'self'" || source === '*' || /\/downloads/.test(source))
  claim(!covers, `the pages run scripts from ${scripts}`)
  for (const [name, type] of SCRIPTS) {
    const { headers } = await ask(await upload(target, name, type, 'alert(1)'))
    const policy = String(headers['content-security-policy'])
    const what = `${JSON.stringify(name)} of ${type}`
    claim(!ACTIVE.test(String(headers['content-type'])), `${what} is sent as ${headers['content-type']}`)
    claim(headers['x-content-type-options'] === 'nosniff', `browsers guess what ${what} is`)
    claim(headers['cross-origin-resource-policy'] === 'same-origin', `${what} is for other sites too`)
    claim(/(^|; )sandbox(;|$)/.test(policy), `${what} is in no sandbox: ${policy}`)
    claim(policy.includes("default-src 'none'"), `${what} may load what it likes: ${policy}`)
    claim(
      /^(inline|attachment);? ?/.test(String(headers['content-disposition'])),
      `${what} has no disposition`,
    )
  }
  return `${SCRIPTS.length} attachments; the pages’ scripts come from ${scripts}`
}

async function askFilesOrigin({ target, claim }) {
  const { open_url, download_url } = await attach(target, 'a.html', 'text/html', '<script>alert(1)</script>')
  const { origin, pathname, search } = new URL(open_url)
  claim(origin !== new URL(download_url).origin, 'a page opens on the origin of the service')
  const signedIn = await ask(`${target.url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: target.apiKey }),
  })
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0]
  const rights = { authorization: `Bearer ${target.apiKey}`, cookie, accept: 'text/html' }
  const answers = []
  for (const address of [
    '/',
    '/v2/runs',
    '/api/v2/runs',
    '/v1/runs',
    '/session',
    '/metrics',
    '/openapi.json',
    pathname,
  ]) {
    const answer = await ask(origin + address, { headers: rights })
    claim(answer.status === 404 || answer.status === 403, `${address} with a key: ${answer.status}`)
    claim(answer.headers['set-cookie'] === undefined, `${address} set a cookie`)
    answers.push(answer)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    for (const address of ['/v2/runs', '/session', pathname + search]) {
      const answer = await ask(origin + address, { method, headers: rights, body: '{}' })
      claim(answer.status === 404, `${method} ${address.split('?')[0]} was answered ${answer.status}`)
      answers.push(answer)
    }
  const page = await ask(open_url)
  const policy = String(page.headers['content-security-policy'])
  claim(page.status === 200 && /; sandbox allow-scripts/.test(policy), `a page is in no sandbox: ${policy}`)
  claim(!/allow-same-origin|allow-top-navigation/.test(policy), `a page leaves its sandbox: ${policy}`)
  claim(!/default-src[^;]*(https?:|\*|'self')/.test(policy), `a page may load from servers: ${policy}`)
  for (const type of ['text/javascript', 'application/octet-stream;,text/javascript']) {
    const address = new URL(await upload(target, 'sw.js', type, '0')).href.slice(target.url.length)
    const { headers } = await ask(origin + address)
    claim(!ACTIVE.test(String(headers['content-type'])), `${type} could become a service worker`)
  }
  const asked = await ask(`${target.url}/v2/runs`, { headers: { cookie, origin } })
  claim(asked.headers['access-control-allow-origin'] === undefined, 'the service lets that origin read')
  return `${answers.length} requests with a key and a session: ${list(answers)}`
}

async function askRanges({ target, claim, isSmall }) {
  const size = 1024 * 1024
  const address = await upload(target, 'a.bin', 'application/octet-stream', Buffer.alloc(size, 'a'))
  const ranges = [
    `bytes=${Array.from({ length: 1_000 }, (_, index) => `${index}-`).join(',')}`,
    'bytes=0-,0-,0-,0-,0-',
    'bytes=-1',
    'bytes=-99999999999999999999',
    'bytes=99999999999999999999-',
    `bytes=0-${'9'.repeat(5_000)}`,
    'bytes=5-2',
    'bytes=--5',
    `bytes=${' '.repeat(10_000)}`,
    'lines=1-2',
    'bytes=1e3-2e3',
  ]
  const answers = []
  for (let round = 0; round < (isSmall ? 2 : 20); round += 1) {
    for (const range of ranges) {
      const answer = await ask(address, { headers: { range } })
      claim([200, 206, 416].includes(answer.status), `${range.slice(0, 30)} was answered ${answer.status}`)
      claim(answer.text.length <= size, `${range.slice(0, 30)} made ${answer.text.length} bytes of ${size}`)
      answers.push(answer)
    }
  }
  return `${answers.length} requests: ${list(answers)}`
}

const PATHS = [
  '/../credentials.json',
  '/assets/../../../../credentials.json',
  '/..%2f..%2fcredentials.json',
  '/%2e%2e/%2e%2e/credentials.json',
  '/assets/..%5c..%5ccredentials.json',
  '/assets/%00.js',
  '//etc/passwd',
  '/assets//etc/passwd',
  '/.runledger/credentials.json',
  '/index.html%00.js',
  '/assets/%c0%ae%c0%ae/credentials.json',
  '/%',
  '/downloads/..%2f..%2fcredentials.json?expires=999999999999&signature=a',
  '/api/api/v2/runs',
  '/v2/runs/%2e%2e%2fkeys',
  `/v2/runs/${'a'.repeat(8_000)}`,
]

async function askPaths({ target, claim }) {
  const answers = []
  for (const asked of PATHS) {
    const answer = await ask(target.url, { path: asked })
    const tells = answer.text.includes(target.apiKey) || answer.text.includes('root:')
    claim(!tells && answer.status >= 300, `${asked.slice(0, 60)} was answered ${answer.status}`)
    answers.push(answer)
  }
  return `${answers.length} paths: ${list(answers)}`
}

/** Nobody but the owner: the folder was there before, and everybody may read what is made in it. */
async function openFolder({ claim }) {
  if (process.platform === 'win32') return 'nothing: Windows has no such modes'
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-attack-open-'))
  const before = process.umask(0)
  try {
    await chmod(folder, 0o755)
    const first = await startTarget({ dataDir: folder })
    await upload(first, 'a.txt', 'text/plain', 'secret')
    await first.stop()
    const entries = async () => (await readdir(folder)).map((name) => path.join(folder, name))
    for (const name of await entries()) await chmod(name, 0o777)
    const second = await startTarget({ dataDir: folder })
    await upload(second, 'b.txt', 'text/plain', 'another')
    const open = []
    for (const name of [folder, ...(await entries())]) {
      const { mode } = await stat(name)
      if ((mode & 0o077) !== 0)
        open.push(`${path.relative(folder, name) || '.'} ${(mode & 0o777).toString(8)}`)
    }
    await second.stop()
    claim(open.length === 0, `others may read ${open.join(', ')}`)
    return `a folder of mode 755 with all in it of mode 777; open afterwards: ${open.length}`
  } finally {
    process.umask(before)
    await rm(folder, { recursive: true, force: true })
  }
}
