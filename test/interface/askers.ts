import type { Access } from '../../packages/protocol/src/index'
import type { Asker } from './world'

/** The access table of docs/interface.md#access. */
export const MAY: Readonly<Record<Access, readonly Asker[]>> = {
  none: ['nobody', 'user', 'station'],
  'any-key': ['user', 'station', 'other-station'],
  'linked-procedure': ['user', 'station'],
  'linked-run': ['user', 'station'],
  // A station has its own by what it did: cases of its own.
  'own-unit': ['user'],
  'user-key': ['user'],
  'own-station': ['user'],
  'station-key': ['station', 'other-station'],
  'linked-station': ['user', 'station'],
}

/** Who has a key and may not: 403. */
export const MAY_NOT: Readonly<Record<Access, readonly Asker[]>> = {
  none: [],
  'any-key': [],
  'linked-procedure': ['other-station'],
  'linked-run': ['other-station'],
  'own-unit': ['station', 'other-station'],
  'user-key': ['station', 'other-station'],
  'own-station': ['station', 'other-station'],
  'station-key': ['user'],
  'linked-station': ['other-station'],
}
