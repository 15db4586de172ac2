import { randomUUID } from 'node:crypto'
import { StartError } from '../errors'

/** In the settings of a PostgreSQL database: which place has its bytes. */
export const PLACE_ID = 'internal.bytes_id'

/** Says in a place with bytes which database names them. */
export const OWNER_FILE = 'database.json'

export interface Owner {
  /** Tells the database from others. */
  postgresql: string
  /** Tells the place from others; a copy of it has the same. */
  id: string
}

/** Where the bytes are that the records of a PostgreSQL database name. */
export interface BytesPlace {
  kind: 'folder' | 'bucket'
  /** As messages name it. */
  name: string
  /** The setting that gives another. */
  setting: string
  readOwner(): Promise<Owner | undefined>
  /** All of it or nothing, also when the process or the machine ends meanwhile. */
  writeOwner(owner: Owner): Promise<void>
  removeOwner(): Promise<void>
  /** @throws StartError where there are bytes: the clean-up would delete those that no record names */
  refuseUnknownBytes(): Promise<void>
}

/**
 * Notes in a place which database names its bytes, and in that database which place it is.
 * @param isTaken notes a place's id in the database, and says whether that is the one there
 * @throws StartError when either goes with another
 */
export async function takePlace(
  place: BytesPlace,
  databaseId: string,
  isTaken: (id: string) => Promise<boolean>,
): Promise<void> {
  const owner = await place.readOwner()
  if (owner && owner.postgresql !== databaseId) throw goesWithAnother(place)
  if (!owner) await place.refuseUnknownBytes()
  const id = owner?.id ?? randomUUID()
  // Noted here first: a process that ends between both finds its id again.
  if (!owner) await place.writeOwner({ postgresql: databaseId, id })
  if (await isTaken(id)) return
  if (!owner) await place.removeOwner()
  throw isElsewhere(place)
}

function goesWithAnother({ kind, name, setting }: BytesPlace): StartError {
  return new StartError(
    `The files in ${name} belong to another PostgreSQL database. Name that one with --database (RUNLEDGER_DATABASE), or give another ${kind} with ${setting}.`,
  )
}

function isElsewhere({ kind, name }: BytesPlace): StartError {
  return new StartError(
    `The files that go with this PostgreSQL database are elsewhere than in ${name}. Give their folder with --data (RUNLEDGER_DATA), or their bucket with --storage (RUNLEDGER_STORAGE). When they are lost, delete the row "${PLACE_ID}" of the table settings: then the database takes this ${kind}, without those files.`,
  )
}
