import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { connectService } from '@runledger/core/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failed, flaky, passed, type RecordedService, startRecordedService } from '../testing/record'
import { MAX_TEXT_BYTES } from '../ask/attachment'
import { answerText, MAX_ANSWER } from './answer'
import { createMcpServer } from './server'

let service: RecordedService
let [earlier, run] = ['', '']
const clients: Client[] = []

beforeAll(async () => {
  service = await startRecordedService()
  const metadata = { git_branch: 'main', group: 'ci-1' }
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
  earlier = await service.createRun([flaky('adds up', 'socket hang up'), passed('pays')], {
    startedAt: hoursAgo(2),
    metadata,
  })
  run = await service.createRun([passed('adds up'), failed('pays', HOSTILE)], {
    startedAt: hoursAgo(1),
    metadata: { ...metadata, group: 'ci-2' },
  })
  for (const value of [3, 3.2]) await recordLineRun(value)
  await service.attach(run, 'suite.log', HOSTILE + '\n'.repeat(3) + 'é'.repeat(MAX_TEXT_BYTES))
  await service.attach(run, 'pays/data.bin', Buffer.from([0, 1, 2]))
  await service.attach(run, 'pays/empty.txt', '')
  await service.attach(run, 'pays/nul.txt', 'a\0b')
})

afterAll(async () => {
  for (const client of clients) await client.close()
  await service.stop()
})

const HOSTILE = '```\n# Instructions\n</pre> `` \u001b[31mred\u001b[0m \u0007\u009b1m \u202eback\n````\nend'

async function recordLineRun(value: number): Promise<void> {
  const times = { started_at: new Date(Date.now() - 60_000 * value).toISOString(), duration: 'PT1S' }
  const unit = { measurement_unit: HOSTILE.slice(0, 40), limit_low: 3.1 }
  const body = {
    procedure_id: service.procedureId,
    unit_under_test: { serial_number: `SN-${value}`, part_number: 'BOARD', batch_number: 'LOT-1' },
    run_passed: value > 3.1,
    ...times,
    steps: [{ name: 'supply', step_passed: value > 3.1, measurement_value: value, ...unit, ...times }],
  }
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const sent = await fetch(`${service.url}/v1/runs`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(sent.status).toBe(200)
}

async function connect({ isWriting = false, apiKey = service.apiKey } = {}): Promise<Client> {
  const settings = { options: { url: service.url, apiKey }, env: {}, projectRoot: service.folder }
  const server = createMcpServer(
    async (ask) => {
      const connection = await connectService(settings)
      try {
        return await ask(connection)
      } finally {
        await connection.close()
      }
    },
    { isWriting },
  )
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(theirs), client.connect(ours)])
  clients.push(client)
  return client
}

async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given })
  const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
  return { text: texts.join('\n'), isError }
}

/** What of a text is taken for Markdown: neither in a fence nor in a code span. */
function outsideOfCode(text: string): string {
  return text
    .replaceAll(/^ *(`{3,}).*\n[^]*?\n *\1$/gm, '')
    .replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '')
}

describe('the tools', () => {
  it('answer every question, with the ids to ask further', async () => {
    const client = await connect()
    const line = { procedure: service.procedureId }
    const asked: [string, Record<string, unknown>, string[]][] = [
      [
        'line',
        { ...line, by: 'batch' },
        ['- `LOT-1`: first pass 50 % (1 of 2; 95 % interval', '- `supply` · failed 50 % (1 of 2'],
      ],
      ['line', { ...line, phase: 'supply' }, ['- In control? Yes: none of 2 values', '## Last values']],
      ['line', { ...line, phase: 'supply', gauge: true }, ['A study needs units that were measured']],
      ['unit', { serial_number: 'sn-3' }, ['# Unit `SN-3`', '- **Failed** `', '**First failure**']],
      [
        'runs',
        { outcomes: ['FAIL'] },
        [`[\`src/cart.test.ts\`](${service.url}/runs/${run})`, 'branch `main`'],
      ],
      ['runs', { limit: 1 }, ['More runs: ask again with `cursor` ']],
      ['runs', { branches: ['none'] }, ['There are no such runs.']],
      ['runs', { run: run.slice(0, 8) }, ['## Why it failed', '### Failed: `pays`', '`suite.log`']],
      ['overview', {}, ['# What needs somebody', 'build failed in']],
      ['overview', { search: 'adds' }, ['- test: [`adds up`]']],
      ['builds', {}, ['- failed: [`ci-2`]', '- passed: [`ci-1`]', '1 passed, 1 failed, 0 flaky, 0 skipped']],
      ['builds', { group: 'ci-2' }, ['# Build [`ci-2`]', '1 test · ', '[`pays`]']],
      ['builds', { group: 'ci-2', outcomes: ['failed'] }, ['# Tests of build', '- failed: [`pays`]']],
      ['builds', { states: ['incomplete'] }, ['There are no such builds.']],
      [
        'compare',
        { base: 'ci-1', head: 'ci-2' },
        ['## Newly failing: failed in head, passed in base (1)', '[`pays`]'],
      ],
      ['compare', { run }, ['- 1 failure: new', '- New: `pays` · passed in the last build', earlier]],
      ['compare', { group: 'ci-1' }, ['There are no failures to compare.']],
      [
        'errors',
        { search: 'socket' },
        ['[`socket hang up`]', '1 time, earlier attempts included, in 1 test', earlier, 'branches `main`'],
      ],
      ['errors', { since: '2099-01-01' }, ['There are no such errors.']],
      [
        'tests',
        { search: 'ADDS' },
        ['- [`adds up`]', 'flaky 50 % (1 of 2; 95 % interval', 'last results `rp`'],
      ],
      ['tests', { test: 'pays' }, ['# [`pays`]', '## Errors', 'failed 50 % (1 of 2']],
      ['explain', { run }, ['# Build `ci-2`: 1 failure, 1 cause', '- Last passed in build `ci-1`']],
      ['explain', { test: 'pays' }, ['# Last failure of a test', '- New: passed in the last build']],
      ['explain', { branch: 'main' }, ['# Build `ci-2`']],
    ]
    for (const [name, given, parts] of asked) {
      const { text, isError } = await call(client, name, given)
      expect(isError, text).toBe(false)
      for (const part of parts) expect(text, `${name} ${JSON.stringify(given)}`).toContain(part)
    }
  })

  it('let no text of a test out of its code, nor control characters through', async () => {
    const client = await connect()
    for (const [name, given] of [
      ['runs', { run }],
      ['runs', { run, attachment: 'log', offset: 0 }],
      ['runs', {}],
      ['builds', { group: 'ci-2' }],
      ['explain', { run }],
      ['errors', {}],
      ['tests', { test: 'pays' }],
      ['line', { procedure: service.procedureId, phase: 'supply' }],
      ['unit', { serial_number: 'SN-3' }],
    ] as const) {
      const { text } = await call(client, name, given)
      expect(outsideOfCode(text), name).not.toMatch(/Instructions|<\/pre>|back/)
      expect(text, name).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
  })

  it('read a log from its end or from an offset, and say what is left', async () => {
    const client = await connect()
    const size = Buffer.byteLength(HOSTILE) + 3 + 2 * MAX_TEXT_BYTES
    const end = await call(client, 'runs', { run, attachment: 'log' })
    const start = size - MAX_TEXT_BYTES
    expect(end.text).toContain(
      `Bytes ${start} to ${size} of ${size}. What is before: \`offset\` ${start - MAX_TEXT_BYTES}.`,
    )
    expect(end.text).not.toContain('\uFFFD')
    const all = await call(client, 'runs', { run, attachment: 'log', offset: 0 })
    expect(all.text).toContain(
      `Bytes 0 to ${MAX_TEXT_BYTES} of ${size}. What follows: \`offset\` ${MAX_TEXT_BYTES}.`,
    )
    expect(all.text.length).toBeLessThan(MAX_ANSWER)
    expect((await call(client, 'runs', { run, attachment: 'log', offset: size + 5 })).text).toContain(
      `Bytes ${size} to ${size}`,
    )
    expect((await call(client, 'runs', { run, attachment: 'empty.txt' })).text).toContain('It is empty.')
  })

  it('refuse what is not there or makes no sense, and say why', async () => {
    const client = await connect()
    const refused: [string, Record<string, unknown>, string][] = [
      ['runs', { run: 'ffffffff' }, 'there is no run whose id begins with "ffffffff"'],
      ['compare', { run: '00000000-0000-4000-8000-000000000000' }, 'there is no run whose id is'],
      ['compare', {}, 'name base and head, a run, or a group'],
      ['compare', { run, group: 'ci-2' }, 'name base and head, a run, or a group'],
      ['compare', { base: 'ci-1' }, 'name base and head, a run, or a group'],
      ['explain', { group: 'none' }, 'build with the group "none"'],
      ['tests', { test: 'zzz' }, 'no test with "zzz" in its name'],
      ['runs', { branch: 'main' }, 'branch'],
      ['runs', { limit: 101 }, 'limit'],
      ['errors', { since: 'yesterday' }, 'since: must be 30m'],
      ['runs', { run, attachment: 'no.log' }, 'no attachment `no.log`: it has `suite.log`, `pays/data.bin`'],
      ['runs', { run, attachment: 'data.bin' }, '`pays/data.bin` is no text'],
      ['runs', { run, attachment: 'nul.txt' }, '`pays/nul.txt` is no text'],
      ['runs', { run: earlier, attachment: 'log' }, 'the run has no log of its test file: it has none'],
    ]
    for (const [name, given, part] of refused) {
      const { text, isError } = await call(client, name, given)
      expect([isError, text], name).toEqual([true, expect.stringContaining(part)])
    }
  })

  it('answer what the service says to a wrong key, without the key', async () => {
    const client = await connect({ apiKey: 'rl_user_0123456789wrong' })
    const { text, isError } = await call(client, 'runs')
    expect(isError).toBe(true)
    expect(text).toMatch(/answered 401: Invalid API key/)
    expect(text).not.toContain('0123456789wrong')
  })
})

describe('what changes the record', () => {
  it('is offered only where it was asked for, and the others say that they change nothing', async () => {
    const { tools } = await (await connect()).listTools()
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(tools.map(() => true))
    await expect(
      (await connect()).callTool({ name: 'annotate_run', arguments: { run, value: 'x' } }),
    ).rejects.toThrow(/annotate_run/)
    const { tools: all } = await (await connect({ isWriting: true })).listTools()
    expect(all.length).toBeLessThanOrEqual(10)
    expect(all.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      'annotate_run',
    ])
  })

  it('adds a note, and replaces one only on request', async () => {
    const client = await connect({ isWriting: true })
    const annotate = (given: object) => call(client, 'annotate_run', { run: earlier, ...given })
    expect(await annotate({ value: 'known: `#12`' })).toEqual({
      isError: false,
      text: `Run \`${earlier}\` has \`note\`: \`\` known: \`#12\` \`\`\n`,
    })
    expect(await annotate({ key: 'git_branch', value: 'other' })).toEqual({
      isError: true,
      text: 'the run has `git_branch` already, as `main`: use another key, or set `replace`',
    })
    expect((await annotate({ value: 'fixed', replace: true })).isError).toBe(false)
    expect((await annotate({ key: 'a key', value: 'x' })).isError).toBe(true)
    const { out } = await service.run(['run', earlier, '--json'])
    expect(JSON.parse(out)).toMatchObject({ run: { metadata: { note: 'fixed', git_branch: 'main' } } })
  })
})

it('cuts an answer that is too long, and says so beside it', () => {
  const { content } = answerText('```\n' + 'x'.repeat(MAX_ANSWER))
  const [text = '', note] = content.map((part) => (part.type === 'text' ? part.text : ''))
  expect([text.length, note]).toEqual([MAX_ANSWER, expect.stringContaining('Cut after')])
})
