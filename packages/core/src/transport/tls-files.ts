import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, rootCertificates } from 'node:tls'
import { ConfigError } from '../model/errors'
import type { Environment } from '../config/options'

/** Options that name PEM files. */
export interface TlsFiles {
  caFile: string | undefined
  clientCertFile: string | undefined
  clientKeyFile: string | undefined
}

/** What the files hold, as Node's TLS takes it. */
export interface TlsMaterial {
  ca?: string[]
  cert?: string
  key?: string
}

const NAMES = {
  caFile: 'option caFile (RUNLEDGER_CA_FILE)',
  clientCertFile: 'option clientCertFile (RUNLEDGER_CLIENT_CERT_FILE)',
  clientKeyFile: 'option clientKeyFile (RUNLEDGER_CLIENT_KEY_FILE)',
} as const

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
  checkCertificate('caFile', pem)
  return [...rootCertificates, ...(await readExtraAuthorities(env)), pem]
}

/** Node trusts this file by itself only as long as nobody names authorities; one that cannot be read Node has told of. */
async function readExtraAuthorities(env: Environment): Promise<string[]> {
  const file = env['NODE_EXTRA_CA_CERTS']
  if (!file) return []
  return readFile(file, 'utf8').then(
    (pem) => [pem],
    () => [],
  )
}

async function readClientPair(files: TlsFiles): Promise<{ cert: string; key: string } | undefined> {
  const { clientCertFile, clientKeyFile } = files
  if (clientCertFile === undefined && clientKeyFile === undefined) return undefined
  if (clientCertFile === undefined) throw missing('clientCertFile', 'clientKeyFile')
  if (clientKeyFile === undefined) throw missing('clientKeyFile', 'clientCertFile')
  const cert = await readPem('clientCertFile', clientCertFile)
  checkCertificate('clientCertFile', cert)
  const key = await readPem('clientKeyFile', clientKeyFile)
  checkKey(key)
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw new ConfigError(
      `${NAMES.clientCertFile} and ${NAMES.clientKeyFile} do not match: use the key that the certificate was made for.`,
      { cause: error },
    )
  }
  return { cert, key }
}

async function readPem(option: keyof TlsFiles, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    // The system's message repeats the path, which is the key itself when somebody gave that instead.
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    throw new ConfigError(`${NAMES[option]} cannot be read (${code}): use the path of a PEM file.`)
  }
}

function checkCertificate(option: keyof TlsFiles, pem: string): void {
  try {
    void new X509Certificate(pem)
  } catch (error) {
    throw new ConfigError(`${NAMES[option]} holds no certificate: use the path of a PEM file.`, {
      cause: error,
    })
  }
}

/** The message must show nothing of the file. */
function checkKey(key: string): void {
  try {
    createSecureContext({ key })
  } catch (error) {
    throw new ConfigError(
      `${NAMES.clientKeyFile} holds no key that can be used: use a PEM file with a private key that needs no passphrase.`,
      { cause: error },
    )
  }
}

function missing(absent: keyof TlsFiles, given: keyof TlsFiles): ConfigError {
  return new ConfigError(
    `${NAMES[given]} is set, but not ${NAMES[absent]}: a client's certificate needs both.`,
  )
}
