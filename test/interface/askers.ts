import {
  type Access,
  mayActAs,
  type Operation,
  type OperationName,
  OPERATIONS,
  type Role,
} from '../../packages/protocol/src/index'
import type { Asker } from './world'

/** The roles of askers with a user key. */
const ROLE_OF = { user: 'admin', member: 'member', viewer: 'viewer' } as const satisfies Partial<
  Record<Asker, Role>
>

type User = keyof typeof ROLE_OF
type Other = 'station' | 'other-station' | 'project' | 'other-project'

const USERS: readonly User[] = ['user', 'member', 'viewer']
const STATIONS: readonly Other[] = ['station', 'other-station']
const OTHERS: readonly Other[] = [...STATIONS, 'project', 'other-project']

/** The stations and project keys that may use an operation, by the access table of docs/interface.md#access. */
const OTHERS_THAT_MAY: Readonly<Record<Access, readonly Other[]>> = {
  none: ['station'],
  'every-key': OTHERS,
  'any-key': STATIONS,
  'linked-procedure': ['station', 'project'],
  'linked-run': ['station', 'project'],
  // A station has its own by what it did: cases of its own.
  'own-unit': [],
  'user-key': [],
  'own-station': [],
  'station-key': STATIONS,
  'linked-station': ['station'],
}

export function isUser(asker: Asker): asker is User {
  return asker in ROLE_OF
}

/** Who may use an operation, as the table of operations declares it. */
export function listAllowed(name: OperationName): readonly Asker[] {
  const operation: Operation = OPERATIONS[name]
  const others = OTHERS_THAT_MAY[operation.access]
  if (operation.access === 'none') return ['nobody', 'user', ...others]
  if (operation.access === 'station-key') return others
  return [...USERS.filter((user) => mayActAs(ROLE_OF[user], operation.role)), ...others]
}

/** Who has a key and may not: 403. */
export function listRefused(name: OperationName): readonly Asker[] {
  const { access } = OPERATIONS[name]
  if (access === 'none') return []
  const allowed = listAllowed(name)
  return [...USERS, ...OTHERS].filter(
    (asker) => !allowed.includes(asker) && !(access === 'linked-run' && asker === 'other-project'),
  )
}

/** What a refusal says by the key alone; undefined where it depends on the record. */
export function describeRefusal(name: OperationName, asker: Asker): string | undefined {
  const operation: Operation = OPERATIONS[name]
  if (operation.access === 'station-key')
    return 'Only a station key may do this: it answers for its own station.'
  if (isUser(asker) && 'role' in operation)
    return `This needs a key with the role ${operation.role}. This key has the role ${ROLE_OF[asker]}.`
  if (!asker.endsWith('project') || 'subject' in operation) return undefined
  return 'A project key may not do this: it only creates runs of its procedure.'
}
