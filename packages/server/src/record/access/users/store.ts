import { foldIdentifier, type Person, type StationReference } from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import { MOST_SHOWN } from '../../../storage/database/rows'
import type { UsersTable } from '../../../storage/database/schema/index'
import type { StationsTable } from '../../../storage/database/schema/units'

/** False when another user has the e-mail address, without regard to case. */
export async function insertUser(query: Query, user: UsersTable): Promise<boolean> {
  const inserted = await query
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.columns(['email_folded', 'organisation_id']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function findFirstUser(query: Query): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().orderBy('id').limit(1).executeTakeFirst()
}

export async function findUser(query: Query, id: number): Promise<UsersTable | undefined> {
  return query.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function findUserByPublicId(query: Query, publicId: string): Promise<UsersTable | undefined> {
  return query
    .selectFrom('users')
    .selectAll()
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

export async function findUserByEmail(query: Query, email: string): Promise<UsersTable | undefined> {
  return query
    .selectFrom('users')
    .selectAll()
    .where('email_folded', '=', foldIdentifier(email))
    .executeTakeFirst()
}

export async function listUsers(query: Query): Promise<UsersTable[]> {
  return query.selectFrom('users').selectAll().orderBy('id').limit(MOST_SHOWN).execute()
}

export async function updateUser(
  query: Query,
  id: number,
  change: Partial<Pick<UsersTable, 'name' | 'email' | 'email_folded'>>,
): Promise<void> {
  await query.updateTable('users').set(change).where('id', '=', id).execute()
}

interface PersonColumns {
  user_public_id: string | null
  user_name: string | null
  user_email: string | null
}

export function mapPerson(row: PersonColumns): Person | null {
  if (row.user_public_id === null) return null
  return { id: row.user_public_id, name: row.user_name, email: row.user_email, image: null }
}

export const CREATED_BY_COLUMNS = [
  'users.public_id as user_public_id',
  'users.name as user_name',
  'users.email as user_email',
  'stations.public_id as station_public_id',
  'stations.name as station_name',
  'stations.identifier as station_identifier',
] as const

interface CreatedByColumns extends PersonColumns, StationColumns {}

export function mapCreatedBy(row: CreatedByColumns) {
  return { created_by_user: mapPerson(row), created_by_station: mapStation(row) }
}

export interface StationColumns {
  station_public_id: string | null
  station_name: string | null
  station_identifier: string | null
}

export function mapStation({
  station_public_id: id,
  station_name: name,
  station_identifier: identifier,
}: StationColumns): StationReference | null {
  if (id === null || name === null) return null
  return { id, name, identifier: stationIdentifier({ name, identifier }), image: null }
}

export function stationIdentifier({ name, identifier }: { name: string; identifier: string | null }): string {
  return identifier ?? name.replaceAll(/\s+/g, '-')
}

export function mapStationHead(station: StationsTable) {
  return {
    id: station.public_id,
    name: station.name,
    identifier: stationIdentifier(station),
    image: null,
    team: null,
    connection_status: null,
  }
}
