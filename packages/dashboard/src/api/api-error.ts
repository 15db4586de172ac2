/** The service answered with an error, or with something that is not a JSON object or list. */
export class ApiError extends Error {
  override name = 'ApiError'
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message)
  }
}

/** No response came: the service is down or the connection is. */
export class UnreachableError extends Error {
  override name = 'UnreachableError'
}

/** Whether a sign-in is needed before this can be read. */
export function isSignInNeeded(error: unknown): boolean {
  return error instanceof ApiError && error.statusCode === 401
}

/** Whether a retry soon may help: no response, 408, 429 or 5xx. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnreachableError) return true
  return error instanceof ApiError && (error.statusCode >= 500 || [408, 429].includes(error.statusCode))
}

/** The error of a failed response, in the service's own words if it has some. */
export async function readApiError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const message = readMessage(body)
  if (message === undefined) return new ApiError(response.status, `The service answered ${response.status}.`)
  const { issues } = body as { issues?: unknown }
  const issue = Array.isArray(issues) ? readMessage(issues[0]) : undefined
  return new ApiError(response.status, issue === undefined ? message : `${message}: ${issue}`)
}

/** Undefined without a text: a proxy before the service has errors of its own. */
function readMessage(value: unknown): string | undefined {
  const { message } = (value ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : undefined
}
