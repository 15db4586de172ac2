import { messageOf, type NetworkError } from '@runledger/core/tools'
import type { Fault } from './finding'

interface KnownFault {
  pattern: RegExp
  code: string
  fix: string
  /** Replaces OpenSSL's text in the message. */
  reason?: string
}

/** Known faults by error code (Node's or OpenSSL's). The first match wins. */
const FAULTS: readonly KnownFault[] = [
  {
    pattern: /^ENOTFOUND$/,
    code: 'host-unknown',
    fix: 'Correct url (RUNLEDGER_URL): DNS knows no host of this name.',
  },
  {
    pattern: /^EAI_/,
    code: 'dns',
    fix: 'Check the network and the DNS server of this machine: the name could not be looked up.',
  },
  {
    pattern: /^ECONNREFUSED$/,
    code: 'nothing-listens',
    fix: 'Start the service (npx runledger serve), or correct the port in url (RUNLEDGER_URL).',
  },
  {
    pattern: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    code: 'unreachable',
    fix: 'Check the network, the VPN and the firewall between this machine and the service.',
  },
  { pattern: /^CERT_HAS_EXPIRED$/, code: 'certificate-expired', fix: "Renew the service's certificate." },
  {
    pattern: /^CERT_NOT_YET_VALID$/,
    code: 'certificate-not-yet-valid',
    fix: "Check this machine's clock: the service's certificate is not valid yet.",
  },
  {
    pattern: /SELF_SIGNED|^UNABLE_TO_|^CERT_/,
    code: 'certificate-untrusted',
    fix: "Set caFile (RUNLEDGER_CA_FILE) to the PEM file of the authority that signed the service's certificate.",
  },
  {
    pattern: /^ERR_TLS_CERT_ALTNAME/,
    code: 'certificate-other-host',
    fix: 'Use the host that the certificate is made for in url (RUNLEDGER_URL), or have one made for this host.',
  },
  {
    pattern: /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA)|HANDSHAKE_FAILURE/,
    code: 'client-certificate',
    reason: 'it asks for a certificate of the client',
    fix: 'Set clientCertFile and clientKeyFile (RUNLEDGER_CLIENT_CERT_FILE, RUNLEDGER_CLIENT_KEY_FILE): the service asks for a certificate.',
  },
  {
    pattern: /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/,
    code: 'no-tls',
    reason: 'it does not speak TLS',
    fix: 'Begin url (RUNLEDGER_URL) with http://: the server there does not speak TLS.',
  },
]

const CLOSED = /ECONNRESET|EPIPE|^HPE_/

function adviseOnClosed(url: string): string {
  return /^https:/i.test(url)
    ? 'Set clientCertFile and clientKeyFile (RUNLEDGER_CLIENT_CERT_FILE, RUNLEDGER_CLIENT_KEY_FILE) if the service asks for a certificate; else see its log.'
    : 'Begin url (RUNLEDGER_URL) with https:// if the service speaks TLS; else see its log.'
}

const TIMEOUT: Omit<KnownFault, 'pattern'> = {
  code: 'timeout',
  fix: 'Check that the service is not stuck, and that no firewall drops what is sent to it.',
}

/** With a proxy, these codes describe the connection to the proxy. */
const OF_PROXY = /^(ENOTFOUND|EAI_|ECONNREFUSED|ECONNRESET|ERR_PROXY_TUNNEL|ERR_SOCKS_PROXY|ETIMEDOUT|HPE_)/

/** Why there was no response, and what to do about it. */
export function explainNoResponse(
  error: NetworkError,
  { url, proxy }: { url: string; proxy: string | undefined },
): Fault {
  const code = codeOf(error.cause)
  const message = messageOf(error)
  if (proxy !== undefined && (code === '' || OF_PROXY.test(code))) return describeProxyFault(message, proxy)
  if (CLOSED.test(code)) return { code: 'connection-closed', message, fix: adviseOnClosed(url) }
  const {
    code: name,
    fix,
    reason,
  }: Omit<KnownFault, 'pattern'> = FAULTS.find(({ pattern }) => pattern.test(code)) ?? TIMEOUT
  return { code: name, message: reason === undefined ? message : `no response from ${url}: ${reason}`, fix }
}

export function describeProxyFault(message: string, proxy: string): Fault {
  return {
    code: 'proxy',
    message: `${message} (by the proxy ${proxy})`,
    fix: 'Correct HTTPS_PROXY or HTTP_PROXY, have the proxy let this host through, or name the host in NO_PROXY.',
  }
}

function codeOf(cause: unknown): string {
  const { code, cause: inner } = (cause ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  return inner === undefined ? '' : codeOf(inner)
}
