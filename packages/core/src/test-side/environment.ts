/** Names the folder through which tests and the reporter of one execution speak. */
const CHANNEL_VARIABLE = 'RUNLEDGER_TEST_SIDE'

interface WithEnvironment {
  process?: { env?: Record<string, string | undefined> }
}

/** The folder that a reporter announced; undefined when there is none, or no environment at all (a browser). */
export function readChannelFolder(): string | undefined {
  const folder = (globalThis as WithEnvironment).process?.env?.[CHANNEL_VARIABLE]
  return folder === '' ? undefined : folder
}

/** Tells all processes that are started from now on; `undefined` takes it back. */
export function announceChannelFolder(folder: string | undefined): void {
  if (folder === undefined) delete process.env[CHANNEL_VARIABLE]
  else process.env[CHANNEL_VARIABLE] = folder
}

/** Set where a reporter listens that needs no folder. */
const LISTENER_VARIABLE = 'RUNLEDGER_LISTENS'

/** Tells all processes that are started from now on that a reporter listens to what tests say. */
export function announceListener(): void {
  process.env[LISTENER_VARIABLE] = '1'
}

export function hasListener(): boolean {
  return (globalThis as WithEnvironment).process?.env?.[LISTENER_VARIABLE] === '1'
}
