import { expect } from 'vitest'
import type { User } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

async function createUser(world: World): Promise<User> {
  return world.client.createUser({ body: { email: `${world.unique('ada')}@example.com` } })
}

export const USER_CASES: readonly ContractCase[] = [
  {
    operation: 'listUsers',
    answers: 'ok',
    when: 'everybody is asked for',
    as: ['user'],
    input: async (world) => (await createUser(world), { query: {} }),
    check: (answer: User[]) => {
      expect(answer.length).toBeGreaterThan(1)
      expect(answer[0]).toEqual({
        id: expect.any(String) as string,
        name: 'Local user',
        email: 'owner@localhost',
        banned: false,
        image: null,
      })
    },
  },
  {
    operation: 'listUsers',
    answers: 'ok',
    when: 'a station asks for everybody: without addresses',
    as: ['station', 'other-station'],
    input: async (world) => (await createUser(world), { query: {} }),
    check: (answer: User[]) => {
      expect(answer.length).toBeGreaterThan(1)
      expect(answer.every(({ email }) => email === 'hidden@users.invalid')).toBe(true)
    },
  },
  {
    operation: 'listUsers',
    answers: 'ok',
    when: 'the current one is asked for',
    as: ['user'],
    input: () => ({ query: { current: true } }),
    check: (answer: User[]) => expect(answer).toMatchObject([{ name: 'Local user', role: 'admin' }]),
  },
  {
    operation: 'listUsers',
    answers: 'ok',
    when: 'the current one is asked for with the key of a viewer',
    as: ['viewer'],
    input: () => ({ query: { current: true } }),
    check: (answer: User[]) => expect(answer).toMatchObject([{ name: 'Local user', role: 'viewer' }]),
  },
  {
    operation: 'listUsers',
    answers: 'ok',
    when: 'a station asks for itself',
    as: ['station'],
    input: () => ({ query: { current: 'True' } }),
    check: (answer: User[]) => expect(answer).toEqual([]),
  },
  { operation: 'listUsers', answers: 'BAD_REQUEST', input: () => ({ query: { current: 'maybe' } }) },
  {
    operation: 'createUser',
    answers: 'ok',
    input: (world) => ({ body: { email: ` ${world.unique('Grace')}@Example.com `, name: 'Grace' } }),
    check: (answer: User, _world, { body }) =>
      expect(answer).toMatchObject({ name: 'Grace', email: (body as User).email?.trim(), image: null }),
  },
  {
    operation: 'createUser',
    answers: 'CONFLICT',
    input: async (world) => ({ body: { email: (await createUser(world)).email?.toUpperCase() } }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  { operation: 'createUser', answers: 'BAD_REQUEST', input: () => ({ body: { email: 'no address' } }) },
  {
    operation: 'updateUser',
    answers: 'ok',
    input: async (world) => {
      const { id, email } = await createUser(world)
      return { params: { id }, body: { name: 'Renamed', email: email?.toUpperCase() } }
    },
    check: (answer: User, _world, { body }) => expect(answer).toMatchObject(body as object),
  },
  {
    operation: 'updateUser',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: { name: 'Nobody' } }),
  },
  {
    operation: 'updateUser',
    answers: 'CONFLICT',
    input: async (world) => ({
      params: { id: (await createUser(world)).id },
      body: { email: (await createUser(world)).email },
    }),
  },
  {
    operation: 'updateUser',
    answers: 'BAD_REQUEST',
    input: async (world) => ({ params: { id: (await createUser(world)).id }, body: { email: '@' } }),
  },
]
