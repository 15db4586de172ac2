import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import {
  type Access,
  OPERATION_ROUTES,
  OPERATIONS,
  type Operation,
  type OperationName,
  type Role,
} from '../../packages/protocol/src/index'
import { OPERATION_NAMES } from './generated-cases'

const isRead = (name: OperationName) => OPERATION_ROUTES[name].method === 'GET'

function listOf(role: Role): OperationName[] {
  return OPERATION_NAMES.filter((name) => {
    const operation: Operation = OPERATIONS[name]
    return 'role' in operation && operation.role === role
  })
}

/** `a`, `b` and `c` */
function join(names: readonly OperationName[]): string {
  const quoted = names.map((name) => `\`${name}\``)
  return [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter((part) => part !== '').join(' and ')
}

/** What each role may do, as the table of operations declares it. */
function describeRoles(): string {
  const admin = listOf('admin')
  const reads = admin.filter(isRead)
  const writes = listOf('viewer').filter((name) => !isRead(name))
  return [
    `- A viewer uses the operations that read, except ${join(reads)}. It also uses ${join(writes)}.`,
    '- A member also uses the operations that write, except those of admins.',
    `- An admin also uses ${join(admin)}.`,
  ].join(' ')
}

const OF_PROJECTS: readonly Access[] = ['every-key', 'linked-procedure', 'linked-run']

it('docs/interface.md says what a project key may do', async () => {
  const names = OPERATION_NAMES.filter((name) => OF_PROJECTS.includes(OPERATIONS[name].access))
  expect(names.filter(isRead)).toEqual(['getQuarantineList'])
  const text = await readFile(path.join(import.meta.dirname, '../../docs/interface.md'), 'utf8')
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`A project key uses ${join(names)} alone.`)
})

it('docs/interface.md says what each role may do', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../docs/interface.md'), 'utf8')
  expect(listOf('member').filter(isRead)).toEqual([])
  expect(text.replaceAll(/\s+/g, ' ')).toContain(describeRoles())
})
