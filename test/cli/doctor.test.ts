import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createNodeProject } from '../frameworks/node-test-projects'
import { drawCases } from '../support/draw'
import { createProject, newestVersion, type Project, runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { type Bypass, BYPASSES } from './bypass-projects'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

let service: Service
let project: Pick<Project, 'dir' | 'remove'>

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

afterEach(() => project.remove())

const PACKAGES = {
  jest: ['jest', '@runledger/jest'],
  vitest: ['vitest', '@runledger/vitest'],
  playwright: ['@playwright/test', '@runledger/playwright'],
  'node:test': ['@runledger/node-test'],
}

async function open({ framework, scripts, files }: Bypass): Promise<void> {
  const devDependencies = Object.fromEntries(PACKAGES[framework].map((name) => [name, '*']))
  const manifest = { name: '@acme/lamp', scripts, workspaces: ['packages/*'], devDependencies }
  const given = { 'package.json': `${JSON.stringify(manifest, undefined, 2)}\n`, ...files }
  project =
    framework === 'node:test'
      ? await createNodeProject(given)
      : await createProject({ framework, version: newestVersion(framework), files: given })
}

function call(command: string, args: string[] = []) {
  return runCommand(process.execPath, [CLI, command, ...args], {
    dir: project.dir,
    env: { XDG_STATE_HOME: `${project.dir}.state` },
    service,
  })
}

interface Report {
  ok: boolean
  findings: { check: string; status: string; code?: string; message: string }[]
}

async function examine(): Promise<Report> {
  const { stdout, stderr } = await call('doctor', ['--json'])
  expect(stdout, stderr).toMatch(/^\{/)
  return JSON.parse(stdout) as Report
}

const listFaults = ({ findings }: Report) => findings.filter(({ status }) => status === 'fault')

async function runScript(dir = '.') {
  const env = { XDG_STATE_HOME: `${project.dir}.state` }
  return runCommand('npm', ['test'], { dir: path.join(project.dir, dir), env })
}

describe('a command that leaves the reporter out', () => {
  it.each(drawCases('ways around the reporter', BYPASSES, 4))('$framework: $what', async (bypass) => {
    await open(bypass)
    const said = expect.stringMatching(bypass.said) as unknown
    expect(listFaults(await examine())).toMatchObject([{ code: bypass.code, message: said }])

    const done = await call('init', ['--yes', '--no-install'])
    expect(done).toMatchObject({ exitCode: 0, stderr: '' })
    if (bypass.left) {
      expect(done.stdout).toMatch(bypass.left)
      expect(done.stdout).not.toContain('Run your tests as usual')
      return
    }
    expect(done.stdout).toContain('Run your tests as usual')
    // A framework is given 5 seconds to answer: on a crowded machine it may need another try.
    await expect
      .poll(async () => (await examine()).findings.filter(({ status }) => status !== 'ok'), {
        timeout: 60_000,
      })
      .toEqual([])
    const { stdout, stderr } = await runScript(bypass.dir)
    const [, link = ''] = /Runledger: 1 run on record, passed: (\S+)/.exec(stdout + stderr) ?? []
    expect(link, stdout + stderr).not.toBe('')
    const run = await service.readRun(link.split('/').at(-1) ?? '')
    expect(run).toMatchObject({ outcome: 'PASS', metadata: { framework: bypass.framework } })
  })
})
