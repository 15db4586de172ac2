import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunDetail } from '@runledger/protocol'
import { createProject, listVersions, neededNode, type Framework, type Project } from '../support/project'
import { startService, type Service } from '../support/service'

const FLOOD = 4_000
const BODY = `
test('first', async () => {
  console.log('said by first')
  console.error('complained by first')
})
test('second', async () => {
  console.log('said by second')
  throw new Error('second fails')
})
if (process.env.FLOOD) test('floods', async () => {
  for (let n = 0; n < ${FLOOD}; n += 1) console.log('flood ' + n + ' ' + 'x'.repeat(1500))
})
`
const FILES: Record<Framework, Record<string, string>> = {
  jest: { 'jest.config.js': "module.exports = { reporters: ['@runledger/jest'] }", 'a.test.js': BODY },
  vitest: {
    'vitest.config.mjs': "export default { test: { reporters: ['@runledger/vitest'] } }",
    'a.test.js': `import { test } from 'vitest'${BODY}`,
  },
  playwright: {
    'playwright.config.js': "module.exports = { reporter: [['@runledger/playwright']] }",
    'a.test.js': `const { test } = require('@playwright/test')${BODY}`,
  },
}

let service: Service
const projects: Project[] = []

beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
  await Promise.all(projects.map((project) => project.remove()))
})

async function run(framework: Framework, env: Record<string, string> = {}): Promise<RunDetail> {
  const version = listVersions(framework).findLast((each) => neededNode(framework, each) === undefined)
  const project = await createProject({ framework, version: version as string, files: FILES[framework] })
  projects.push(project)
  const { exitCode, stderr } = await project.run({ service, env })
  expect(exitCode, stderr).toBe(1)
  return (await service.readAllRuns()).at(-1) as RunDetail
}

async function readLog(framework: Framework, env: Record<string, string> = {}): Promise<string> {
  return String(await service.download(await run(framework, env), 'a.test.js.log'))
}

/** What a log has of one test. */
function findBlock(log: string, title: string): string {
  const [, block = ''] = new RegExp(`^([✓✗] \\w+ +${title} .*\n(?: .*\n|\n)*)`, 'm').exec(log) ?? []
  return block
}

it.each(['vitest', 'playwright'] as const)(
  '%s: has the console of each test under it, stream by stream, with the time',
  async (framework) => {
    const log = await readLog(framework)
    const first = findBlock(log, 'first').replaceAll(/ \d{4}-[-\d]+T[:.\d]+Z.*$/gm, ' at <time>')
    expect(first.split('\n').slice(1)).toEqual([
      '    stdout at <time>',
      '      | said by first',
      '    stderr at <time>',
      '      | complained by first',
      '',
    ])
    expect(findBlock(log, 'second')).toContain('      | said by second\n')
    expect(log.match(/\| said by/g)).toHaveLength(2)
  },
)

it.each(listVersions('jest').filter((version) => neededNode('jest', version) === undefined))(
  'jest %s: has it so with the set-up file, in workers and retries and among concurrent tests',
  async (version) => {
    const body = `
      console.log('said at the head')
      let tries = 0
      jest.retryTimes(1)
      test('retried', () => { console.log('try ' + ++tries); if (tries < 2) throw new Error('once more') })
      test.concurrent('slow', async () => { await new Promise((end) => setTimeout(end, 50)); console.log('by slow') })
      test.concurrent('quick', async () => { console.error('by quick') })
      afterAll(() => console.log('said at the end'))`
    const config = `module.exports = {
      setupFilesAfterEnv: ['@runledger/jest/console'], reporters: ['default', '@runledger/jest'] }`
    const files = { 'jest.config.js': config, 'a.test.js': body, 'b.test.js': body }
    const project = await createProject({ framework: 'jest', version, files })
    projects.push(project)
    const { exitCode, stdout, stderr } = await project.run({ service })
    expect(exitCode, stderr).toBe(0)
    // Jest itself prints where the call was made, as ever.
    expect(stdout + stderr).toMatch(/by slow\n[^]*?a\.test\.js:\d+/)
    for (const found of (await service.readAllRuns()).slice(-2)) {
      const log = String(await service.download(found, `${String(found.metadata['file'])}.log`))
      expect(findBlock(log, 'retried')).toMatch(/attempt 1: failed[^]*try 1[^]*attempt 2: passed[^]*try 2/)
      expect(findBlock(log, 'slow')).toMatch(/stdout \S+ \S+\n +\| by slow\n$/)
      expect(findBlock(log, 'quick')).toMatch(/stderr \S+ \S+\n +\| by quick\n$/)
      expect(log.match(/\| (said|by|try) /g)).toHaveLength(6)
      expect(log).toMatch(/\nstdout [^]*said at the head[^]*said at the end/)
    }
  },
)

it.each(['jest', 'vitest', 'playwright'] as const)(
  '%s: leaves the middle of a flood out, and says so',
  async (framework) => {
    const log = await readLog(framework, { FLOOD: 'on' })
    const numbers = [...log.matchAll(/flood (\d+)/g)].map(([, n]) => Number(n))
    expect([numbers[0], numbers.at(-1)]).toEqual([0, FLOOD - 1])
    expect(numbers.length).toBeLessThan(FLOOD / 2)
    expect(log.match(/… \d+ characters of output left out here/g)).toHaveLength(1)
  },
)

it.each(['jest', 'vitest', 'playwright'] as const)(
  '%s: has no log when none is wanted',
  async (framework) => {
    const { attachments } = await run(framework, { RUNLEDGER_LOGS: 'false' })
    expect(attachments.filter(({ name }) => name.endsWith('.log'))).toEqual([])
  },
)
