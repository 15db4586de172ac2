import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../support/chromium.mjs'
import { type CommandResult, runCommand } from '../support/project'
import { OPEN_EXECUTION } from '../support/record-script'
import { REPOSITORY } from '../support/repository'
import { runAsSecondUser } from '../support/second-user'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let shared: string
/** Of root, with the local credentials of a service. */
let project: string
let service: Service
let listening: Server[]
let children: ChildProcess[]

beforeEach(async () => {
  shared = await mkdtemp(path.join(os.tmpdir(), 'runledger-shared-'))
  await chmod(shared, 0o1777)
  project = path.join(shared, 'project')
  await mkdir(path.join(project, '.runledger'), { recursive: true, mode: 0o755 })
  await chmod(path.join(project, '.runledger'), 0o700)
  await writeFile(path.join(project, 'record.mjs'), `${OPEN_EXECUTION}\nawait execution.finish()\n`)
  service = await startService()
  const [from, to] = [service.dataDir, path.join(project, '.runledger')]
  await copyFile(path.join(from, 'credentials.json'), path.join(to, 'credentials.json'))
  await chmod(path.join(to, 'credentials.json'), 0o600)
  listening = []
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  await service.stop()
  for (const server of listening) server.closeAllConnections()
  await Promise.all(listening.map((server) => new Promise((resolve) => server.close(resolve))))
  await rm(shared, { recursive: true, force: true })
})

async function listen(listener: RequestListener, port = 0): Promise<string> {
  const server = createServer(listener)
  listening.push(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

const environment = () => ({ HOME: project, XDG_STATE_HOME: undefined, CI: undefined })

const record = (env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
  runCommand(process.execPath, ['record.mjs'], { dir: project, env: { ...environment(), ...env } })

const runledger = (args: string[], env: NodeJS.ProcessEnv = {}, dir = project): Promise<CommandResult> =>
  runCommand(process.execPath, [CLI, ...args], { dir, env: { ...environment(), ...env } })

/** A script that prints the arguments of the processes of a group, and of a process and its children. */
function listArguments(group: number | undefined, parent: number): string {
  return `for process in /proc/[0-9]*; do
    set -- \${process#/proc/} $(sed 's/.*) //' $process/stat 2>/dev/null)
    [ "$1" = ${parent} ] || [ "$3" = ${parent} ] || [ "$4" = ${group} ] || continue
    tr '\\0' '\\n' < $process/cmdline 2>/dev/null || true
  done`
}

describe('attacks of another user on a service of root', { tags: ['second-user'] }, () => {
  it('on a port where the service was gets no key, no result and no question', async () => {
    expect((await record()).stderr).toContain('run on record')
    expect(await service.readAllRuns()).toHaveLength(1)
    await service.kill()
    const received: string[] = []
    const answer: RequestListener = (request, response) => {
      const { method, url, headers } = request
      received.push([method, url, headers.authorization, headers['content-length']].filter(Boolean).join(' '))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data": []}')
    }
    await listen(answer, Number(new URL(service.url).port))
    const { stderr } = await record()
    expect(stderr).toContain('does not prove to be the service of the local credentials')
    expect(stderr).toContain('start runledger serve there again')
    for (const args of [
      ['runs'],
      ['open'],
      ['status'],
      ['doctor'],
      ['upload'],
      ['sign-in'],
      ['init', '--dry-run'],
    ])
      await runledger(args)
    expect(received.length).toBeGreaterThan(5)
    expect(new Set(received)).toEqual(new Set(['HEAD /healthz']))
  })

  it('sees no code, key or password among the arguments of processes, and reads no page with a code', async () => {
    const bin = path.join(shared, 'bin')
    await mkdir(bin)
    const seen = path.join(shared, 'opened')
    await writeFile(path.join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${seen}\nexec sleep 20\n`, {
      mode: 0o755,
    })
    const env = { ...process.env, ...environment(), DISPLAY: ':0', PATH: `${bin}:${process.env['PATH']}` }
    const child = spawn(process.execPath, [CLI, 'open'], { cwd: project, env, detached: true })
    children.push(child)
    await expect.poll(() => readFile(seen, 'utf8').catch(() => ''), { timeout: 20_000 }).toContain('file:')
    const all = runAsSecondUser(listArguments(child.pid, service.pid), shared)
    expect(all).toContain(CLI)
    expect(all).not.toMatch(/code=|rl_(?:user|station|project)_/)
    const page = new URL((await readFile(seen, 'utf8')).trim()).pathname
    expect(await readFile(page, 'utf8')).toContain('/sign-in?code=')
    expect(() => runAsSecondUser(`cat '${page}'`, shared)).toThrow(/Permission denied/)
  })

  it('gives no command a data folder, and init nothing to put back', async () => {
    const victim = path.join(project, 'victim')
    await writeFile(victim, 'kept')
    const back = Buffer.from('owned').toString('base64')
    const kept = Buffer.from('kept')
    const digest = await crypto.subtle.digest('SHA-256', kept)
    const file = { file: 'project/victim', before: back, after_sha256: Buffer.from(digest).toString('hex') }
    const undo = { version: 1, files: [file], installs: [], made_folder: false }
    runAsSecondUser(
      `mkdir .runledger; echo '{}' > package.json; echo '${JSON.stringify(undo)}' > .runledger/init.json`,
      shared,
    )
    const refused = /is ignored: another user owns .*\. If it is yours, set RUNLEDGER_TRUSTED_FOLDERS=/
    for (const args of [['serve', '--port', '0'], ['check'], ['backup', path.join(project, 'backup')]]) {
      const { exitCode, stderr } = await runledger(args, {}, shared)
      expect({ args, exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(refused),
      })
    }
    for (const dir of [shared, project])
      expect((await runledger(['init', '--undo', '--yes'], {}, dir)).stderr).toMatch(refused)
    expect(await readFile(victim, 'utf8')).toBe('kept')
    const trusted = { RUNLEDGER_TRUSTED_FOLDERS: shared }
    expect((await runledger(['init', '--undo', '--dry-run'], trusted, shared)).stdout).toContain(
      'project/victim',
    )
  })

  it('gets nothing that waits in a home that is theirs', async () => {
    runAsSecondUser('mkdir -p home/.local/state/runledger/spool; chmod -R 777 home', shared)
    const [home, tmp] = [path.join(shared, 'home'), path.join(project, 'tmp')]
    await mkdir(tmp)
    const env = {
      HOME: home,
      TMPDIR: tmp,
      RUNLEDGER_API_KEY: service.apiKey,
      RUNLEDGER_PROCEDURE_ID: service.procedureId,
    }
    const { stderr } = await record({ ...env, RUNLEDGER_URL: 'http://127.0.0.1:9' })
    expect(stderr).toContain('spool is ignored: another user owns')
    expect(stderr).toContain('waits in the spool')
    expect(runAsSecondUser('find home -type f', shared)).toBe('')
    expect((await runledger(['upload', '--url', service.url], env)).stdout).toContain('1 run sent')
  })
})

describe('a cookie', { tags: ['chromium'] }, () => {
  it('with a secret name is not sent to another port, and one of another port signs no user in', async () => {
    const received: (string | undefined)[] = []
    const { port } = new URL(service.url)
    const theirs = await listen((request, response) => {
      received.push(request.headers.cookie)
      const planted = [`runledger_session_${port}=${'x'.repeat(43)}; Path=/`, 'runledger_session=x; Path=/']
      response.setHeader('set-cookie', planted).end('<h1>theirs</h1>')
    })
    const own = `http://word-${process.pid}.localhost:${port}`
    const browser = await launchChromium()
    try {
      const page = await (await browser.newContext()).newPage()
      await page.goto(theirs)
      await page.goto(service.url)
      await page.waitForURL(/\/sign-in/)
      await page.goto(service.signInUrl.replace(service.url, own))
      await page.waitForURL(({ pathname }) => pathname === '/')
      await page.goto(theirs)
      await page.goto(`${theirs}/again`)
    } finally {
      await browser.close()
    }
    const session = received.filter(
      (cookie) => cookie?.includes('runledger_session') && !cookie.includes('xxx'),
    )
    expect(session).toEqual([])
  })
})
