import type { RunPageSchema } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

type RunPage = z.output<typeof RunPageSchema>

let server: TestServer

const RUNS = [
  { serial: 'SN-b', part: 'LAMP', revision: '2', passed: true, duration: 'PT3S', day: '01', group: 'one' },
  { serial: 'SN-A', part: 'LAMP', revision: '10', passed: false, duration: 'PT1S', day: '03', group: 'one' },
  {
    serial: 'SN-c',
    part: 'Fan_100%',
    revision: '2',
    passed: true,
    duration: 'PT2S',
    day: '02',
    group: 'two',
  },
  {
    serial: 'SN-d',
    part: 'FanX100y',
    revision: '1',
    passed: true,
    duration: 'PT2S',
    day: '02',
    group: 'x'.repeat(9000),
  },
]

beforeAll(async () => {
  server = await startTestServer()
  for (const run of RUNS) {
    await server.createRun({
      unit_under_test: { serial_number: run.serial, part_number: run.part, revision: run.revision },
      run_passed: run.passed,
      duration: run.duration,
      started_at: `2026-11-${run.day}T00:00:00Z`,
      report_variables: { group: run.group, file: `tests/${run.part}.test.ts` },
    })
  }
})

afterAll(() => server.stop())

async function list(query: string): Promise<RunPage> {
  const response = await server.send('GET', `/v2/runs?${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json()) as RunPage
}

async function serials(query: string): Promise<string> {
  return (await list(query)).data.map(({ unit }) => unit.serial_number.slice(3)).join('')
}

describe('list runs', () => {
  it('shows the newest first', async () => {
    expect(await serials('')).toBe('Adcb')
  })

  it('sorts by every key in both directions', async () => {
    const sorted = {
      'started_at&sort_order=asc': 'bcdA',
      created_at: 'dcAb',
      duration: 'bdcA',
      'duration&sort_order=asc': 'Acdb',
      'outcome&sort_order=asc': 'Abcd',
      'serial_number&sort_order=asc': 'Abcd',
      // Runs of the same part in the order of their revisions.
      'part_number&sort_order=asc': 'cdAb',
      'revision_number&sort_order=asc': 'dAbc',
    }
    for (const [sort, expected] of Object.entries(sorted))
      expect(await serials(`sort_by=${sort}`)).toBe(expected)
  })

  it('pages through every order without a gap or a repetition, also when runs arrive in between', async () => {
    for (const sort of [
      'started_at',
      'duration',
      'outcome',
      'serial_number',
      'part_number',
      'revision_number',
    ]) {
      const whole = await serials(`sort_by=${sort}`)
      let paged = ''
      let cursor = ''
      for (
        let page = await list(`limit=1&sort_by=${sort}`);
        ;
        page = await list(`limit=1&sort_by=${sort}${cursor}`)
      ) {
        paged += page.data.map(({ unit }) => unit.serial_number.slice(3)).join('')
        if (!page.meta.has_more) break
        cursor = `&cursor=${page.meta.next_cursor}.0`
      }
      expect(paged).toBe(whole)
    }
  })

  it('filters by every field, identifiers without regard to case', async () => {
    const ids = (await list('')).data.map(({ id }) => id)
    const filtered = {
      [`ids=${ids[0]}&ids=${ids[3]}`]: 'Ab',
      'outcomes=FAIL': 'A',
      'outcomes=PASS&outcomes=FAIL': 'Adcb',
      'serial_numbers=sn-a&serial_numbers=SN-B': 'Ab',
      'part_numbers=lamp': 'Ab',
      'revision_numbers=2': 'cb',
      'duration_min=PT2S': 'dcb',
      'duration_max=PT2S': 'Adc',
      'started_after=2026-11-02T00:00:00Z': 'Adc',
      'started_before=2026-11-02T00:00:00Z': 'dcb',
      'ended_after=2026-11-02T00:00:02Z': 'Adc',
      'ended_before=2026-11-01T00:00:03Z': 'b',
      'created_after=2999-01-01T00:00:00Z': undefined,
      'created_before=2000-01-01T00:00:00Z': '',
      [`procedure_ids=${server.procedureId.toUpperCase()}`]: 'Adcb',
      'procedure_ids=other': '',
      'part_numbers=lamp&outcomes=PASS': 'b',
    }
    for (const [query, expected] of Object.entries(filtered)) {
      if (expected === undefined) expect((await server.send('GET', `/v2/runs?${query}`)).status).toBe(400)
      else expect(await serials(query), query).toBe(expected)
    }
  })

  it('filters by report variables, long values too', async () => {
    const metadata = (filter: object) => serials(`metadata=${encodeURIComponent(JSON.stringify(filter))}`)
    expect(await metadata({ group: { in: ['one'] } })).toBe('Ab')
    expect(await metadata({ group: { in: ['one', 'two'] } })).toBe('Acb')
    expect(await metadata({ group: { in: ['x'.repeat(9000)] } })).toBe('d')
    expect(await metadata({ group: { in: ['one'] }, file: { in: ['tests/LAMP.test.ts'] } })).toBe('Ab')
    expect(await metadata({ file: { in: ['one'] } })).toBe('')
    expect((await server.send('GET', '/v2/runs?metadata={')).status).toBe(400)
  })

  it('searches serial and part numbers, procedures and files as plain text', async () => {
    expect(await serials('search_query=sn-C')).toBe('c')
    expect(await serials(`search_query=${encodeURIComponent('fan_100%')}`)).toBe('c')
    expect(await serials('search_query=lamp.TEST')).toBe('Ab')
    expect(await serials(`search_query=${server.procedureId.slice(2, 8)}`)).toBe('Adcb')
  })

  it('finds words beyond ASCII as they are spelled', async () => {
    const { id } = await server.createRun({
      started_at: '2026-10-01T00:00:00Z',
      report_variables: { file: 'tests/Äpfel.test.ts' },
    })
    for (const words of ['Äpfel', 'Äpfel.TEST']) {
      const found = await list(`search_query=${encodeURIComponent(words)}`)
      expect(found.data.map((run) => run.id)).toEqual([id])
    }
  })

  it('finds a text however its accents are made up, and a short one of characters beyond 65536', async () => {
    const { id } = await server.createRun({
      started_at: '2026-10-01T00:00:00Z',
      unit_under_test: { serial_number: 'Cafe\u0301-😀a', part_number: 'Pre\u0301s' },
      report_variables: { file: 'tests/the\u0301.test.ts' },
    })
    for (const words of [
      'Caf\u00e9',
      'cafe\u0301',
      'CAF\u00c9-',
      '😀a',
      'pr\u00e9s',
      'th\u00e9.test',
      'the\u0301.t',
    ]) {
      const found = await list(`search_query=${encodeURIComponent(words)}`)
      expect([words, found.data.map((run) => run.id)]).toEqual([words, [id]])
    }
  })

  it('reads an empty limit or cursor as absent, and ignores no filter', async () => {
    expect((await list('limit=&cursor=')).data).toEqual((await list('')).data)
    const filter = encodeURIComponent('{"__proto__":{"in":["x"]}}')
    expect((await server.send('GET', `/v2/runs?metadata=${filter}`)).status).toBe(400)
  })

  it('gives report variables only when asked', async () => {
    expect((await list('limit=1')).data[0]).not.toHaveProperty('metadata')
    expect((await list('limit=1&include_metadata=true')).data[0]?.metadata).toEqual({
      group: 'one',
      file: 'tests/LAMP.test.ts',
    })
  })

  it('refuses a limit above 100 and an unknown sort key, naming them', async () => {
    for (const [query, path] of [
      ['limit=101', 'limit'],
      ['limit=0', 'limit'],
      ['sort_by=colour', 'sort_by'],
      ['cursor=x', 'cursor'],
    ]) {
      const response = await server.send('GET', `/v2/runs?${query}`)
      expect([response.status, await response.json()]).toMatchObject([400, { issues: [{ path: [path] }] }])
    }
  })
})

describe('procedures', () => {
  it('are created, found by identifier without regard to case, and listed newest first', async () => {
    const created = await server.send('POST', '/v2/procedures', { name: 'Final test', identifier: 'FVT1' })
    const { id } = (await created.json()) as { id: string }
    const again = await server.send('POST', '/v2/procedures', { name: 'Other', identifier: 'fvt1' })
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'CONFLICT' }])
    await server.send('POST', '/v2/procedures', { name: 'No identifier' })
    expect((await server.getRun((await server.createRun({ procedure_id: 'fvt1' })).id)).procedure.id).toBe(id)
    const first = (await (await server.send('GET', '/v2/procedures?limit=1')).json()) as {
      data: { name: string }[]
      meta: { next_cursor: number; has_more: boolean }
    }
    expect([first.data[0]?.name, first.meta.has_more]).toEqual(['No identifier', true])
    const rest = await server.send(
      'GET',
      `/v2/procedures?cursor=${first.meta.next_cursor}&search_query=FINAL`,
    )
    expect(await rest.json()).toMatchObject({
      data: [{ id, identifier: 'FVT1', name: 'Final test' }],
      meta: { has_more: false, next_cursor: null },
    })
  })
})

it('refuses texts and lists of filters that are too long, naming the field', async () => {
  const long = 'a'.repeat(256)
  const refused = [
    ['/v2/runs', `search_query=${long}`, 'search_query'],
    ['/v2/runs', `serial_numbers=${long}`, 'serial_numbers'],
    ['/v2/runs', 'part_numbers=a&'.repeat(501), 'part_numbers'],
    ['/v2/runs', `metadata[group][contains]=${long}`, 'metadata'],
    ['/v1/runs', `serial_number=${long}`, 'serial_number'],
  ] as const
  for (const [address, query, field] of refused) {
    const response = await server.send('GET', `${address}?${query}`)
    expect(response.status, field).toBe(400)
    const { issues } = (await response.json()) as { issues: { path: string[]; message: string }[] }
    expect(issues.map(({ path }) => path[0])).toEqual([field])
  }
  await list('serial_numbers=a&'.repeat(500))
})

describe('list runs of v1', () => {
  it('ends with a run of few steps and long texts too', async () => {
    const at = '2026-11-20T09:00:00Z'
    const phase = { name: 'a', outcome: 'PASS', started_at: at, ended_at: at, docstring: 'a'.repeat(10_000) }
    const run = {
      procedure_id: server.procedureId,
      outcome: 'PASS',
      serial_number: 'SN-texts',
      part_number: 'LAMP',
      started_at: at,
      ended_at: at,
      phases: Array.from({ length: 300 }, () => phase),
    }
    for (let count = 0; count < 2; count += 1)
      expect((await server.send('POST', '/v2/runs', run)).status).toBe(200)
    const answer = await server.send('GET', '/v1/runs?serial_number=SN-texts')
    expect(await answer.json()).toMatchObject({ message: expect.stringMatching(/^1 run found; 1 more /) })
  })

  it('ends with the run that makes its answer long, and says how to get the rest', async () => {
    const step = { name: 'a', step_passed: true, started_at: '2026-11-20T09:00:00Z', duration: 'PT1S' }
    const steps = Array.from({ length: 2_000 }, () => step)
    const unit_under_test = { serial_number: 'SN-long', part_number: 'LAMP', revision: '2' }
    for (let count = 0; count < 3; count += 1) await server.createRun({ unit_under_test, steps })
    const ask = async (cursor: string) =>
      (await (await server.send('GET', `/v1/runs?serial_number=SN-long${cursor}`)).json()) as {
        message: string
        data: { id: string }[]
        result: { id: string }[]
      }
    const first = await ask('')
    expect(first.result).toEqual(first.data)
    expect(first.message).toMatch(/^2 runs found; 1 more .* cursor=\d+$/)
    const rest = await ask(`&cursor=${/cursor=(\d+)/.exec(first.message)?.[1]}`)
    expect(rest.message).toBe('1 run found')
    expect(new Set([...first.data, ...rest.data].map(({ id }) => id)).size).toBe(3)
  })
})
