import { createHash } from 'node:crypto'
import { Client } from 'pg'

/** Address of a PostgreSQL on which test servers make databases of their own; without it their databases are SQLite's. */
const SERVER = process.env.RUNLEDGER_TEST_POSTGRES

export const isOnPostgres = SERVER !== undefined

/** Then their bytes are in a store, not in their folders. */
export const isWithBucket = isOnPostgres && process.env.RUNLEDGER_TEST_S3 !== undefined

const DUPLICATE_DATABASE = '42P04'

/** The address of the database that goes with a data folder, made when it is not there. */
export async function createTestDatabase(dataDir: string): Promise<string | undefined> {
  if (SERVER === undefined) return undefined
  const name = nameDatabase(dataDir)
  await execute(`CREATE DATABASE ${name}`).catch((error: unknown) => {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error
  })
  return Object.assign(new URL(SERVER), { pathname: name }).href
}

export async function dropTestDatabase(dataDir: string): Promise<void> {
  if (SERVER !== undefined) await execute(`DROP DATABASE IF EXISTS ${nameDatabase(dataDir)} WITH (FORCE)`)
}

/** A connection on which a test looks into its database. */
export async function connectToDatabase(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Settings that put the bytes of a data folder into a store, below a name of its own; none where tests have no store. */
export function findTestStorage(dataDir: string): NodeJS.ProcessEnv {
  const address = process.env.RUNLEDGER_TEST_S3
  if (SERVER === undefined || address === undefined) return {}
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env
  const RUNLEDGER_STORAGE = address.replace('?', `/${nameDatabase(dataDir)}?`)
  return { RUNLEDGER_STORAGE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }
}

function nameDatabase(dataDir: string): string {
  return `test_${createHash('sha256').update(dataDir).digest('hex').slice(0, 20)}`
}

async function execute(statement: string): Promise<void> {
  const client = await connectToDatabase(SERVER as string)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
