import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerJson,
  startScriptedServer,
  type ScriptedServer,
} from '../../../../test/support/scripted-server'
import { collectGarbage } from '../../../../test/support/collect-garbage'
import { answerWell, record } from '../../../../test/support/scripted-service'
import { createSuite, createTest } from '../../../../test/support/suites'

let server: ScriptedServer
let dir: string

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-verdicts-'))
})

afterEach(async () => {
  await server.stop()
  await rm(dir, { recursive: true, force: true })
})

const RUN = '00000000-0000-4000-8000-000000000001'
const failing = createSuite({
  outcome: 'failed',
  tests: [createTest(['adds'], { outcome: 'failed' }), createTest(['pays'], { outcome: 'failed' })],
})
const verdict = (name: string, of: string) => ({
  run_id: RUN,
  phase_id: name,
  name,
  verdict: of,
  basis: 'merge-base',
})
const VERDICTS = {
  data: [verdict('adds', 'new'), verdict('pays', 'already_failing')],
  counts: { new: 1, already_failing: 1, flaky: 0, first_seen: 0, first_failure: 0, failed_before: 0 },
  more_failures: 0,
}

/** Far below the time for one request and for the end: a run that took less did not wait for the verdicts. */
const NOT_WAITED_MS = 5_000

/** Records a suite at a service that answers so when it is asked for verdicts, or never. */
async function recordAt({
  suite = failing,
  statusCode = 200,
  answer = VERDICTS as unknown,
  silent = false,
} = {}) {
  server = await startScriptedServer((request, response, count) => {
    if (request.path.startsWith('/v2/verdicts'))
      // What limits the wait must not be taken meanwhile.
      return silent ? collectGarbage() : answerJson(response, statusCode, answer)
    if (request.path.startsWith('/v1'))
      return answerJson(response, 200, { id: RUN, url: `http://x.example/${RUN}` })
    return answerWell(request, response, count)
  })
  const summaryFile = path.join(dir, 'summary.md')
  const result = await record([suite], { url: server.url }, { GITHUB_STEP_SUMMARY: summaryFile })
  return { ...result, summary: await readFile(summaryFile, 'utf8') }
}

const listAsked = () => server.requests.filter(({ path: asked }) => asked.startsWith('/v2/verdicts'))

describe('the verdicts of the service', () => {
  it('stands before the link of the last line, and beside each failed test in the job summary', async () => {
    const { printed, summary } = await recordAt()
    expect(printed).toMatch(/1 run on record, failed \(2 failures: 1 new, 1 already failing\): \S+\n/)
    expect(printed.trimEnd().split('\n')).toHaveLength(1)
    expect(summary).toContain('\n\n2 failures: 1 new, 1 already failing\n\n')
    expect(summary).toMatch(/^- \[adds\].* · \*\*new\*\*$/m)
    expect(summary).toMatch(/^- \[pays\].* · \*\*already failing\*\*$/m)
    expect(listAsked().map(({ path: asked }) => asked)).toEqual([`/v2/verdicts?ids=${RUN}`])
  })

  it('is not asked for when nothing failed', async () => {
    const { printed } = await recordAt({ suite: createSuite({ tests: [createTest(['adds'])] }) })
    expect(printed).toMatch(/1 run on record, passed: \S+\n$/)
    expect(listAsked()).toEqual([])
  })

  it.each([
    ['a service that does not know of it', { statusCode: 404, answer: { message: 'not found' } }],
    ['a service that says something else', { answer: { data: [] } }],
    ['a service that does not answer', { silent: true }],
  ])('is left out by %s, which costs nothing but one request', async (_name, service) => {
    const { status, printed, tookMs } = await recordAt(service)
    expect(status).toBe('uploaded')
    expect(printed).toMatch(/1 run on record, failed: \S+\n$/)
    expect(listAsked()).toHaveLength(1)
    expect(tookMs).toBeLessThan(NOT_WAITED_MS)
  })
})

it('a service that cannot say it now is not waited for', async () => {
  const { status, printed, tookMs } = await recordAt({ statusCode: 503, answer: {} })
  expect(status).toBe('uploaded')
  expect(tookMs).toBeLessThan(NOT_WAITED_MS)
  expect(printed).toMatch(/1 run on record, failed: \S+\n$/)
})

it('says once, in the terminal and in the job summary, that the default branch is not known', async () => {
  const alone = { ...verdict('adds', 'first_seen'), basis: 'none', default_branch_unknown: true }
  const answer = { ...VERDICTS, data: [alone, alone] }
  const { printed, summary } = await recordAt({ answer })
  const told = 'The default branch is not known, so failures are compared with their own branch alone'
  expect(printed).toMatch(/1 run on record, failed: \S+\nRunledger: The default branch is not known/)
  expect(printed).toContain('RUNLEDGER_DEFAULT_BRANCH')
  for (const text of [printed, summary]) expect(text.split(told)).toHaveLength(2)
})
