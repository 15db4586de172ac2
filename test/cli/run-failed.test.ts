import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
import { type Service, startService } from '../support/service'
import { KINDS, type Kind, ON_RECORD, type RerunProject } from './run-failed-projects'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

interface Ran {
  tests: string[]
  projects: string[]
}

const readRerun = new Set<string>()

/** Lists the tests on record that `run --failed` ran since the last call. */
async function listRan(): Promise<Ran> {
  const listed = await service.listRuns('&include_metadata=true')
  const runs = listed.filter(({ id, metadata }) => metadata?.['failed_rerun'] && !readRerun.has(id))
  const tests: string[] = []
  for (const { id } of runs) {
    readRerun.add(id)
    const { phases } = await service.readRun(id)
    tests.push(
      ...phases.filter(({ kind, outcome }) => kind === 'test' && outcome !== 'SKIP').map(({ name }) => name),
    )
  }
  const projects = new Set(runs.map(({ metadata }) => String(metadata?.['project'])))
  return { tests: tests.toSorted(), projects: [...projects].toSorted() }
}

const FAILED = [...ON_RECORD, 'adds 2', 'first › same', 'outer › inner › fails elsewhere', 'renamed']

/** Lists tests that run, too, because they have the same title. Node before 22 does not distinguish them. */
function listIndistinct({ framework, version }: Kind): string[] {
  const oldest = Math.min(Number(version), Number.parseInt(process.versions.node, 10))
  return framework === 'node:test' && oldest < 22 ? ['second › same'] : []
}

let builds = 0

async function runBuild({ runShard }: RerunProject, env: Record<string, string> = {}): Promise<string> {
  const group = `build-${(builds += 1)}`
  for (const shard of [1, 2]) await runShard(shard, { RUNLEDGER_GROUP: group, ...env })
  return group
}

describe.each(drawCases('frameworks with reruns', KINDS, 2))('runledger run --failed with $name', (kind) => {
  let project: RerunProject

  beforeAll(async () => {
    project = await kind.create(service)
  })

  afterAll(() => project.remove())

  it('runs the failed tests of all shards and no others, until none is left', async () => {
    const group = await runBuild(project)
    const args = ['run', '--failed', '--build', group, '--', ...project.command]
    const inGroup = { RUNLEDGER_GROUP: group }
    const again = await project.runledger(args, inGroup)
    const ran = await listRan()
    // Two projects have these tests.
    const twice = kind.framework === 'playwright' ? ['outer › inner › fails elsewhere', 'renamed'] : []
    expect(ran.tests, again.stdout + again.stderr).toEqual(
      [...FAILED, ...twice, ...listIndistinct(kind)].toSorted(),
    )
    if (kind.framework === 'playwright') expect(ran.projects).toEqual(['quick', 'slow (x)'])
    const count = FAILED.length + twice.length
    expect(again.stderr).toContain(
      `${count} of ${count} failed tests ran again: 0 passed, ${count} failed, 0 did not run.`,
    )
    expect(again.exitCode).toBe(1)

    const fixed = await project.runledger(args, { ...inGroup, FIXED: '1' })
    expect(fixed.stderr).toContain(`${count} of ${count} failed tests ran again: ${count} passed, 0 failed`)
    expect(fixed.exitCode).toBe(0)
    expect((await listRan()).tests).toEqual(ran.tests)

    const none = await project.runledger(args, inGroup)
    expect(none.stdout).toBe(`Nothing to run again in build ${group} (${kind.framework}, failed).\n`)
    expect(none.exitCode).toBe(0)
    expect((await listRan()).tests).toEqual([])
  })

  it('runs the new tests of a build again, and no others', async () => {
    await runBuild(project, { FIXED: '1' })
    const name = `new with ${kind.name}`
    await addTest(project, name)
    const group = await runBuild(project, { FIXED: '1' })
    const repeat = async (env: Record<string, string>) => {
      const args = ['run', '--repeat-new', '0', '--json', '--build', group, '--', ...project.command]
      const { exitCode, stdout } = await project.runledger(args, env)
      const { new: tests } = JSON.parse(stdout) as { new: { name: string; failed_in: number | null }[] }
      return [exitCode, tests.map((test) => [test.name, test.failed_in])]
    }
    const projects = kind.framework === 'playwright' ? [1, 2] : [1]
    expect(await repeat({})).toEqual([0, projects.map(() => [name, null])])
    expect(await repeat({ LOSES: '1' })).toEqual([1, projects.map(() => [name, 1])])
  })
})

/** Adds a file with one test, which fails while LOSES is set. */
async function addTest({ dir }: RerunProject, name: string): Promise<void> {
  const folder = path.join(dir, 'tests [x]')
  const green = (await readdir(folder)).find((file) => file.startsWith('green')) ?? ''
  const text = await readFile(path.join(folder, green), 'utf8')
  const added = text
    .replace('is green', name)
    .replace('{  }', "{ if (process.env.LOSES) throw new Error('off by one') }")
  await writeFile(path.join(folder, green.replace('green', 'added')), added)
}

it.each(drawCases('frameworks with files that do not load', KINDS, 2))(
  'runledger run --failed runs a file that could not be loaded, and names a test that did not run again: $name',
  async (kind) => {
    const project = await kind.create(service)
    try {
      const group = await runBuild(project, { BROKEN: '1' })
      const args = ['run', '--failed', '--build', group, '--', ...project.command]
      const again = await project.runledger(args, { FIXED: '1', RENAMED: 'another name' })
      const { tests } = await listRan()
      expect(tests, again.stdout + again.stderr).toEqual(
        expect.arrayContaining(['of the file', 'of the file, too']),
      )
      expect(tests).not.toContain('renamed')
      // Playwright ran no test before, so all of them run now.
      const isPlaywright = kind.framework === 'playwright'
      expect(tests.includes('is green')).toBe(isPlaywright)
      expect(again.stderr).toMatch(
        isPlaywright
          ? /^1 of 1 failed file ran again: 1 passed, 0 failed, 0 did not run\.$/m
          : /^Did not run: tests \[x\]\/more\.test\.m?js › renamed$/m,
      )
      expect(again.exitCode).toBe(isPlaywright ? 0 : 1)
    } finally {
      await project.remove()
    }
  },
)
