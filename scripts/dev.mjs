// npm run dev [-- --port N] [--days N] [--data FOLDER]: serves made-up data and the dashboard from their sources, and reloads both when
// these change. The data stays in its folder (.cache/dev) from one start to the next.
import { spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { RELOAD } from './dev/reload.mjs'
import { prepare } from './prepare.mjs'

const repository = path.resolve(import.meta.dirname, '..')
const text = /** @type {const} */ ({ type: 'string' })
const { values } = parseArgs({ options: { port: text, days: text, data: text } })
const data = path.resolve(values.data ?? path.join(repository, '.cache/dev'))
/** Exists once all made-up data is on record. */
const seeded = path.join(data, 'seeded')

prepare()
const servicePort = await findFreePort()
const dashboard = await startDashboard()
let isStopping = false
let service = startService()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop)

/** Vite serves the dashboard's sources, and passes on what is for the service. */
async function startDashboard() {
  const { createServer: createVite } = await import('vite')
  const vite = await createVite({
    root: path.join(repository, 'packages/dashboard'),
    configFile: path.join(repository, 'packages/dashboard/vite.config.ts'),
    cacheDir: path.join(repository, '.cache/vite'),
    clearScreen: false,
    server: {
      host: '127.0.0.1',
      port: Number(values.port ?? 7357),
      proxy: {
        '^/(v1|v2|api|session|uploads|downloads|openapi\\.json|metrics|healthz|readyz)([/?]|$)':
          proxyTarget(),
        '^/runs(/[^/?]+)?\\.md(\\?|$)': proxyTarget(),
      },
    },
  })
  return vite.listen()
}

function proxyTarget() {
  return { target: `http://127.0.0.1:${servicePort}` }
}

/** Starts the service in a process of its own, and again when its sources have changed. */
function startService() {
  const url = dashboard.resolvedUrls?.local[0] ?? ''
  const demo = existsSync(seeded) ? [] : ['--demo', '--days', values.days ?? '60']
  if (demo.length > 0) rmSync(data, { recursive: true, force: true })
  const serve = [
    'serve',
    '--json',
    '--data',
    data,
    '--port',
    String(servicePort),
    '--public-url',
    url,
    ...demo,
  ]
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'dev/service.mjs'), ...serve], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  createInterface({ input: child.stdout }).on('line', report)
  child.once('exit', (code) => {
    if (isStopping) return
    if (code !== RELOAD) {
      process.exitCode = code ?? 1
      return stop()
    }
    console.log('service: reloading')
    service = startService()
  })
  return child
}

/** A line of `serve --json`. */
function report(line) {
  const { url, sign_in_url: signInUrl, demo } = JSON.parse(line)
  if (url) console.log(`dashboard: ${signInUrl}`)
  if (!demo) return
  writeFileSync(seeded, '')
  console.log(
    `service: recorded ${demo.runs} runs in ${demo.seconds} s, in ${path.relative(process.cwd(), data)}`,
  )
}

function stop() {
  if (isStopping) return
  isStopping = true
  if (service.exitCode === null) service.kill('SIGTERM')
  void dashboard.close()
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  await new Promise((resolve) => server.close(resolve))
  return port
}
