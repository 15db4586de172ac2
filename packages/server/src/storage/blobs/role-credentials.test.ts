import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type S3StandIn, startS3StandIn } from '../../testing/s3-stand-in'
import { loadRoleCredentials } from './role-credentials'
import { S3Bucket } from './s3-bucket'
import { parseStorageAddress } from '../../base/config/storage-address'

let store: S3StandIn
let folder: string
/** Answers as the agent of a container does. */
let agent: Server
let asked: (string | undefined)[]
let lifeSeconds: number
let status: number

beforeEach(async () => {
  store = await startS3StandIn()
  folder = await mkdtemp(join(tmpdir(), 'runledger-role-'))
  asked = []
  lifeSeconds = 3600
  status = 200
  agent = createServer((request, response) => {
    asked.push(request.headers.authorization)
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = store.credentials
    const Expiration = new Date(Date.now() + lifeSeconds * 1000).toISOString()
    const credentials = { AccessKeyId, SecretAccessKey, Token: `token-${asked.length}`, Expiration }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(status === 200 ? JSON.stringify(credentials) : '{}')
  })
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
  const { port } = agent.address() as AddressInfo
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
  vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/role`)
  vi.stubEnv('AWS_CONTAINER_AUTHORIZATION_TOKEN', 'of-this-container')
  // No profile of whoever runs the tests.
  vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'config'))
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'credentials'))
})

afterEach(async () => {
  vi.unstubAllEnvs()
  agent.close()
  await store.stop()
  await rm(folder, { recursive: true, force: true })
})

it('signs with what the container’s agent gives, which is asked once while that is good', async () => {
  const credentials = await loadRoleCredentials()
  const bucket = new S3Bucket(parseStorageAddress(store.addressOf('runs')), credentials)
  await Promise.all(Array.from({ length: 10 }, (_, index) => bucket.putNewText(`text ${index}`, 'by a role')))
  expect(await bucket.readText('text 9')).toBe('by a role')
  expect(asked).toEqual(['of-this-container'])
  expect(await bucket.presignPut('upload', 60)).toContain('X-Amz-Security-Token=token-1')
})

it('asks again before they expire, once at a time, and goes on with those that are good until then', async () => {
  lifeSeconds = 200
  const credentials = await loadRoleCredentials()
  const tokens = async () => new Set(await Promise.all(Array.from({ length: 10 }, () => credentials())))
  expect([...(await tokens())].every(({ sessionToken }) => sessionToken === 'token-1')).toBe(true)
  lifeSeconds = 3600
  await expect.poll(async () => (await credentials()).sessionToken).toMatch(/^token-[23]$/)
  const count = asked.length
  expect(count).toBeLessThanOrEqual(3)
  await tokens()
  expect(asked).toHaveLength(count)
})

it('names both ways when there is no role, and when the package is not installed', async () => {
  status = 404
  const none = loadRoleCredentials()
  await expect(none).rejects.toMatchObject({ code: 'START_ERROR' })
  await expect(none).rejects.toThrow(/found none: .*role.*AWS_ACCESS_KEY_ID/)
  const error = new Error(`Cannot find package '@aws-sdk/credential-provider-node' imported from server`)
  const missing = loadRoleCredentials(() =>
    Promise.reject(Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' })),
  )
  await expect(missing).rejects.toMatchObject({ code: 'START_ERROR' })
  await expect(missing).rejects.toThrow(/AWS_ACCESS_KEY_ID .*npm install --global runledger @aws-sdk/)
})
