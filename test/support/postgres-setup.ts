import { startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { startPostgres } from './postgres'

/**
 * Starts a PostgreSQL before the tests of a vitest, on which each of their services has a database of its own, and, if asked to,
 * a store for their bytes. `RUNLEDGER_TEST_S3` names another one, whose keys are in the variables that the service reads.
 */
export async function setup(): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  process.env.RUNLEDGER_TEST_POSTGRES = postgres.urlOf('postgres')
  const store = await startStore()
  return async () => {
    await store?.stop()
    await postgres.stop()
  }
}

async function startStore() {
  if (process.env.RUNLEDGER_TEST_STORAGE !== 's3' || process.env.RUNLEDGER_TEST_S3 !== undefined)
    return undefined
  const store = await startS3StandIn()
  const { accessKeyId, secretAccessKey } = store.credentials
  process.env.RUNLEDGER_TEST_S3 = store.addressOf('tests')
  process.env.AWS_ACCESS_KEY_ID = accessKeyId
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey
  return store
}
