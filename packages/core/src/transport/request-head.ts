import type { Target } from './target'
import type { TransportRequest } from './transport'

const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
/** Nothing that could end a line, nor what one byte does not have (RFC 9110, 5.5). */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Methods whose requests have a length even when they have no body (RFC 9110, 8.6). */
const WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The head of a request of HTTP/1.1 with its empty line, as bytes; `sizeBytes` of its body, undefined for none. The name and
 * the password of an address are sent where the request does not say who it is from.
 * @throws TypeError with Node's code, when a header cannot be sent
 */
export function formatRequestHead(
  { path, hostHeader, credentials }: Target,
  { method, headers }: Pick<TransportRequest, 'method' | 'headers'>,
  sizeBytes: number | undefined,
): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${hostHeader}\r\nconnection: keep-alive\r\n`
  if (credentials && headers['authorization'] === undefined)
    head += `authorization: Basic ${encodeCredentials(credentials)}\r\n`
  for (const [name, value] of Object.entries(headers)) head += formatHeader(name, value)
  const length = sizeBytes ?? (WITH_BODY.has(method) ? 0 : undefined)
  if (length !== undefined) head += `content-length: ${length}\r\n`
  return Buffer.from(`${head}\r\n`, 'latin1')
}

function formatHeader(name: string, value: string): string {
  if (!TOKEN.test(name))
    throw invalid('ERR_INVALID_HTTP_TOKEN', `a header cannot be named ${JSON.stringify(name)}`)
  // Its value may be the key.
  if (!VALUE.test(value))
    throw invalid('ERR_INVALID_CHAR', `the header ${name} has a character that cannot be sent`)
  return `${name}: ${value}\r\n`
}

function encodeCredentials({ username, password }: NonNullable<Target['credentials']>): string {
  return Buffer.from(`${decodeCredential(username)}:${decodeCredential(password)}`).toString('base64')
}

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(
      'ERR_INVALID_ARG_VALUE',
      'the name or the password in the address has a % that begins nothing',
    )
  }
}

function invalid(code: string, message: string): TypeError {
  return Object.assign(new TypeError(message), { code })
}
