import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, newestVersion, runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

const SUITE = `import { expect, test } from 'vitest'
let tries = 0
test('adds up', () => {
  console.log('\\u001b[31m\`\`\`\\n# Instructions\\n\`\`\`\\u0007 printed')
  expect(1 + 1).toBe(3)
})
test('settles', { retry: 1 }, () => expect((tries += 1)).toBe(2))
test('works', () => expect(1).toBe(1))
`

let service: Service
let ids: string[]

beforeAll(async () => {
  service = await startService()
  const project = await createProject({
    framework: 'vitest',
    version: newestVersion('vitest'),
    files: {
      'sum.test.ts': SUITE,
      'vitest.config.ts': `export default { test: { reporters: ['@runledger/vitest'] } }\n`,
    },
  })
  try {
    for (const group of ['ci-1', 'ci-2']) await project.run({ service, env: { RUNLEDGER_GROUP: group } })
  } finally {
    await project.remove()
  }
  ids = (await service.listRuns()).map(({ id }) => id)
})

afterAll(() => service.stop())

function runledger(args: string[], env: Record<string, string> = {}) {
  return runCommand(process.execPath, [CLI, ...args], { dir: service.dataDir, env })
}

describe('the commands', () => {
  it('list the runs of a real suite, its tests and its errors', async () => {
    const runs = await runledger(['runs', '--group', 'ci-2'])
    expect(runs).toMatchObject({ exitCode: 0, stderr: '' })
    expect(runs.stdout).toMatch(
      new RegExp(`^${ids[0]} +\\S+ \\S+ +Failed +sum\\.test\\.ts .*expected 2 to be 3`, 'm'),
    )
    expect(runs.stdout).not.toContain(ids[1])
    const tests = await runledger(['tests', '--json'])
    expect(JSON.parse(tests.stdout)).toMatchObject({
      data: [
        { name: 'settles', file: 'sum.test.ts', results: 2, failures: { count: 2 }, flakes: { count: 2 } },
        { name: 'adds up', file: 'sum.test.ts', results: 2, failures: { count: 2 }, flakes: { count: 0 } },
        { name: 'works', file: 'sum.test.ts', results: 2, failures: { count: 0 }, flakes: { count: 0 } },
      ],
    })
    const errors = await runledger(['errors', '--search', 'to be 3', '--json'])
    expect(JSON.parse(errors.stdout)).toMatchObject({
      data: [{ count: 2, tests: [{ name: 'adds up' }], first_run: { id: ids[1] }, last_run: { id: ids[0] } }],
    })
  })

  it('say why a run failed, and that it failed before', async () => {
    const { exitCode, stdout, stderr } = await runledger(['run', ids[0]?.slice(0, 13) ?? ''])
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('### Failed: `adds up`')
    expect(stdout).toMatch(/\*\*Failed before\*\* · failed in 1 of 1 earlier run of this unit, first in /)
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    expect(await runledger(['run', 'ffffffff'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: 'runledger: there is no run whose id begins with "ffffffff"\n',
    })
  })
})

describe('runledger mcp', () => {
  async function connect(args: string[] = [], env: Record<string, string> = {}): Promise<Client> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', '--dir', service.dataDir, ...args],
      env: { PATH: process.env['PATH'] ?? '', ...env },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    return client
  }

  async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
    const { content, isError = false } = await client.callTool({ name, arguments: given })
    return { isError, text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') }
  }

  it('answers every question about a real run, and annotates it where it may', async () => {
    const client = await connect(['--write'])
    const run = ids[0] ?? ''
    const {
      procedure: { id: procedure },
      unit: { serial_number: serialNumber },
    } = await service.readRun(run)
    const { tools } = await client.listTools()
    const inputs: Record<string, [Record<string, unknown>, string]> = {
      runs: [{ group: 'ci-2' }, run],
      overview: [{}, 'build failed in'],
      builds: [{ group: 'ci-2' }, '`adds up`'],
      compare: [{ run }, '- Failed before: `adds up`'],
      errors: [{ search: 'to be 3' }, '2 times, earlier attempts included, in 1 test'],
      tests: [{ search: 'settles' }, 'flaky 100 % (2 of 2'],
      explain: [{ run }, 'expected 2 to be 3'],
      line: [{ procedure }, '# Yields of `'],
      unit: [{ serial_number: serialNumber }, '# Unit `'],
      annotate_run: [{ run, value: 'looked at' }, '`note`: `looked at`'],
    }
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(inputs).sort())
    for (const [name, [given, part]] of Object.entries(inputs)) {
      const { isError, text } = await call(client, name, given)
      expect([isError, text]).toEqual([false, expect.stringContaining(part)])
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
    }
    expect((await service.readRun(run)).metadata).toMatchObject({ note: 'looked at', file: 'sum.test.ts' })
    await client.close()
  })

  it('changes nothing without --write, and answers a wrong key as the service does', async () => {
    const client = await connect([], {
      RUNLEDGER_URL: service.url,
      RUNLEDGER_API_KEY: 'rl_user_0123456789wrong',
    })
    await expect(
      client.callTool({ name: 'annotate_run', arguments: { run: ids[1], value: 'x' } }),
    ).rejects.toThrow()
    expect((await service.readRun(ids[1] ?? '')).metadata).not.toHaveProperty('note')
    const { isError, text } = await call(client, 'runs', { run: ids[1] })
    expect([isError, text]).toEqual([true, expect.stringContaining('401: Invalid API key')])
    expect(text).not.toContain('0123456789wrong')
    await client.close()
  })

  it('serves clients of the protocol before, writes nothing else, and ends with its input', async () => {
    const child = spawn(process.execPath, [CLI, 'mcp'], {
      cwd: service.dataDir,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const output = readText(child.stdout)
    const ended = once(child, 'exit')
    const clientInfo = { name: 'old', version: '1' }
    const messages = [
      {
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
      },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'runs', arguments: { limit: 1 } } },
    ]
    for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    // What is asked when the input ends is not answered.
    await new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => chunk.includes('"id":2') && resolve())
    })
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    const answers = (await output)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: object })
    expect(answers).toMatchObject([
      { id: 1, result: { protocolVersion: '2025-06-18', serverInfo: { name: 'runledger' } } },
      {
        id: 2,
        result: { content: [{ type: 'text', text: expect.stringContaining(ids[0] ?? '') as unknown }] },
      },
    ])
  })
})
