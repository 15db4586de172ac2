import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandResult, runCommand } from '../support/project'
import { OPEN_EXECUTION } from '../support/record-script'
import { REPOSITORY } from '../support/repository'
import { runAsSecondUser } from '../support/second-user'
import { startService, type Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let shared: string
let project: string
let home: string
let service: Service
let theirs: Server
/** Bytes that reached the other user's port. */
let received: string[]

beforeEach(async () => {
  shared = await mkdtemp(path.join(os.tmpdir(), 'runledger-shared-'))
  await chmod(shared, 0o1777)
  project = path.join(shared, 'project')
  home = path.join(shared, 'home')
  for (const folder of [project, home]) await mkdir(folder)
  await writeFile(path.join(project, 'record.mjs'), `${OPEN_EXECUTION}\nawait execution.finish()\n`)
  service = await startService()
  received = []
  theirs = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.writeHead(401).end()
  })
  await new Promise<void>((resolve) => theirs.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  await service.stop()
  await new Promise((resolve) => theirs.close(resolve))
  await rm(shared, { recursive: true, force: true })
})

const theirPort = (): number => (theirs.address() as AddressInfo).port

/** Variables that root sets for reporters of its service. */
const own = (): NodeJS.ProcessEnv => ({
  RUNLEDGER_URL: service.url,
  RUNLEDGER_API_KEY: service.apiKey,
  RUNLEDGER_PROCEDURE_ID: service.procedureId,
})

const record = (env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
  runCommand(process.execPath, ['record.mjs'], {
    dir: project,
    env: { HOME: home, XDG_STATE_HOME: undefined, ...env },
  })

const runledger = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> =>
  runCommand(process.execPath, [CLI, ...args], {
    dir: project,
    env: { HOME: home, XDG_STATE_HOME: undefined, ...env },
  })

/** A configuration of git that runs a command as soon as an object is missing, a hook is called or a file is looked at. */
const HOSTILE_CONFIG = `[core]
	repositoryformatversion = 1
	bare = BARE
	fsmonitor = touch ran
	sshCommand = touch ran
	pager = touch ran
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::sh -c touch% ran
	promisor = true
[protocol "ext"]
	allow = always
[log]
	showSignature = true
[gpg]
	program = touch ran
`.replaceAll('touch', 'FOLDER/touch.sh')

const PLANT = `
  printf '#!/bin/sh\\n/usr/bin/touch FOLDER/ran-by-$(id -u)\\n' > touch.sh; chmod 755 touch.sh
  mkdir -p GIT/objects/pack GIT/refs/remotes/origin GIT/refs/heads
  echo 'ref: refs/heads/main' > GIT/HEAD
  echo 0123456789012345678901234567890123456789 > GIT/refs/heads/main
  echo 0123456789012345678901234567890123456789 > GIT/refs/remotes/origin/main
  echo 'ref: refs/remotes/origin/main' > GIT/refs/remotes/origin/HEAD
  printf '%s' '${HOSTILE_CONFIG}' > GIT/config`

const plantRepository = (git: string, bare: boolean): string =>
  runAsSecondUser(
    PLANT.replaceAll('FOLDER', shared).replaceAll('GIT', git).replace('BARE', String(bare)),
    shared,
  )

describe('files that another user plants above a project of root', { tags: ['second-user'] }, () => {
  it.each([
    ['a repository', '.git', false, {}],
    ['a repository, in a CI', '.git', false, { CI: 'true', GITHUB_ACTIONS: 'true' }],
    ['a bare repository', '.', true, {}],
    ['a bare repository, in a CI', '.', true, { CI: 'true' }],
  ])('%s runs nothing, and is not on record', async (_, git, bare, env) => {
    plantRepository(git, bare)
    const { exitCode, stderr } = await record({ ...own(), ...env })
    expect((await readdir(shared)).filter((name) => name.startsWith('ran'))).toEqual([])
    expect({ exitCode, said: stderr.includes('.git is ignored: another user owns') }).toEqual({
      exitCode: 0,
      said: git === '.git',
    })
    const [run] = await service.readAllRuns()
    expect(Object.keys(run?.metadata ?? {}).filter((name) => /^git_|^repository/.test(name))).toEqual([])
  })

  it('credentials get no result, no file and no question', async () => {
    const credentials = { url: `http://127.0.0.1:${theirPort()}`, api_key: 'rl_user_x', procedure_id: 'P' }
    runAsSecondUser(
      `mkdir .runledger; echo '${JSON.stringify(credentials)}' > .runledger/credentials.json`,
      shared,
    )
    const ignored = '.runledger/credentials.json is ignored: another user owns'
    expect((await record()).stderr).toContain(ignored)
    for (const args of [['runs'], ['open'], ['status'], ['upload']]) await runledger(args)
    expect((await runledger(['runs'])).stderr).toContain(ignored)
    expect(received).toEqual([])
  })

  it('a link in a spool that everybody may write takes no log away', async () => {
    const spool = path.join(shared, 'spool')
    await mkdir(spool)
    await chmod(spool, 0o1777)
    await record({ ...own(), RUNLEDGER_URL: 'http://127.0.0.1:9' })
    const kept = path.join(home, '.local/state/runledger/spool')
    const [ours = ''] = await readdir(kept)
    const [execution = ''] = await readdir(path.join(kept, ours))
    const log = path.join(kept, ours, execution)
    runAsSecondUser(`ln -s ${log} spool/11111111-1111-1111-1111-111111111111`, shared)
    await record({ ...own(), RUNLEDGER_SPOOL_DIR: spool })
    expect(await readdir(log)).toContain('log.jsonl')
    expect(await service.readAllRuns()).toHaveLength(1)
  })
})

describe('an artifact with a spool in it', () => {
  const id = '22222222-2222-2222-2222-222222222222'
  const run = '33333333-3333-4333-8333-333333333333'
  let artifact: string

  /** A spool as an untrusted job may have written it. */
  async function plant(head: object, attachments: object[] = []): Promise<void> {
    artifact = path.join(project, 'artifact')
    const dir = path.join(artifact, id)
    await mkdir(path.join(dir, 'files'), { recursive: true })
    const service_ = { url: service.url, createPath: '/v1/runs/create', updatePath: '/v2/runs/{id}' }
    const first = {
      kind: 'execution',
      version: 1,
      createdAt: new Date().toISOString(),
      service: service_,
      projectRoot: project,
      ...head,
    }
    const request = {
      procedure_id: service.procedureId,
      unit_under_test: { serial_number: 'SN1', part_number: 'P1' },
      run_passed: true,
      started_at: new Date().toISOString(),
      duration: 'PT1S',
      report_variables: { submission_id: run },
      steps: [],
    }
    const line = { kind: 'run', run, finishedAt: new Date().toISOString(), request, attachments }
    await writeFile(path.join(dir, 'log.jsonl'), `${JSON.stringify(first)}\n${JSON.stringify(line)}\n`)
  }

  it('sends the key to no other port', async () => {
    const url = service.url
    for (const createPath of [`@127.0.0.1:${theirPort()}/x`, `.127.0.0.1.nip.io:${theirPort()}/x`]) {
      await plant({ service: { url, createPath, updatePath: `@127.0.0.1:${theirPort()}/{id}` } })
      await runledger(['upload', '--dir', artifact, '--url', url], own())
      await plant({ service: { url, createPath, updatePath: '/v2/runs/{id}' } })
      await record({ ...own(), RUNLEDGER_SPOOL_DIR: artifact })
    }
    expect(received).toEqual([])
  })

  it('brings no file but its own', async () => {
    const secret = path.join(shared, 'shadow')
    await writeFile(secret, 'root:hush')
    const { mtimeMs } = await stat(secret)
    const common = { contentType: 'video/webm', sizeBytes: 9 }
    await plant({}, [
      { ...common, name: 'by-path.bin', path: secret, changedAtMs: mtimeMs },
      { ...common, name: 'by-link.bin', file: '1.bin', sha256: '0'.repeat(64) },
    ])
    await symlink(secret, path.join(artifact, id, 'files/1.bin'))
    await runledger(['upload', '--dir', artifact, '--url', service.url], own())
    const runs = await service.readAllRuns()
    expect(runs).toHaveLength(1)
    expect(runs[0]?.attachments.map(({ name }) => name)).toEqual([])
  })

  it('names no credentials', async () => {
    const credentials = { url: `http://127.0.0.1:${theirPort()}`, api_key: 'rl_user_x', procedure_id: 'P' }
    for (const projectRoot of ['artifact', path.join(project, 'artifact')]) {
      await plant({ projectRoot, service: { url: credentials.url, createPath: '/x', updatePath: '/x' } })
      await mkdir(path.join(artifact, '.runledger'), { recursive: true, mode: 0o700 })
      const file = path.join(artifact, '.runledger/credentials.json')
      await writeFile(file, JSON.stringify(credentials), { mode: 0o600 })
      await runledger(['upload', '--dir', artifact])
      await runledger(['upload'], { RUNLEDGER_SPOOL_DIR: artifact })
    }
    expect(received).toEqual([])
  })
})
