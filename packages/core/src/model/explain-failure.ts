import { ApiError, NetworkError } from './errors'

/** What to do about a delivery that failed, naming the option and its variable; empty when there is nothing to set. */
export function explainFailure(error: unknown): string {
  if (error instanceof NetworkError) return explainNoAnswer(error)
  if (!(error instanceof ApiError)) return ''
  if (error.statusCode === 401) return 'check apiKey (RUNLEDGER_API_KEY)'
  if (isAboutProcedure(error)) return 'check procedureId (RUNLEDGER_PROCEDURE_ID)'
  if (error.statusCode >= 300 && error.statusCode < 400) return 'it is moved: check url (RUNLEDGER_URL)'
  if (error.statusCode === 403) return 'check what apiKey (RUNLEDGER_API_KEY) may do'
  if (error.statusCode === 413)
    return 'lower maxAttachmentBytes (RUNLEDGER_MAX_ATTACHMENT_BYTES), or raise the limit of the service'
  if (error.statusCode === 404) return 'check url (RUNLEDGER_URL) and createPath (RUNLEDGER_CREATE_PATH)'
  return ''
}

function explainNoAnswer({ cause }: NetworkError): string {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (/ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA)|HANDSHAKE_FAILURE/.test(code))
    return 'the service wants a client certificate: check clientCertFile (RUNLEDGER_CLIENT_CERT_FILE)'
  if (/SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/.test(code))
    return 'set caFile (RUNLEDGER_CA_FILE) to the authority that the service uses'
  return 'check url (RUNLEDGER_URL) and that the service runs'
}

// Advice only: no verdict hangs on these words.
function isAboutProcedure({ statusCode, problem }: ApiError): boolean {
  const isRefused = statusCode === 404 || statusCode === 403
  return isRefused && /procedure/i.test(problem?.message ?? '')
}
