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
export const ROLE_OF = { user: 'admin', member: 'member', viewer: 'viewer' } as const satisfies Partial<
  Record<Asker, Role>
>

type User = keyof typeof ROLE_OF
type Station = 'station' | 'other-station'

const USERS: readonly User[] = ['user', 'member', 'viewer']
const STATIONS: readonly Station[] = ['station', 'other-station']

/** Which stations the access table of docs/interface.md#access lets. */
const STATIONS_THAT_MAY: Readonly<Record<Access, readonly Station[]>> = {
  none: ['station'],
  'any-key': STATIONS,
  'linked-procedure': ['station'],
  'linked-run': ['station'],
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
  const stations = STATIONS_THAT_MAY[operation.access]
  if (operation.access === 'none') return ['nobody', 'user', ...stations]
  if (operation.access === 'station-key') return stations
  return [...USERS.filter((user) => mayActAs(ROLE_OF[user], operation.role)), ...stations]
}

/** Who has a key and may not: 403. */
export function listRefused(name: OperationName): readonly Asker[] {
  if (OPERATIONS[name].access === 'none') return []
  const allowed = listAllowed(name)
  return [...USERS, ...STATIONS].filter((asker) => !allowed.includes(asker))
}
