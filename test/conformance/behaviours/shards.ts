import { cp } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'vitest'
import { pick, type Chapter, type Execution, type ExpectedRun, type Scenario } from '../behaviour'
import type { Dialect } from '../dialect'
import type { CommandResult } from '../../support/project'

const HOLDS = "test('holds', () => {})\n"
const FAILS = "test('fails', () => { throw new Error('out of limits') })\n"
const GOOD: ExpectedRun = { file: 'a.test.js', outcome: 'PASS', steps: [['holds', 'PASS']] }
const BAD: ExpectedRun = { file: 'b.test.js', outcome: 'FAIL', steps: [['fails', 'FAIL']] }

function twoFiles(dialect: Dialect, options = ''): Scenario['files'] {
  return {
    ...dialect.config(options),
    'a.test.js': dialect.head + HOLDS,
    'b.test.js': dialect.head + FAILS,
  }
}

/** Runs both shards, one after the other; the exit code is the worse of both. */
async function runShards({ run }: Execution, args: string[] = []): Promise<CommandResult> {
  const results = []
  for (const shard of ['1/2', '2/2']) results.push(await run([`--shard=${shard}`, ...args]))
  const [first, second] = results
  if (!first || !second) throw new Error('two shards ran')
  return {
    ...second,
    exitCode: Math.max(first.exitCode ?? 255, second.exitCode ?? 255),
    stdout: first.stdout + second.stdout,
    stderr: first.stderr + second.stderr,
  }
}

/** Runs both shards with the blob reporter, which replaces ours, then merges what they left. */
export async function mergeShards(execution: Execution): Promise<CommandResult> {
  const { project, target, run, command } = execution
  if (target.framework === 'vitest') {
    await runShards(execution, ['--reporter=blob'])
    return run(['--merge-reports'])
  }
  for (const shard of ['1/2', '2/2']) {
    await run(['--reporter=blob', `--shard=${shard}`])
    await cp(path.join(project.dir, 'blob-report'), path.join(project.dir, 'blobs'), { recursive: true })
  }
  const args = ['merge-reports', '-c', 'playwright.config.js', 'blobs']
  return command({ bin: '@playwright/test/cli.js', args })
}

const BROKEN_FIXTURE = `const bench = test.extend({
    device: [async ({ browserName }, use) => { await use(browserName); throw new Error('no bench') }, { scope: 'worker' }],
  })
  bench('holds', ({ device }) => { void device })\n`

export const SHARDS: Chapter = {
  title: 'Shards',
  behaviours: [
    {
      name: 'the files of each shard are runs that name it',
      isCore: true,
      scenario: (dialect) => ({
        files: twoFiles(dialect),
        exitCode: 1,
        runs: [GOOD, BAD],
        drive: (execution) => runShards(execution),
        check: ({ runs }) => {
          expect(runs.map(({ metadata }) => metadata['shard']).toSorted()).toEqual(['1/2', '2/2'])
        },
      }),
    },
    {
      name: 'a file whose tests are in several shards is a run in each of them',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright shards tests (fullyParallel); others shard whole files.' }
        const steps: ExpectedRun['steps'] = [['fails', 'FAIL']]
        return {
          files: { ...dialect.config('fullyParallel: true,'), 'a.test.js': dialect.head + HOLDS + FAILS },
          exitCode: 1,
          runs: [
            { ...GOOD, variables: { shard: '1/2' } },
            { ...BAD, file: 'a.test.js', steps, variables: { shard: '2/2' } },
          ],
          drive: (execution) => runShards(execution),
        }
      },
    },
    {
      name: 'merged shards are on record once',
      isCore: true,
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has nothing that merges shards.' }
        return {
          files: twoFiles(dialect),
          // Playwright's merge ends with 0 whatever the tests came to.
          exitCode: pick(dialect, { jest: 0, vitest: 1, playwright: 0 }),
          runs: [GOOD, BAD],
          drive: mergeShards,
          ...(dialect.framework === 'playwright' && {
            invariantException: 'merge-reports ends with 0 whatever the merged tests came to.',
          }),
        }
      },
    },
    {
      name: 'the merged shards of one file are one run',
      scenario: (dialect) => {
        if (dialect.framework !== 'playwright')
          return { notPossible: 'Only Playwright shards tests (fullyParallel); others shard whole files.' }
        return {
          files: { ...dialect.config('fullyParallel: true,'), 'a.test.js': dialect.head + HOLDS + FAILS },
          exitCode: 0,
          runs: [
            {
              file: 'a.test.js',
              outcome: 'FAIL',
              steps: [
                ['holds', 'PASS'],
                ['fails', 'FAIL'],
              ],
              unordered: true,
            },
          ],
          drive: mergeShards,
          invariantException: 'merge-reports ends with 0 whatever the merged tests came to.',
        }
      },
    },
    {
      name: 'an unhandled error of a shard is on record when its blob is merged',
      scenario: (dialect) => {
        if (dialect.framework === 'jest') return { notPossible: 'Jest has nothing that merges shards.' }
        if (dialect.framework === 'playwright')
          return {
            files: { ...twoFiles(dialect), 'a.test.js': dialect.head + BROKEN_FIXTURE },
            exitCode: 0,
            runs: [
              GOOD,
              BAD,
              {
                file: '(execution)',
                outcome: 'FAIL',
                steps: [['Unhandled error', 'FAIL']],
                log: ['no bench'],
              },
            ],
            drive: mergeShards,
            invariantException: 'merge-reports ends with 0 whatever the merged tests came to.',
          }
        const late = `test('holds', async () => {
          void Promise.reject(new Error('nobody caught it'))
          await new Promise((done) => setTimeout(done, 200))
        })\n`
        return {
          files: { ...twoFiles(dialect), 'a.test.js': dialect.head + late },
          exitCode: 1,
          runs: [{ ...GOOD, outcome: 'FAIL', steps: [...GOOD.steps, ['Unhandled error', 'FAIL']] }, BAD],
          drive: mergeShards,
        }
      },
    },
    {
      name: 'a shard without files leaves no run of a file, whatever the framework makes of it',
      scenario: (dialect, { release }) => ({
        files: twoFiles(dialect),
        args: ['--shard=3/3'],
        exitCode: pick(dialect, { jest: 1, vitest: 1, playwright: 0 }),
        runs: [],
        ...pick<Partial<Scenario>>(dialect, {
          jest: {
            invariantException:
              'Jest ends its process while it prints that it found no tests, before reporters can do anything (jest-core, runJest).',
          },
          vitest:
            release < 5
              ? { runs: [{ file: '(execution)', outcome: 'FAIL', steps: [['Unhandled error', 'FAIL']] }] }
              : {
                  invariantException:
                    'Vitest 5 refuses more shards than there are files before it calls any reporter (BaseSequencer.shard).',
                },
          playwright: {},
        }),
      }),
    },
  ],
}
