import type { Person } from '@runledger/protocol'

export function namePerson({ name, email, id }: Person): string {
  return name ?? email ?? id
}
