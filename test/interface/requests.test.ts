import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OPERATION_ROUTES, type OperationName } from '../../packages/protocol/src/index'
import { ask } from './ask'
import { listAllowed } from './askers'
import { CASES } from './cases'
import type { ContractInput } from './contract-case'
import { OPERATION_NAMES } from './generated-cases'
import { readShapedOperations, type Shape, type ShapedOperation, type ShapeField } from './shape-file'
import { createWorld, type World } from './world'

/** Every field that `v2-resources.md` has in a request is sent, with each of its values, as null and empty. */

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

const shaped = readShapedOperations().flatMap((shape) => {
  const operation = OPERATION_NAMES.find((name) => {
    const { method, path } = OPERATION_ROUTES[name]
    return method === shape.method && path === shape.path
  })
  return operation === undefined ? [] : [{ operation, shape }]
})

const inQuery = shaped.filter(({ shape }) => shape.method === 'GET' || shape.method === 'DELETE')
const inBody = shaped.filter(({ shape }) => shape.method !== 'GET' && shape.method !== 'DELETE')

describe('queries', () => {
  for (const { operation, shape } of inQuery) {
    const optional = shape.request.filter(({ name, isOptional }) => isOptional && !isPathParam(shape, name))
    it.each(optional.map((field) => [field.name, field] as const))(
      `of ${operation} take %s`,
      async (name, field) => {
        // A cursor is whole wherever the file says number.
        const { query, ...input } = await successfulInput(operation)
        for (const value of name === 'cursor' ? ['5', '5.0', ''] : sampleValues(field.shape)) {
          expect(await send(operation, { ...input, query: { ...query, [name]: value } })).toBe(200)
        }
      },
    )
  }
})

// Optional, but a run of a unit that is new cannot do without, and a part must be changed in some way.
const NEEDED: Partial<Record<OperationName, string>> = { createRun: 'part_number', updatePart: 'name' }

describe('bodies', () => {
  for (const { operation, shape } of inBody) {
    const fields = bodyFields(shape)
    it(`of ${operation} accept null for optional fields, and unknown keys`, async () => {
      const { body, ...input } = await successfulInput(operation)
      const nulls = fields
        .filter(({ name, isOptional }) => isOptional && name !== NEEDED[operation])
        .map(({ name }) => [name, null])
      const sent = {
        ...(body as object),
        ...(Object.fromEntries(nulls) as object),
        unknown_key: { deep: [1] },
      }
      expect(await send(operation, { ...input, body: sent })).toBe(200)
    })
    it.each(fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name))(
      `of ${operation} need %s`,
      async (name) => {
        const { body, ...input } = await successfulInput(operation)
        expect(await send(operation, { ...input, body: { ...(body as object), [name]: undefined } })).toBe(
          400,
        )
      },
    )
  }
})

function bodyFields(shape: ShapedOperation): ShapeField[] {
  const body = shape.request.find(({ name }) => name === 'request_body')?.shape
  if (body?.kind === 'object') return body.fields
  return shape.request.filter(({ name }) => !isPathParam(shape, name))
}

function isPathParam({ path }: ShapedOperation, name: string): boolean {
  return path.includes(`{${name}}`)
}

async function successfulInput(operation: (typeof OPERATION_NAMES)[number]): Promise<ContractInput> {
  const success = CASES.find((one) => one.operation === operation && one.answers === 'ok')
  if (!success) throw new Error(`${operation} has no case of success`)
  return success.input(world)
}

async function send(operation: (typeof OPERATION_NAMES)[number], input: ContractInput): Promise<number> {
  const [as = 'user'] = listAllowed(operation)
  const { status, body } = await ask(world, { operation, input, as, prefix: '' })
  if (status >= 500 || status === 404) throw new Error(JSON.stringify(body))
  return status
}

/** Values of a query field: one of each kind that it takes, and the empty one that some clients send for none. */
function sampleValues(shape: Shape): unknown[] {
  if (shape.kind === 'union') return shape.members.flatMap(sampleValues)
  if (shape.kind === 'list') return [...sampleValues(shape.item), sampleValues(shape.item)]
  if (shape.kind === 'literal') return [shape.value]
  if (shape.kind === 'date-time') return ['2026-11-20T09:30:00.000Z', '2026-11-20T09:30:00+01:00']
  if (shape.kind === 'integer') return ['5', '5.0']
  if (shape.kind === 'number') return ['1.5']
  if (shape.kind === 'boolean') return ['true', 'false', 'True']
  if (shape.kind === 'map')
    return [{ name: { eq: true } }, { name: { in: ['a'] } }, { name: { gte: 1, lt: 5 } }]
  if (shape.kind === 'string') return ['PT1S']
  return ['']
}
