import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  ERROR_STATUS,
  listErrorCodes,
  OPERATION_ROUTES,
  OPERATIONS,
  V1ErrorSchema,
  V2ErrorSchema,
  type Operation,
} from '../../packages/protocol/src/index'
import { ask, readResponse } from './ask'
import { describeRefusal, isUser, listAllowed, listRefused } from './askers'
import { CASES } from './cases'
import { UNKNOWN_ID } from './cases/unknown-id'
import type { ContractCase } from './contract-case'
import { dummyInput, GENERATED_CODES, generateCases, OPERATION_NAMES } from './generated-cases'
import { matchShape } from './match-shape'
import { readShapedOperations } from './shape-file'
import { createWorld, type Asker, type World } from './world'

const shaped = new Map(
  readShapedOperations().map((operation) => [`${operation.method} ${operation.path}`, operation]),
)

let world: World

beforeAll(async () => {
  world = await createWorld()
  await vi.waitFor(async () => {
    const answered = await ask(world, { operation: 'listRuns', input: {}, as: 'expired', prefix: '' })
    expect(answered.status).toBe(401)
  }, 20_000)
})

afterAll(() => world.stop())

/** The world in which who asks uploads files: stations link only their own. */
function worldOf(as: Asker): World {
  return { ...world, uploadAttachment: (name) => world.uploadAttachment(name, isUser(as) ? 'user' : as) }
}

/** The first case in which an operation succeeds is one in which keys are refused that may not do it. */
function refusedToOthers(operation: ContractCase['operation']): ContractCase[] {
  const success = CASES.find((one) => one.operation === operation && one.answers === 'ok')
  const input = success?.input.bind(success) ?? (() => dummyInput(operation))
  const ofUnknown = async () => ({ ...(await input(world)), ...dummyInput(operation) })
  const hidden =
    OPERATIONS[operation].access === 'linked-run' ? [{ operation, answers: 'NOT_FOUND' } as const] : []
  return [
    ...listRefused(operation).flatMap((as): ContractCase[] => {
      const message = describeRefusal(operation, as)
      const refusal = { operation, answers: 'FORBIDDEN', as: [as] } as const
      if (message === undefined) return [{ ...refusal, when: 'who may not', input }]
      // The same words whatever the request names, so that they tell nothing of it.
      const check = (answer: { message: string }) => expect(answer.message).toBe(message)
      return [
        { ...refusal, when: 'whose key may not', input, check },
        { ...refusal, when: 'whose key may not, of a record that does not exist', input: ofUnknown, check },
      ]
    }),
    ...hidden.map((one) => ({
      ...one,
      as: ['other-project'] as const,
      when: 'whose procedure it is not of',
      input,
    })),
  ]
}

function askersOf({ as, operation, answers }: ContractCase): readonly Asker[] {
  const allowed = as ?? listAllowed(operation)
  return as || answers === 'ok' ? allowed : allowed.slice(0, 1)
}

const everyCase = OPERATION_NAMES.flatMap((operation) => [
  ...CASES.filter((one) => one.operation === operation),
  ...generateCases(operation),
  ...refusedToOthers(operation),
])

describe.each([['/'], ['/api']])('below %s', (base) => {
  const prefix = base === '/' ? '' : base
  for (const one of everyCase) {
    for (const as of askersOf(one)) {
      const when = one.when === undefined ? '' : `, ${one.when}`
      it(`${one.operation} answers ${one.answers} to ${as}${when}`, async () => {
        const input = await one.input(worldOf(as))
        const answered = await ask(world, { operation: one.operation, input, as, prefix })
        if (one.answers === 'ok') expectSuccess(one, answered)
        else expectError(one, answered)
        await one.check?.(answered.body as never, world, input)
      })
    }
  }

  it.each([...new Set(Object.values(OPERATION_ROUTES).map(({ path }) => path))])(
    'HEAD %s answers 200',
    async (path) => {
      const response = await fetch(world.server.url + prefix + path, { method: 'HEAD' })
      expect(response.status).toBe(200)
    },
  )

  it('an unknown route and a wrong method answer NOT_FOUND', async () => {
    for (const [method, path] of [
      ['GET', '/v2/nothing'],
      ['PUT', '/v2/runs'],
      ['GET', '/v1/runs/create/more'],
    ] as const) {
      const answered = await readResponse(
        await fetch(world.server.url + prefix + path, {
          method,
          headers: { authorization: `Bearer ${world.keys.user}` },
        }),
      )
      expect(answered).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    }
  })
})

type ServiceResponse = Awaited<ReturnType<typeof ask>>

function expectSuccess({ operation }: ContractCase, { status, contentType, body }: ServiceResponse): void {
  expect({ status, contentType, body }).toMatchObject({ status: 200, contentType: 'application/json' })
  const { response }: Operation = OPERATIONS[operation]
  expect(response.safeParse(body).error?.issues ?? []).toEqual([])
  const { method, path } = OPERATION_ROUTES[operation]
  const shape = shaped.get(`${method} ${path}`)
  if (shape) expect(matchShape(shape.response, body)).toEqual([])
}

function expectError(
  { operation, answers }: ContractCase,
  { status, contentType, body }: ServiceResponse,
): void {
  if (answers === 'ok') throw new Error('no error')
  expect({ status, contentType, body }).toMatchObject({
    status: ERROR_STATUS[answers],
    contentType: 'application/json',
    body: { code: answers },
  })
  const schema = OPERATION_ROUTES[operation].path.startsWith('/v1/') ? V1ErrorSchema : V2ErrorSchema
  expect(schema.safeParse(body).error?.issues ?? []).toEqual([])
}

it('no refusal tells a viewer which procedures there are', async () => {
  const times = { started_at: '2026-11-20T09:30:00Z', ended_at: '2026-11-20T09:31:00Z' }
  const run = { serial_number: 'S', part_number: 'P', outcome: 'PASS', ...times }
  const refused = async (named: string) => {
    const askViewer = async (route: string, body: object) => {
      const authorization = `Bearer ${world.keys.viewer}`
      const response = await world.server.send('POST', route, body, { authorization })
      return [response.status, ((await response.json()) as { message: string }).message]
    }
    return [
      await askViewer('/v2/runs', { ...run, procedure_id: named }),
      await askViewer(`/v2/procedures/${named}/versions`, { tag: 'v9' }),
    ]
  }
  const known = await refused(world.procedureId)
  expect(known.map(([status]) => status)).toEqual([403, 403])
  for (const named of ['none-such', UNKNOWN_ID]) expect(await refused(named)).toEqual(known)
})

describe('the cases', () => {
  it.each(OPERATION_NAMES)(
    'of %s include every possible code, and success if it is possible',
    (operation) => {
      const has = new Set(
        everyCase.filter((one) => one.operation === operation).map(({ answers }) => answers),
      )
      const { response }: Operation = OPERATIONS[operation]
      const success = response.def.type === 'never' ? [] : ['ok' as const]
      const wanted = [...success, ...listErrorCodes(OPERATIONS[operation])]
      const missing = wanted.filter((code) => code === 'ok' || !GENERATED_CODES.includes(code))
      expect(missing.filter((code) => !has.has(code))).toEqual([])
      expect([...has].filter((code) => !wanted.includes(code))).toEqual([])
    },
  )

  it('are of operations that the contract has, and the contract has no other', () => {
    const ours = new Set(Object.values(OPERATION_ROUTES).map(({ method, path }) => `${method} ${path}`))
    expect([...shaped.keys()].filter((operation) => !ours.has(operation as never))).toEqual([])
  })
})
