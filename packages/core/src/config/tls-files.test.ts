import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import tls from 'node:tls'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificates, type Certificates } from '../../../../test/support/certificates'
import { onlyIf } from '../../../../test/support/only-if'
import { ConfigError } from '../model/errors'
import { readTlsFiles, type TlsFiles } from './tls-files'

let certificates: Certificates

beforeAll(() => {
  certificates = createCertificates()
})
afterAll(() => certificates.remove())

const at = (file: string): string => certificates.at(file)

/** Files by their names in the folder. */
function read(names: Partial<TlsFiles>, env = {}) {
  const none = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined }
  const files = Object.entries(names).map(([option, name]) => [option, name && at(name)])
  return readTlsFiles({ ...none, ...Object.fromEntries(files) }, env)
}

async function explain(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ConfigError)
  return (error as ConfigError).message
}

it('adds the authority of caFile to those that Node trusts', async () => {
  const { ca = [] } = await read({ caFile: 'ca.pem' })
  expect(ca.at(-1)).toBe(readFileSync(at('ca.pem'), 'utf8'))
  for (const usual of tls.rootCertificates.slice(0, 3)) expect(ca).toContain(usual)
})

it('reads the client’s certificate and its key', async () => {
  expect(await read({ clientCertFile: 'client.pem', clientKeyFile: 'client.key' })).toEqual({
    cert: readFileSync(at('client.pem'), 'utf8'),
    key: readFileSync(at('client.key'), 'utf8'),
  })
})

const CERT = 'option clientCertFile (RUNLEDGER_CLIENT_CERT_FILE)'
const KEY = 'option clientKeyFile (RUNLEDGER_CLIENT_KEY_FILE)'

it.each([
  [{ caFile: 'none.pem' }, 'option caFile (RUNLEDGER_CA_FILE) cannot be read (ENOENT)'],
  [{ caFile: 'names.cnf' }, 'option caFile (RUNLEDGER_CA_FILE) holds no certificate'],
  [{ clientCertFile: 'client.pem' }, `${CERT} is set, but not ${KEY}`],
  [{ clientKeyFile: 'client.key' }, `${KEY} is set, but not ${CERT}`],
  [{ clientCertFile: 'none.pem', clientKeyFile: 'client.key' }, `${CERT} cannot be read (ENOENT)`],
  [{ clientCertFile: 'client.pem', clientKeyFile: 'none.key' }, `${KEY} cannot be read (ENOENT)`],
  [{ clientCertFile: 'names.cnf', clientKeyFile: 'client.key' }, `${CERT} holds no certificate`],
  [{ clientCertFile: 'client.pem', clientKeyFile: 'names.cnf' }, `${KEY} holds no key that can be used`],
  [{ clientCertFile: 'client.pem', clientKeyFile: 'locked.key' }, `${KEY} holds no key that can be used`],
  [{ clientCertFile: 'client.pem', clientKeyFile: 'stranger.key' }, `${CERT} and ${KEY} do not match`],
])('names the option of a file that cannot be used: %j', async (names, words) => {
  certificates.lock('client', 'locked.key')
  const message = await explain(read(names))
  expect(message).toContain(words)
  expect(message).not.toMatch(/PRIVATE KEY|\n/)
})

it('does not repeat a key that was given instead of its path', async () => {
  const key = readFileSync(at('client.key'), 'utf8')
  const files = { caFile: undefined, clientCertFile: at('client.pem'), clientKeyFile: key }
  const message = await explain(readTlsFiles(files, {}))
  expect(message).toContain(`${KEY} cannot be read (`)
  for (const line of key.split('\n').filter((each) => each.length > 10)) expect(message).not.toContain(line)
})

it(
  'names the option of a file that this user may not read',
  onlyIf(process.getuid?.() !== 0, 'root may read every file'),
  async () => {
    writeFileSync(at('hidden.key'), readFileSync(at('client.key')))
    chmodSync(at('hidden.key'), 0)
    const message = await explain(read({ clientCertFile: 'client.pem', clientKeyFile: 'hidden.key' }))
    expect(message).toContain(`${KEY} cannot be read (EACCES)`)
  },
)
