import type { Suite as PlaywrightSuite } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { planShard } from './plan-shard'

interface Project {
  files: string[]
  dependencies?: string[]
  teardown?: string
}

/** Plans the second of two shards, which runs `own`. Returns the files that were asked for, and what was excluded. */
async function plan(
  projects: Record<string, Project>,
  own: string[] | undefined,
  shard: { current: number; total: number } | null = { current: 2, total: 2 },
): Promise<{ asked: unknown; excluded: string[]; isOurs: boolean }> {
  let asked: unknown
  let isOurs = false
  const excluded: string[] = []
  const suites = Object.entries(projects).map(([name, { files, dependencies = [], teardown }]) => ({
    title: name,
    project: () => ({ name, dependencies, teardown }),
    suites: files.map((file) => ({ title: `${name}/${file}`, location: { file: `/lamp/e2e/${file}` } })),
  }))
  await planShard(
    {
      config: { shard },
      suite: { suites } as unknown as PlaywrightSuite,
      testRun: {
        exclude: ({ title }) => excluded.push(title),
        skipSharding: () => (isOurs = true),
      },
    },
    {
      rootDir: '/lamp',
      take: async (suite) => {
        asked = suite
        return own && new Set(own)
      },
    },
  )
  return { asked, excluded, isOurs }
}

describe('planShard', () => {
  it('excludes the files of other shards in each project, and whole projects without files', async () => {
    const projects = { web: { files: ['a.ts', 'b.ts'] }, phone: { files: ['a.ts'] } }
    expect(await plan(projects, ['e2e/b.ts'])).toEqual({
      asked: {
        framework: 'playwright',
        shard: { index: 2, total: 2 },
        files: ['e2e/a.ts', 'e2e/b.ts', 'e2e/a.ts'],
      },
      excluded: ['web/a.ts', 'phone'],
      isOurs: true,
    })
  })

  it('neither divides nor excludes projects that others need', async () => {
    const projects = {
      login: { files: ['login.ts'], teardown: 'logout' },
      logout: { files: ['logout.ts'] },
      web: { files: ['a.ts', 'b.ts'], dependencies: ['login'] },
    }
    const planned = await plan(projects, ['e2e/a.ts'])
    expect(planned).toMatchObject({ asked: { files: ['e2e/a.ts', 'e2e/b.ts'] }, excluded: ['web/b.ts'] })
  })

  it.each([
    ['without a plan', undefined, undefined],
    ['without --shard', ['e2e/a.ts'], null],
  ])('leaves the tests to Playwright %s', async (_when, own, shard) => {
    const planned = await plan({ web: { files: ['a.ts', 'b.ts'] } }, own, shard)
    expect(planned).toMatchObject({ excluded: [], isOurs: false })
  })
})
