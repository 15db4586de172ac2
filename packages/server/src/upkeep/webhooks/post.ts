import { version } from '../../base/version'

/** What a receiver answered, or why it did not. */
export interface PostResult {
  status: number | null
  /** Undefined for success. Never names the address, which may be a secret. */
  error: string | undefined
  /** From `Retry-After`. */
  retryAfterMs: number | undefined
}

interface PostRequest {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal: AbortSignal
}

/** Follows no redirects, and does not read what the receiver answers beside the status. */
export async function post(request: PostRequest): Promise<PostResult> {
  const limit = startLimit(request)
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: {
        ...request.headers,
        'content-type': 'application/json',
        'user-agent': `Runledger/${version}`,
      },
      body: request.body,
      redirect: 'manual',
      signal: limit.signal,
    })
    await response.body?.cancel().catch(() => undefined)
    const { status } = response
    return { status, error: describeStatus(status), retryAfterMs: readRetryAfter(response) }
  } catch (error) {
    const text = limit.signal.aborted
      ? `no answer within ${request.timeoutMs / 1000} seconds`
      : describeFailure(error)
    return { status: null, error: text, retryAfterMs: undefined }
  } finally {
    limit.stop()
  }
}

/** Not `AbortSignal.any`: Node 20 may collect it before it aborts. */
function startLimit({ timeoutMs, signal }: Pick<PostRequest, 'timeoutMs' | 'signal'>) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}

function describeStatus(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined
  const isRedirect = status >= 300 && status < 400
  return `the receiver answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`
}

function describeFailure(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
  return typeof code === 'string' ? `no connection (${code})` : 'no connection'
}

/** Seconds or a date, of answers that may have one. */
function readRetryAfter({ status, headers }: Response): number | undefined {
  const text = headers.get('retry-after')
  if (text === null || (status !== 429 && status !== 503)) return undefined
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(waitMs) ? undefined : waitMs
}
