import { startS3StandIn } from '../../packages/server/src/testing/s3-stand-in'
import { startCeph } from './ceph/ceph'
import { startPostgres } from './postgres'

/**
 * Starts a PostgreSQL before the tests of a vitest, on which each of their services has a database of its own, and, if asked to,
 * a store for their bytes.
 */
export async function setup(): Promise<() => Promise<void>> {
  const postgres = await startPostgres()
  process.env.RUNLEDGER_TEST_POSTGRES = postgres.urlOf('postgres')
  const store = await startStore(process.env.RUNLEDGER_TEST_STORAGE)
  return async () => {
    await store?.stop()
    await postgres.stop()
  }
}

async function startStore(kind: string | undefined) {
  if (kind === undefined) return undefined
  const store = await (kind === 'ceph' ? startCeph() : startS3StandIn())
  const { accessKeyId, secretAccessKey } = store.credentials
  process.env.RUNLEDGER_TEST_S3 = await store.addressOf('tests')
  process.env.AWS_ACCESS_KEY_ID = accessKeyId
  process.env.AWS_SECRET_ACCESS_KEY = secretAccessKey
  return store
}
