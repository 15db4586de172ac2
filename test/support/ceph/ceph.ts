import { AwsV4Signer } from 'aws4fetch'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findFreePort } from '../recording-proxy'

const execute = promisify(execFile)

const CREDENTIALS = { accessKeyId: 'TESTKEY', secretAccessKey: 'TESTSECRET-of-ceph' }
const REGION = 'default'
/** It takes some 15 s to start; a part that waits for another one may do so for ever. */
const LIMIT_MS = 120_000

/** Ceph's S3 gateway in processes of its own, empty, and gone with everything in it when it stops. */
export async function startCeph() {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runledger-ceph-'))
  const run = (script: string, args: string[] = []) => {
    const { accessKeyId, secretAccessKey } = CREDENTIALS
    const env = { ...process.env, ACCESS_KEY: accessKeyId, SECRET_KEY: secretAccessKey }
    return execute('bash', [path.join(import.meta.dirname, script), dir, ...args], { env, timeout: LIMIT_MS })
  }
  const stop = async () => {
    await run('down.sh')
    await rm(dir, { recursive: true, force: true })
  }
  const port = await findFreePort()
  const endpoint = `http://127.0.0.1:${port}`
  try {
    await run('up.sh', [String(port)])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    credentials: CREDENTIALS,
    /** Makes a bucket. What `--storage` takes for it. */
    addressOf: async (name: string): Promise<string> => {
      const signed = new AwsV4Signer({
        ...CREDENTIALS,
        method: 'PUT',
        url: `${endpoint}/${name}`,
        service: 's3',
        region: REGION,
      })
      const { url, ...request } = await signed.sign()
      const { ok, status } = await fetch(url, request)
      if (!ok) throw new Error(`Ceph answers ${status} to a new bucket.`)
      return `s3://${name}?${new URLSearchParams({ endpoint, region: REGION }).toString()}`
    },
    stop,
  }
}
