import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onlyIf } from '../support/only-if'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let folder: string
let service: Service

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-cli-')))
  service = await startService({ folder })
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

function runledger(args: string[], env: Record<string, string> = {}) {
  const screen = { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' }
  return runCommand(process.execPath, [CLI, ...args], { dir: folder, env: { ...screen, ...env } })
}

/** Signs in with a link as the dashboard does, and reads with the session. */
async function readWithLink(link: string): Promise<number[]> {
  const { origin, searchParams } = new URL(link)
  const signedIn = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: searchParams.get('code') }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  return [signedIn.status, (await fetch(`${origin}/v2/runs`, { headers: { cookie } })).status]
}

it('sign-in prints a link by which one can read, once', async () => {
  const { exitCode, stdout } = await runledger(['sign-in'])
  expect(exitCode).toBe(0)
  expect(await readWithLink(stdout.trim())).toEqual([200, 200])
  expect(await readWithLink(stdout.trim())).toEqual([401, 401])
})

it('status finds the service from a folder below, and ends with 1 for another one', async () => {
  const below = path.join(folder, 'packages/lamp')
  await mkdir(below, { recursive: true })
  const found = await runledger(['status', '--dir', below])
  expect(found).toMatchObject({ exitCode: 0, stderr: '' })
  expect(found.stdout).toContain(`${service.url} (${path.join(folder, '.runledger/credentials.json')})`)
  const other = await runledger(['status', '--json'], { RUNLEDGER_URL: 'http://127.0.0.1:9' })
  expect(other.exitCode).toBe(1)
  expect(JSON.parse(other.stdout)).toMatchObject({ ok: false, service: { from: 'RUNLEDGER_URL' } })
})

it(
  'open opens what signs in, and prints it where that fails',
  onlyIf(process.platform === 'linux', 'only Linux opens browsers by xdg-open'),
  async () => {
    const bin = path.join(folder, 'bin')
    const taken = path.join(folder, 'opened.txt')
    await mkdir(bin)
    const browser = path.join(bin, 'xdg-open')
    await writeFile(browser, `#!/bin/sh\ncat "\${1#file://}" > '${taken}'\n`)
    await chmod(browser, 0o755)
    const screen = { DISPLAY: ':0', PATH: `${bin}${path.delimiter}${process.env['PATH']}` }
    expect(await runledger(['open'], screen)).toMatchObject({
      exitCode: 0,
      stdout: `Opened ${service.url}/runs\n`,
    })
    const [link = ''] = /http:[^"'<>]+code=[\w-]+/.exec(await readFile(taken, 'utf8')) ?? []
    expect(await readWithLink(link)).toEqual([200, 200])
    await writeFile(browser, '#!/bin/sh\nexit 3\n')
    for (const context of [screen, {}]) {
      const { exitCode, stdout, stderr } = await runledger(['open'], context)
      expect(exitCode).toBe(0)
      expect(stderr).toContain('No browser can be opened here')
      expect(await readWithLink(stdout.trim())).toEqual([200, 200])
    }
  },
)

it('backup copies a service that is serving, restore makes another of it, check finds both whole', async () => {
  const created = await runledger([
    'call',
    'createV1Run',
    '--body',
    `{"procedure_id": "${service.procedureId}", "unit_under_test": {"serial_number": "SN-1"}, "run_passed": true, "duration": "PT1S"}`,
  ])
  const { id } = JSON.parse(created.stdout) as { id: string }
  const other = path.join(folder, 'other')
  const backup = path.join(folder, 'backup')
  expect(await runledger(['backup', backup])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('1 run, 0 attachments') as unknown,
    stderr: '',
  })
  expect(await runledger(['restore', backup, '--data', path.join(other, '.runledger')])).toMatchObject({
    exitCode: 0,
    stderr: '',
  })
  for (const data of [service.dataDir, backup, path.join(other, '.runledger')])
    expect(await runledger(['check', '--bytes', '--data', data])).toMatchObject({
      exitCode: 0,
      stdout: `${data}: 1 run, 0 attachments (0 B)\nNo problems.\n`,
      stderr: '',
    })
  const restored = await startService({ folder: other })
  try {
    const whole = async (from: Service) =>
      (await (await from.get(`/v2/runs/${id}`)).text()).replaceAll(from.url, '')
    expect(await whole(restored)).toBe(await whole(service))
  } finally {
    await restored.stop()
  }
})

it('a command line that makes no sense ends with 2, and says so as JSON too', async () => {
  const { exitCode, stdout, stderr } = await runledger(['upload', 'somewhere', '--json'])
  expect(exitCode).toBe(2)
  expect(stderr).toContain('too many arguments')
  expect(JSON.parse(stdout)).toEqual({ error: expect.stringContaining('too many arguments') as unknown })
})
