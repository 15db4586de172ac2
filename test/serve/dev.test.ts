import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { REPOSITORY } from '../support/repository'

let folder: string
let dev: ChildProcess
const lines: string[] = []

/** The first line that matches, once it is printed. */
async function waitForLine(pattern: RegExp, after = 0): Promise<string> {
  const find = () => lines.slice(after).find((line) => pattern.test(line))
  await expect.poll(() => find() ?? dev.exitCode, { timeout: 600_000 }).not.toBeNull()
  return find() ?? expect.fail(`npm run dev ended before it printed ${pattern}: ${lines.join('\n')}`)
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-dev-'))
  const args = ['--port', '0', '--days', '20', '--data', path.join(folder, 'data')]
  dev = spawn(process.execPath, [path.join(REPOSITORY, 'scripts/dev.mjs'), ...args], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: dev.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line))
})

afterAll(async () => {
  if (dev.exitCode === null) dev.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

it('serves made-up data and the dashboard from their sources, reloads the service, and stops', async () => {
  const { origin, href } = new URL((await waitForLine(/^dashboard: /)).slice('dashboard: '.length))
  await waitForLine(/^service: recorded \d+ runs/)
  const page = await (await fetch(`${origin}/runs`, { headers: { accept: 'text/html' } })).text()
  expect(page).toContain('/src/main.tsx')
  expect(page).toContain('/@vite/client')

  const code = new URL(href).searchParams.get('code')
  const signedIn = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code }),
  })
  expect(signedIn.status).toBe(200)
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const readRuns = () => fetch(`${origin}/v2/runs?limit=5`, { headers: { cookie } })
  expect(((await (await readRuns()).json()) as { data: unknown[] }).data).toHaveLength(5)

  const before = lines.length
  const source = path.join(REPOSITORY, 'packages/server/src/base/version.ts')
  // Another time, and one before the last build, which stays current.
  await utimes(source, new Date(), new Date((await stat(source)).mtimeMs + 1_000))
  await waitForLine(/^service: reloading/)
  await waitForLine(/^dashboard: /, before)
  expect((await readRuns()).status).toBe(200)
  expect(lines.slice(before).some((line) => line.startsWith('service: recorded'))).toBe(false)

  const ended = once(dev, 'exit')
  dev.kill('SIGTERM')
  await ended
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow()
})
