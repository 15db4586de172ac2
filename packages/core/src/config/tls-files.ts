import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ConfigError } from '../model/errors'
import { nameOption } from './option-table'
import type { Environment } from './options'
import type { ResolvedOptions } from './resolve-options'

export type TlsFiles = Pick<ResolvedOptions, 'caFile' | 'clientCertFile' | 'clientKeyFile'>

export interface TlsMaterial {
  ca?: string[]
  cert?: string
  key?: string
}

/**
 * Reads and checks the authorities to trust beside the usual ones, and the client's certificate with its key.
 * @throws ConfigError naming the option, when a file cannot be read or used, one of the pair is missing, or they do not match.
 */
export async function readTlsFiles(files: TlsFiles, env: Environment): Promise<TlsMaterial> {
  const ca = await readAuthorities(files, env)
  const pair = await readClientPair(files)
  return { ...(ca && { ca }), ...pair }
}

async function readAuthorities(files: TlsFiles, env: Environment): Promise<string[] | undefined> {
  if (files.caFile === undefined) return undefined
  const pem = await readPem('caFile', files.caFile)
  parseCertificate('caFile', pem)
  return [...(await listUsualAuthorities(env)), pem]
}

/** Since Node 22.15 they include the system's authorities under `--use-system-ca`. */
async function listUsualAuthorities(env: Environment): Promise<readonly string[]> {
  // Only Node's TLS module lists them, and naming others replaces them.
  const tls = process.getBuiltinModule('tls')
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] }
  if (getCACertificates) return getCACertificates('default')
  const extraFile = env['NODE_EXTRA_CA_CERTS']
  // Node itself has warned about a file that it cannot read.
  const extra = extraFile ? await readFile(extraFile, 'utf8').catch(() => '') : ''
  return [...tls.rootCertificates, ...(extra ? [extra] : [])]
}

async function readClientPair(files: TlsFiles): Promise<{ cert: string; key: string } | undefined> {
  const { clientCertFile, clientKeyFile } = files
  if (clientCertFile === undefined && clientKeyFile === undefined) return undefined
  if (clientCertFile === undefined || clientKeyFile === undefined) {
    const names = [nameOption('clientKeyFile'), nameOption('clientCertFile')]
    const [given, absent] = clientCertFile === undefined ? names : names.toReversed()
    throw new ConfigError(`${given} is set, but not ${absent}: a client's certificate needs both.`)
  }
  const cert = await readPem('clientCertFile', clientCertFile)
  const certificate = parseCertificate('clientCertFile', cert)
  const key = await readPem('clientKeyFile', clientKeyFile)
  if (certificate.checkPrivateKey(parseKey(key))) return { cert, key }
  throw new ConfigError(
    `${nameOption('clientCertFile')} and ${nameOption('clientKeyFile')} do not match: use the key that the certificate was made for.`,
  )
}

async function readPem(option: keyof TlsFiles, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // The system's message repeats the path, which may be the key itself.
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new ConfigError(`${nameOption(option)} cannot be read (${code}): use the path of a PEM file.`)
  }
}

function parseCertificate(option: keyof TlsFiles, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new ConfigError(`${nameOption(option)} holds no certificate: use the path of a PEM file.`, {
      cause: error,
    })
  }
}

/** The message must not show the file's content. */
function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch (error) {
    throw new ConfigError(
      `${nameOption('clientKeyFile')} holds no key that can be used: use a PEM file with a private key that needs no passphrase.`,
      { cause: error },
    )
  }
}
