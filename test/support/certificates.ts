import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Certificates in PEM files of a temporary folder, each `<name>.pem` with its `<name>.key`. */
export interface Certificates {
  /** Path of a file, whether it exists or not. */
  at(file: string): string
  /** What a TLS server takes. */
  read(name: string): { cert: Buffer; key: Buffer }
  /** Makes one more that the authority `ca` signs: valid for so many days (below 0: expired), for this host. */
  issue(name: string, of: { days: number; host: string }): void
  /** Writes the key of a name once more, with a passphrase. */
  lock(name: string, file: string): void
  remove(): void
}

/** Each name is signed by the authority. All are for `service.example` and this machine. */
const SIGNED = { service: 'ca', client: 'ca', proxy: 'ca', stranger: 'other-ca' }

const OWN_NAMES = 'DNS:service.example,DNS:localhost,IP:127.0.0.1'

export function createCertificates(): Certificates {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-tls-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const sign = (name: string, ca: string, { days = 30, names = OWN_NAMES } = {}): void => {
    writeFileSync(path.join(folder, 'names.cnf'), `subjectAltName=${names}\n`)
    openssl('req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const by = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-extfile', 'names.cnf']
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, '-days', String(days), ...by)
  }
  for (const ca of new Set(Object.values(SIGNED)))
    openssl('req', '-x509', ...newKey, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-subj', `/CN=${ca}`)
  for (const [name, ca] of Object.entries(SIGNED)) sign(name, ca)
  const at = (file: string): string => path.join(folder, file)
  return {
    at,
    read: (name) => ({ cert: readFileSync(at(`${name}.pem`)), key: readFileSync(at(`${name}.key`)) }),
    issue: (name, { days, host }) => sign(name, 'ca', { days, names: `DNS:${host}` }),
    lock: (name, file) => {
      openssl('pkey', '-in', `${name}.key`, '-aes256', '-passout', 'pass:sesame', '-out', file)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
