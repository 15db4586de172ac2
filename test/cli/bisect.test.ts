import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type Service } from '../support/service'
import {
  COMMAND,
  plantRepository,
  type PlantedRepository,
  putOnRecord,
  type RepositoryPlan,
} from './bisect-repositories'

interface Answer {
  verdict: string
  commit: string | null
  probability: number
  executions: number
  skipped: number
  suspects: { commits: string }[]
}

/** `npm run soak -- bisect` runs all of them, with 256 commits each. */
const { SOAK_REPOSITORIES } = process.env
const COMMITS = SOAK_REPOSITORIES === undefined ? 32 : 256
const PLANS: RepositoryPlan[] = [
  { name: 'adds in a folder', commits: COMMITS, bad: 11, rate: 0.6, folder: 'packages/sum' },
  { name: 'adds rarely', commits: COMMITS, bad: COMMITS - 40, rate: 0.25 },
  { name: 'adds after merges', commits: COMMITS, bad: 100, rate: 0.5, merges: true },
  {
    name: 'adds between broken commits',
    commits: COMMITS,
    bad: 57,
    rate: 0.9,
    broken: [20, 21, 22, 128, 129, 192],
  },
  { name: 'adds once', commits: COMMITS, bad: 1, rate: 0.4 },
]

let service: Service
const planted: PlantedRepository[] = []

beforeAll(async () => {
  service = await startService()
})

afterAll(async () => {
  await service.stop()
  await Promise.all(planted.map((repository) => repository.remove()))
})

async function plant(plan: RepositoryPlan): Promise<PlantedRepository> {
  const repository = await plantRepository(plan, service)
  planted.push(repository)
  await putOnRecord(repository)
  return repository
}

/** The user's own working tree is as it was, and nothing else is left. */
async function expectUntouched({ git, dir }: PlantedRepository, head: string): Promise<void> {
  expect(git('status', '--porcelain')).toBe('')
  expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe(head)
  expect(git('worktree', 'list').split('\n')).toHaveLength(1)
  const left = await readdir(path.join(dir, '../tmp'))
  expect(left.filter((name) => name.startsWith('runledger-bisect-'))).toEqual([])
}

it.each(PLANS.slice(0, Number(SOAK_REPOSITORIES ?? 1)))(
  'finds the commit that made a test fail: $name',
  async (plan) => {
    const repository = await plant(plan)
    const args = ['bisect', plan.name, '--setup', repository.setup, '--json']
    const begun = await repository.runledger([...args, '--limit', '2', '--', ...COMMAND])
    expect(begun).toMatchObject({ exitCode: 1 })
    expect(JSON.parse(begun.stdout)).toMatchObject({ verdict: 'open', commit: null })
    await expectUntouched(repository, 'main')

    const ended = await repository.runledger([...args, '--', ...COMMAND])
    expect(ended.stderr).toContain(`after 2 executions of before`)
    const answer = JSON.parse(ended.stdout) as Answer
    console.log(JSON.stringify({ plan, ...answer, suspects: undefined }))
    expect({ exitCode: ended.exitCode, ...answer }).toMatchObject({
      exitCode: 0,
      verdict: 'found',
      commit: repository.bad,
    })
    expect(answer.probability).toBeGreaterThanOrEqual(0.98)
    await expectUntouched(repository, 'main')

    const again = await repository.runledger([...args, '--', ...COMMAND])
    expect(JSON.parse(again.stdout)).toMatchObject({ commit: repository.bad, executions: answer.executions })
    const other = await repository.runledger([...args, '--', 'true'])
    expect(other).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--restart') as unknown })
  },
)

describe('in a small repository', () => {
  let repository: PlantedRepository
  const name = 'adds up'

  beforeAll(async () => {
    repository = await plant({ name, commits: 8, bad: 4, rate: 1, broken: [3] })
  })

  it('names the commits that a skipped one could tell apart', async () => {
    const { exitCode, stdout, stderr } = await repository.runledger([
      'bisect',
      name,
      '--setup',
      repository.setup,
      '--',
      ...COMMAND,
    ])
    expect(exitCode).toBe(1)
    const [third = '', fourth = ''] = repository.line.slice(3, 5).map((commit) => commit.slice(0, 12))
    expect(stdout).toContain(`it is one of ${third} or ${fourth}`)
    expect(stdout).toContain('1 commit skipped')
    expect(stderr).toContain(`${third} skipped`)
    await expectUntouched(repository, 'main')
  })

  it('removes its working tree when it is stopped', async () => {
    const args = ['bisect', name, '--restart', '--setup', `${repository.setup}; sleep 2`]
    const stopped = await repository.runledger([...args, '--', ...COMMAND], / 1 {2}[\da-f]{12} /)
    expect(stopped).toMatchObject({ exitCode: 1, signal: null })
    await expectUntouched(repository, 'main')
  })

  it('says that a command which records nothing is at fault', async () => {
    const { exitCode, stderr } = await repository.runledger([
      'bisect',
      name,
      '--restart',
      '--',
      'echo',
      'no tests',
    ])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/no commit of 3 had a result; the last: .*\nno tests/)
    await expectUntouched(repository, 'main')
  })

  it('proves that the test is fixed, or not', async () => {
    const unfixed = await repository.runledger(['prove-fixed', name, '--json', '--', ...COMMAND])
    expect(unfixed.exitCode).toBe(1)
    expect(JSON.parse(unfixed.stdout)).toMatchObject({ verdict: 'not_fixed', executions: 1 })
    await writeFile(path.join(repository.project, 'rate.txt'), '0')
    const fixed = await repository.runledger(['prove-fixed', name, '--json', '--', ...COMMAND])
    const proof = JSON.parse(fixed.stdout) as { executions: number; needed: number; chance_unfixed: number }
    expect({ exitCode: fixed.exitCode, ...proof }).toMatchObject({
      exitCode: 0,
      verdict: 'proven',
      executions: proof.needed,
    })
    expect(proof.chance_unfixed).toBeLessThanOrEqual(0.05)
    expect(existsSync(path.join(repository.project, 'node_modules'))).toBe(true)
  })
})
