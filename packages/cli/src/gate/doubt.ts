import { ApiError, isWorthRetrying, NetworkError } from '@runledger/core/tools'

/** Facts that the gate could not find out. Each one fails the gate unless `--allow` names it. */
export const DOUBTS = [
  'flaky',
  'incomplete',
  'no-basis',
  'no-build',
  'no-duration',
  'no-key',
  'no-service',
  'no-tests',
  'not-compared',
  'other-commit',
] as const
export type DoubtName = (typeof DOUBTS)[number]

export interface Doubt {
  name: DoubtName
  message: string
  /** Whether another request may answer it. */
  mayPass?: boolean
}

/** @throws errors that the service did not cause */
export function doubtService(error: unknown): Doubt {
  if (error instanceof NetworkError) return { name: 'no-service', message: error.message, mayPass: true }
  if (!(error instanceof ApiError)) throw error
  const isRefused = error.statusCode === 401 || error.statusCode === 403
  return {
    name: isRefused ? 'no-key' : 'no-service',
    message: error.message,
    mayPass: isWorthRetrying(error.statusCode),
  }
}

/** Returns the result, or the doubt if the service fails, so that the gate can still judge the other facts. */
export async function orDoubt<Result>(
  doubts: Doubt[],
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    const doubt = doubtService(error)
    if (doubts.every(({ message }) => message !== doubt.message)) doubts.push(doubt)
    return undefined
  }
}
