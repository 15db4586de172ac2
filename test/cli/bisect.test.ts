import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
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
  skipped: { commit: string; reason: string }[]
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

/** Checks that the user's own working tree is unchanged, and that no other remains. */
async function expectUntouched({ git, dir }: PlantedRepository, head: string): Promise<void> {
  expect(git('status', '--porcelain')).toBe('')
  expect(git('rev-parse', '--abbrev-ref', 'HEAD')).toBe(head)
  expect(git('worktree', 'list').split('\n')).toHaveLength(1)
  const left = await readdir(path.join(dir, '../tmp'))
  expect(left.filter((name) => name.startsWith('runledger-bisect-'))).toEqual([])
}

const listStates = ({ dir }: PlantedRepository) => readdir(path.join(dir, '.git/runledger'))

it.each(PLANS.slice(0, Number(SOAK_REPOSITORIES ?? 1)))(
  'finds the commit that made a test fail: $name',
  async (plan) => {
    const repository = await plant(plan)
    const readHistory = async () => (await repository.runledger(['test', plan.name, '--json'])).stdout
    const history = await readHistory()
    // The setup of an old commit gets no key.
    const setup = `test -z "$RUNLEDGER_API_KEY" && ${repository.setup}`
    const args = ['bisect', plan.name, '--setup', setup, '--json']
    const begun = await repository.runledger([...args, '--limit', '2', '--', ...COMMAND])
    expect(begun).toMatchObject({ exitCode: 1 })
    expect(JSON.parse(begun.stdout)).toMatchObject({ verdict: 'open', commit: null })
    await expectUntouched(repository, 'main')
    const [state = ''] = await listStates(repository)
    expect((await stat(path.join(repository.dir, '.git/runledger', state))).mode & 0o777).toBe(0o600)

    const ended = await repository.runledger([...args, '--', ...COMMAND])
    expect(ended.stderr).toContain('Continuing after 2 executions.')
    const answer = JSON.parse(ended.stdout) as Answer
    console.log(JSON.stringify({ plan, ...answer, suspects: undefined }))
    expect({ exitCode: ended.exitCode, ...answer }).toMatchObject({
      exitCode: 0,
      verdict: 'found',
      commit: repository.bad,
    })
    expect(answer.probability).toBeGreaterThanOrEqual(0.98)
    await expectUntouched(repository, 'main')
    expect(await listStates(repository)).toEqual([])
    expect(JSON.parse(history)).toMatchObject({ name: plan.name })
    expect(await readHistory()).toBe(history)
  },
  3_600_000,
)

describe('in a small repository', () => {
  let repository: PlantedRepository
  const name = 'adds up'

  beforeAll(async () => {
    repository = await plant({ name, commits: 8, bad: 4, rate: 1 })
  })

  afterEach(() => rm(path.join(repository.dir, '.git/runledger'), { recursive: true, force: true }))

  const bisect = (setup: string, ...options: string[]) =>
    repository.runledger(['bisect', name, '--setup', setup, ...options, '--', ...COMMAND])
  const at = (number: number) => repository.line[number] ?? ''
  const onlyAt = (commit: string, script: string) =>
    `${repository.setup}; [ $(git rev-parse HEAD) != ${commit} ] || { ${script}; }`

  it('names the commits that only a skipped one could distinguish, and why it was skipped', async () => {
    const { exitCode, stdout, stderr } = await bisect(onlyAt(at(3), 'echo no compiler; exit 3'))
    expect(exitCode).toBe(1)
    const [third, fourth] = [at(3), at(4)].map((commit) => commit.slice(0, 12))
    expect(stdout).toContain(`${third} or ${fourth}`)
    expect(stdout).toContain(`1 commit without a result:\n  ${third}  the setup ended with 3\n`)
    expect(stderr.split(`${third} skipped (the setup ended with 3)`)).toHaveLength(3)
    expect(stderr).toContain('It printed at the end:\nno compiler\n')
    await expectUntouched(repository, 'main')
    expect(await listStates(repository)).toEqual([])
  })

  it('tries a commit without a result again', async () => {
    const marker = path.join(repository.dir, '../tried')
    const setup = onlyAt(at(3), `test -e ${marker} || { touch ${marker}; exit 1; }`)
    const { exitCode, stdout } = await bisect(setup, '--json')
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'found', commit: repository.bad, skipped: [] })
    expect(exitCode).toBe(0)
  })

  it('skips a commit that cannot be checked out', async () => {
    const blob = repository.git('rev-parse', `${at(3)}:number.txt`)
    const file = path.join(repository.dir, '.git/objects', blob.slice(0, 2), blob.slice(2))
    await rename(file, `${file}.lost`)
    const { exitCode, stdout } = await bisect(repository.setup, '--json')
    await rename(`${file}.lost`, file)
    const reason = expect.stringContaining('git checkout: ') as string
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'skipped', skipped: [{ commit: at(3), reason }] })
    expect(exitCode).toBe(1)
    await expectUntouched(repository, 'main')
  })

  it('continues when the first commits have no result', async () => {
    const broken = [2, 3, 5, 6].map(at).join(' ')
    const { stdout } = await bisect(
      `${repository.setup}; for c in ${broken}; do [ $(git rev-parse HEAD) != $c ] || exit 1; done`,
      '--json',
    )
    expect((JSON.parse(stdout) as Answer).executions).toBeGreaterThan(1)
  })

  it('refuses to continue a search with other options', async () => {
    await bisect(repository.setup, '--limit', '1')
    const state = await listStates(repository)
    const other = await bisect('true', '--good', at(1), '--bad', 'main', '--branch', 'main')
    expect(other).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /setup was ".*" and is "true", good was null and is ".*", bad was null and is "main", branch was null and is "main"/,
      ) as string,
    })
    const command = await repository.runledger(['bisect', name, '--setup', repository.setup, '--', 'true'])
    expect(command).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/command was .* and is \["true"\]/) as string,
    })
    expect(await listStates(repository)).toEqual(state)
  })

  it('removes no other working trees, even missing ones or one that its state names', async () => {
    const { git, dir } = repository
    const away = path.join(dir, '../away')
    const victim = path.join(dir, '../victim')
    git('worktree', 'add', '--quiet', '--detach', away)
    await rename(away, `${away}.unmounted`)
    await mkdir(path.join(victim, 'tree'), { recursive: true })
    await bisect(repository.setup, '--limit', '1')
    const file = path.join(dir, '.git/runledger', (await listStates(repository))[0] ?? '')
    const state = JSON.parse(await readFile(file, 'utf8')) as object
    await writeFile(file, JSON.stringify({ ...state, worktree: path.join(victim, 'tree') }))
    await bisect(repository.setup, '--limit', '1')
    expect(git('worktree', 'list')).toContain(away)
    expect(existsSync(victim)).toBe(true)
    await rename(`${away}.unmounted`, away)
    git('worktree', 'remove', away)
  })

  it('removes the working tree of a search that was killed', async () => {
    const { git, dir } = repository
    const left = path.join(dir, '../tmp/runledger-bisect-abc123/widget')
    git('worktree', 'add', '--quiet', '--detach', left)
    await bisect(repository.setup, '--limit', '1')
    await expectUntouched(repository, 'main')
  })

  it('refuses to run twice at the same time', async () => {
    const first = bisect(`${repository.setup}; sleep 3`, '--limit', '1')
    await expect.poll(() => listStates(repository).catch(() => []), { timeout: 20_000 }).not.toEqual([])
    expect(await bisect(repository.setup)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('another bisect runs in this repository') as string,
    })
    expect(JSON.stringify(await first)).toContain('The search is not finished')
  })

  it('ends its commands and removes its working tree when it is stopped, and continues later', async () => {
    const survived = path.join(repository.dir, '../survived')
    const setup = `${repository.setup}; [ ! -e ${survived}.slow ] || { (sleep 4; touch ${survived}) & sleep 30; }`
    await bisect(setup, '--limit', '1')
    await writeFile(`${survived}.slow`, '')
    const args = ['bisect', name, '--setup', setup, '--', ...COMMAND]
    const stopped = await repository.runledger(args, /Continuing after 1 execution/)
    expect(stopped).toMatchObject({ exitCode: 1, signal: null })
    await expectUntouched(repository, 'main')
    await rm(`${survived}.slow`)
    const { stdout, stderr } = await bisect(setup, '--json')
    expect(stderr).toContain('Continuing after 1 execution.')
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'found', commit: repository.bad })
    expect(existsSync(survived)).toBe(false)
  })

  it('ends at once, with its commands, at a second signal', async () => {
    const survived = path.join(repository.dir, '../survived-twice')
    const script = `trap '' INT; touch ${survived}.began; sleep 4; touch ${survived}`
    const stop = async (pid: number) => {
      await expect.poll(() => existsSync(`${survived}.began`), { timeout: 20_000 }).toBe(true)
      process.kill(pid, 'SIGHUP')
      await setTimeout(200)
      process.kill(pid, 'SIGTERM')
    }
    const exitCode = await repository.start(['prove-fixed', name, '--', 'sh', '-c', script], stop)
    expect(exitCode).toBe(128 + 15)
    await setTimeout(4_500)
    expect(existsSync(survived)).toBe(false)
  })

  it('blames the command if it never leaves a result', async () => {
    const { exitCode, stderr } = await repository.runledger(['bisect', name, '--', 'echo', 'no tests'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/none of the first 3 tries left a result; the last one: .*\n.*\nno tests/)
    await expectUntouched(repository, 'main')
  })

  it('proves that the test is fixed, or not', async () => {
    const unfixed = await repository.runledger(['prove-fixed', name, '--json', '--', ...COMMAND])
    expect(unfixed.exitCode).toBe(1)
    expect(JSON.parse(unfixed.stdout)).toMatchObject({
      verdict: 'not_fixed',
      executions: 1,
      error: expect.stringContaining('off by one') as string,
    })
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
