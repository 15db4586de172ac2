import { createServer, resolveServerConfig, type RunningServer } from '@runledger/server'
import { lstat, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { main } from '../main'

let server: RunningServer
let folder: string

const LAMP = `<testsuites id="" name="" errors="0" time="1"><testsuite name="lamp.spec.ts" hostname="bench" timestamp="2026-01-02T03:04:05.000Z" time="3">
  <testcase name="lamp › lights &lt;&amp;&gt;" classname="lamp.spec.ts" time="1"><properties><property name="owner" value="@lamps"/></properties></testcase>
  <testcase name="is red" classname="lamp.spec.ts" time="1"><failure message="=green">at lamp:1</failure><rerunFailure message="=blue"><stackTrace>at lamp:2</stackTrace></rerunFailure></testcase>
  <testcase name="flickers" classname="lamp.spec.ts" time="1"><flakyFailure message="dark">at lamp:3</flakyFailure></testcase>
  <testcase name="is blue" classname="lamp.spec.ts"><skipped message="no lamp"/></testcase>
</testsuite></testsuites>`
const BULB =
  '<testsuite name="bulb" errors="1" timestamp="2026-02-01T00:00:00Z"><testcase name="fits" time="0.5"/></testsuite>'

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-export-'))
  const data = path.join(folder, '.runledger')
  server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  await writeFile(path.join(folder, 'lamp.xml'), LAMP)
  await writeFile(path.join(folder, 'bulb.xml'), BULB)
  expect((await run(['import', 'lamp.xml', '--group', 'g1'])).code).toBe(0)
  expect((await run(['import', 'bulb.xml', '--group', 'g2'])).code).toBe(0)
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(argv: string[]) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
    write: async (text: string) => void (written.out += text),
  }
  const code = await main(argv, output, { cwd: folder, env: { XDG_STATE_HOME: path.join(folder, 'state') } })
  return { code, ...written }
}

const STEP = { step_passed: true, duration: 'PT1S', started_at: '2026-03-01T00:00:00Z' }

async function create(given: object): Promise<void> {
  const credentials = await readFile(path.join(folder, '.runledger', 'credentials.json'), 'utf8')
  const { api_key, procedure_id } = JSON.parse(credentials) as Record<string, string>
  const unit_under_test = { serial_number: 'SN-1', part_number: 'P-1' }
  const response = await fetch(`${server.url}/v1/runs/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ procedure_id, unit_under_test, run_passed: true, duration: 'PT1S', ...given }),
  })
  expect(await response.text()).toContain('Run created')
}

interface Detail {
  started_at: string
  outcome: string
  metadata: Record<string, string>
  phases: {
    name: string
    outcome: string
    duration: string
    error?: object
    attempts?: { outcome: string; errors?: object[] }[]
  }[]
  skipped?: object[]
}

/** What two runs of the same tests have in common. */
function compare({ started_at, outcome, metadata, phases, skipped }: Detail) {
  const { project, file, framework, tests_flaky, tests_failed } = metadata
  const steps = phases.map((phase) => ({
    name: phase.name,
    outcome: phase.outcome,
    duration: phase.duration,
    error: phase.error,
    attempts: phase.attempts?.map((attempt) => [attempt.outcome, attempt.errors]),
  }))
  return { started_at, outcome, project, file, framework, tests_flaky, tests_failed, steps, skipped }
}

async function readGroup(group: string): Promise<Detail[]> {
  const { code, out } = await run(['export', '--format', 'ndjson', '--group', group])
  expect(code).toBe(0)
  return out
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Detail)
}

describe('runledger export', () => {
  it.each(['junit', 'ctrf'] as const)('writes %s that import reads as the same runs', async (format) => {
    const file = format === 'junit' ? 'again.xml' : 'again.json'
    const exported = await run(['export', '--format', format, '--group', 'g1', '--output', file])
    expect(exported).toMatchObject({
      code: 0,
      out: '',
      err: `1 run written to ${path.join(folder, file)}.\n`,
    })
    expect(await readdir(folder)).not.toContainEqual(expect.stringContaining('.part'))
    expect((await run(['import', file, '--group', `of-${format}`])).code).toBe(0)
    const [original] = await readGroup('g1')
    const [again, ...others] = await readGroup(`of-${format}`)
    expect(others).toEqual([])
    expect(compare(again as Detail)).toEqual(compare(original as Detail))
    expect(original?.phases).toHaveLength(3)
  })

  it('writes CTRF that import reads as all of the runs of one file', async () => {
    const report_variables = { group: 'thrice', file: 'lamp.test.ts' }
    for (const passed of [true, false, true])
      await create({
        run_passed: passed,
        report_variables,
        steps: [{ ...STEP, name: 'lights', step_passed: passed }],
      })
    const { out } = await run(['export', '--format', 'ctrf', '--group', 'thrice'])
    await writeFile(path.join(folder, 'thrice.json'), out)
    expect((await run(['import', 'thrice.json', '--group', 'of-thrice'])).code).toBe(0)
    const again = await readGroup('of-thrice')
    expect(again.map(({ outcome }) => outcome).toSorted()).toEqual(['FAIL', 'PASS', 'PASS'])
    expect(again.map(({ phases }) => phases.length)).toEqual([1, 1, 1])
  })

  it.each(['junit', 'ctrf'])(
    'writes %s in which a run that failed without a failed step is failed',
    async (format) => {
      const { out } = await run(['export', '--format', format, '--group', 'g2'])
      await writeFile(path.join(folder, 'bulb-again'), out)
      await run(['import', 'bulb-again', '--group', `bulb-${format}`])
      expect((await readGroup(`bulb-${format}`)).map(({ outcome }) => outcome)).toEqual(['FAIL'])
    },
  )

  it.skipIf(process.platform === 'win32')(
    'writes a file of its user’s alone, and through no link that somebody has put there',
    async () => {
      const victim = path.join(folder, 'victim')
      await writeFile(victim, 'kept')
      for (const name of ['mine.csv', `mine.csv.${process.pid}.part`])
        await symlink(victim, path.join(folder, name))
      const args = ['export', '--format', 'csv', '--group', 'g1', '--output', 'mine.csv']
      expect(await run(args)).toMatchObject({ code: 0 })
      expect(await readFile(victim, 'utf8')).toBe('kept')
      expect((await lstat(path.join(folder, 'mine.csv'))).mode & 0o7777).toBe(0o600)
    },
  )

  it('writes CSV that a spreadsheet takes for text', async () => {
    const { out } = await run(['export', '--format', 'csv', '--group', 'g1', '--since', '2026-01-01'])
    const [head, ...lines] = out.trim().split('\r\n')
    expect(head).toMatch(/^run_id,procedure,serial_number,.*,message$/)
    expect(lines).toHaveLength(4)
    expect(lines.find((line) => line.includes(',is red,'))).toMatch(
      /,FAIL,2026-01-02T03:04:06\.000Z,1000,1,,,,,,,,0,'=blue$/,
    )
    expect(lines.find((line) => line.includes(',is blue,'))).toMatch(/,SKIP,,,,,,,,,,,0,no lamp$/)
  })

  it.each([
    ['=1+1', "'=1+1"],
    [' =1+1', "' =1+1"],
    ['\n=1+1', `"\n'=1+1"`],
    ['＝1+1', "'＝1+1"],
    ['a;=1+1', `"a;'=1+1"`],
    ['a;\t-1+1', `"a;\t'-1+1"`],
    ['a-b = c', 'a-b = c'],
  ])('writes %j as text into CSV, whatever divides the cells', async (text, cell) => {
    const group = `formulas ${text.length} ${text.codePointAt(0)}`
    await create({
      started_at: '2026-03-02T00:00:00Z',
      report_variables: { group, git_branch: text },
      steps: [{ ...STEP, name: 'ripple' }],
    })
    const { out } = await run(['export', '--format', 'csv', '--group', group])
    expect(out).toContain(`,${cell},`)
  })

  it('writes revision, batch, limits, branch, commit and owner into CSV', async () => {
    await create({
      unit_under_test: { serial_number: 'SN-2', part_number: 'P-1', revision: 'B', batch_number: 'L7' },
      started_at: '2026-03-01T00:00:00Z',
      report_variables: { group: 'measured', git_branch: 'main', git_commit: 'abc1234' },
      steps: [
        { ...STEP, name: 'ripple', owner: 'bench', measurement_value: 12, limit_low: 1, limit_high: 20 },
      ],
    })
    const { out } = await run(['export', '--format', 'csv', '--group', 'measured'])
    const [head = '', line = ''] = out.split('\r\n')
    const cells = line.split(',')
    const row = Object.fromEntries(head.split(',').map((name, index) => [name, cells[index]]))
    expect(row).toMatchObject({
      part_number: 'P-1',
      revision_number: 'B',
      batch_number: 'L7',
      branch: 'main',
      commit: 'abc1234',
      owner: 'bench',
      measurement_name: 'ripple',
      measurement: '12',
      limit_low: '1',
      limit_high: '20',
    })
  })

  it.each(['csv', 'ctrf', 'junit', 'ndjson'])(
    'writes nothing into %s that a terminal obeys',
    async (format) => {
      const xml = LAMP.replace('is blue', 'is \u009b31m\u202eblue')
      await writeFile(path.join(folder, 'loud.xml'), xml)
      expect((await run(['import', 'loud.xml', '--group', `loud-${format}`])).err).toBe('')
      const { out } = await run(['export', '--format', format, '--group', `loud-${format}`])
      expect(out).toMatch(/(\\u202e|\uFFFD)blue/)
      expect(out).not.toMatch(
        /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/,
      )
    },
  )

  it('selects by time, procedure and id, and leaves a file as it was when it fails', async () => {
    const selected = await run(['export', '--format', 'ndjson', '--group', 'g1', '--since', '2026-01-15'])
    expect(selected).toMatchObject({ code: 0, out: '' })
    const all = await run(['export', '--format', 'ndjson'])
    const { id, procedure } = JSON.parse(all.out.split('\n', 1)[0] ?? '') as {
      id: string
      procedure: { id: string }
    }
    expect((await run(['export', '--format', 'ndjson', '--procedure', procedure.id])).out).toBe(all.out)
    expect((await run(['export', id, '--format', 'ndjson'])).out.trim().split('\n')).toHaveLength(1)
    await writeFile(path.join(folder, 'kept'), 'before')
    const none = await run([
      'export',
      '00000000-0000-4000-8000-000000000000',
      '--format',
      'junit',
      '--output',
      'kept',
    ])
    expect(none).toMatchObject({ code: 1, err: expect.stringContaining('answered 404') })
    expect(await readFile(path.join(folder, 'kept'), 'utf8')).toBe('before')
    expect((await run(['export', '--format', 'csv', '--since', 'soon'])).code).toBe(2)
    expect((await run(['export'])).code).toBe(2)
  })
})
