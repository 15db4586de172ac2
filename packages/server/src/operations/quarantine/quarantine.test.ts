import type {
  Page,
  QuarantineEntry,
  QuarantineList,
  SignedQuarantineList,
  TestPage,
} from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashSecret } from '../../record/access/keys/store'
import { signQuarantine } from '../../record/results/quarantine/signed-list'
import { createAsk, createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeEach(async () => {
  server = await startTestServer({}, { config: { maxQuarantined: 3 } })
})

afterEach(() => server.stop())

const get = createResponse(() => server)
const ask = createAsk(() => server)

const DAY_SECONDS = 86_400
const inDays = (days: number) => new Date(Date.now() + days * DAY_SECONDS * 1_000).toISOString()

/** Records a run of one test. */
async function record(file: string, message?: string, change: Record<string, unknown> = {}): Promise<void> {
  const started_at = new Date().toISOString()
  await server.createRun({
    started_at,
    run_passed: message === undefined,
    report_variables: { group: `ci-${file}`, file, project: 'web' },
    steps: [
      {
        name: 'adds',
        kind: 'test',
        step_passed: message === undefined,
        started_at,
        duration: 'PT1S',
        ...(message === undefined ? {} : { error: { message } }),
        ...change,
      },
    ],
  })
}

async function findTest(file: string): Promise<string> {
  const { data } = await get<TestPage>('GET', `/v2/tests?files=${file}`)
  return data[0]?.id ?? ''
}

async function findFingerprint(testId: string): Promise<string> {
  const { errors } = await get<{ errors: { fingerprint: string }[] }>('GET', `/v2/tests/${testId}`)
  return errors[0]?.fingerprint ?? ''
}

const ENTRY = { any_error: true, owner: '@cart', reason: 'slow scale', ends_at: inDays(7) }

const add = (testId: string, change: object = {}) =>
  get<QuarantineEntry>('POST', '/v2/quarantine', { ...ENTRY, test_id: testId, ...change })

const list = async (query = '') =>
  (await get<Page<QuarantineEntry>>('GET', `/v2/quarantine?limit=50${query}`)).data

async function getList(): Promise<QuarantineList> {
  const { list: text } = await get<SignedQuarantineList>(
    'GET',
    `/v2/quarantine/list?procedure_id=${server.procedureId}`,
  )
  return JSON.parse(text) as QuarantineList
}

describe('the signed list', () => {
  it('is signed with the digest of the key that asks for it', async () => {
    const { list: text, signature } = await get<SignedQuarantineList>(
      'GET',
      `/v2/quarantine/list?procedure_id=${server.procedureId}`,
    )
    expect(signature).toBe(signQuarantine(hashSecret(server.apiKey), text))
    expect(signature).not.toBe(signQuarantine(hashSecret('rl_user_other'), text))
  })

  it('has the signature that the documents name as an example', () => {
    const digest = hashSecret(`rl_station_${'A'.repeat(43)}`)
    expect(digest).toBe('UTucKJDitRKCevRE_bDW5TA0ojYD-hexrB-S4btipXE')
    expect(signQuarantine(digest, '{"entries":[]}')).toBe('AI-52qocEmlrnjpARUamrO8ZLipn250S4WppI5QA4l0')
  })

  it('has live entries only, with the place of their tests', async () => {
    await record('a.test.ts', 'no')
    await record('b.test.ts', 'no')
    const { id } = await add(await findTest('a.test.ts'), { ends_at: inDays(2) })
    const other = await add(await findTest('b.test.ts'))
    await get('DELETE', `/v2/quarantine/${other.id}`)
    expect((await getList()).entries).toEqual([
      {
        id,
        project: 'web',
        file: 'a.test.ts',
        name: 'adds',
        fingerprint: null,
        ends_at: expect.any(String) as string,
      },
    ])
    server.advance(2 * DAY_SECONDS)
    const later = await getList()
    expect(later.entries).toEqual([])
    expect(Date.parse(later.issued_at)).toBeGreaterThan(Date.parse(inDays(1)))
  })

  it('names a renamed test by each of its names, and a separated one by its own', async () => {
    await record('old.test.ts', 'no')
    const earlier = await findTest('old.test.ts')
    const { id } = await add(earlier)
    await record('new.test.ts', 'no')
    const later = await findTest('new.test.ts')
    const files = async () => (await getList()).entries.map((entry) => [entry.id, entry.file])
    expect(await files()).toEqual([[id, 'old.test.ts']])
    await get('POST', `/v2/tests/${later}/aliases`, { test_id: earlier })
    expect(await files()).toEqual([
      [id, 'old.test.ts'],
      [id, 'new.test.ts'],
    ])
    expect((await list())[0]?.test).toMatchObject({ id: later, file: 'new.test.ts' })
    await get('DELETE', `/v2/tests/${later}/aliases/${earlier}`)
    expect(await files()).toEqual([[id, 'old.test.ts']])
  })

  it('has the whole name of a test, however long it is', async () => {
    const name = `adds ${'x'.repeat(2_000)}`
    await record('a.test.ts', 'no', { name })
    await add(await findTest('a.test.ts'))
    expect((await getList()).entries[0]?.name).toBe(name)
  })

  it('is refused to a session, which has no key to sign with', async () => {
    const code = new URL(await server.running.createSignInLink()).searchParams.get('code')
    const session = await server.send('POST', '/session', { code }, { authorization: '' })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const response = await fetch(`${server.url}/v2/quarantine/list?procedure_id=${server.procedureId}`, {
      headers: { cookie },
    })
    expect(response.status).toBe(403)
  })
})

describe('an entry', () => {
  it('is refused beyond the most that a procedure may have, until another ends', async () => {
    const ids: string[] = []
    for (const file of ['a.ts', 'b.ts', 'c.ts', 'd.ts']) {
      await record(file, 'no')
      ids.push(await findTest(file))
    }
    const entries = [await add(ids[0] ?? ''), await add(ids[1] ?? ''), await add(ids[2] ?? '')]
    const refused = await ask('POST', '/v2/quarantine', { ...ENTRY, test_id: ids[3] })
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } })
    expect(JSON.stringify(refused.body)).toContain('at most 3 (RUNLEDGER_SERVER_MAX_QUARANTINED)')
    await get('DELETE', `/v2/quarantine/${entries[1]?.id}`)
    expect(await add(ids[3] ?? '')).toMatchObject({ is_live: true })
  })

  it('is made once by requests at the same time', async () => {
    await record('a.ts', 'no')
    const test_id = await findTest('a.ts')
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => ask('POST', '/v2/quarantine', { ...ENTRY, test_id })),
    )
    expect(asked.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
  })

  it('says who made, extended and ended it, and stays on record', async () => {
    await record('a.ts', 'no')
    const made = await add(await findTest('a.ts'))
    expect(made).toMatchObject({ created_by: 'Local user', extended_by: null, ended_by: null })
    const extended = await get<QuarantineEntry>('PATCH', `/v2/quarantine/${made.id}`, {
      ends_at: inDays(20),
      link: 'https://example.com/7',
    })
    expect(extended).toMatchObject({ extended_by: 'Local user', link: 'https://example.com/7' })
    const changed = await get<QuarantineEntry>('PATCH', `/v2/quarantine/${made.id}`, { link: '' })
    expect(changed).toMatchObject({ link: null, ends_at: extended.ends_at })
    await get('DELETE', `/v2/quarantine/${made.id}`)
    expect(await list()).toEqual([])
    expect(await list('&ended=true')).toMatchObject([
      { id: made.id, is_live: false, ended_by: 'Local user', extended_by: 'Local user' },
    ])
  })

  it('ends 30 days from now where the clock of the client is ahead', async () => {
    await record('a.ts', 'no')
    const made = await add(await findTest('a.ts'), { ends_at: inDays(30 + 300 / DAY_SECONDS) })
    expect(Date.parse(made.ends_at)).toBeLessThanOrEqual(Date.parse(inDays(30)))
  })

  it('counts the runs since then whose error it is for, and only those', async () => {
    await record('a.ts', 'expected 3 to be 4')
    const test = await findTest('a.ts')
    const fingerprint = await findFingerprint(test)
    const one = await add(test, { any_error: false, fingerprint })
    expect(one).toMatchObject({ message: 'expected 3 to be 4', failures: 0 })
    await add(test)
    await record('a.ts', 'expected 5 to be 6')
    await record('a.ts', 'connection lost')
    await record('a.ts')
    await record('b.ts', 'expected 5 to be 6')
    expect((await list()).map(({ failures }) => failures)).toEqual([2, 1])
    expect(await list(`&fingerprints=${fingerprint}`)).toMatchObject([{ id: one.id }])
  })

  it('goes with its procedure', async () => {
    const { id } = await get<{ id: string }>('POST', '/v2/procedures', { name: 'Gone' })
    await server.createRun({
      procedure_id: id,
      run_passed: true,
      report_variables: { group: 'ci-1', file: 'gone.ts' },
      steps: [
        {
          name: 'adds',
          kind: 'test',
          step_passed: true,
          started_at: new Date().toISOString(),
          duration: 'PT1S',
        },
      ],
    })
    await add(await findTest('gone.ts'))
    await get('DELETE', `/v2/procedures/${id}`)
    expect(await list('&ended=true')).toEqual([])
  })
})
