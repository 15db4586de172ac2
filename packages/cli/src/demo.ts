import type { Sent } from '@runledger/demo-data'
import { CredentialsSchema } from '@runledger/protocol'
import type { RunningServer } from '@runledger/server'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CommandError, UsageError } from './command-error'
import { type Output, writeJson } from './output'
import { ProgressBar } from './progress-bar'
import { refuseDistrusted } from './refuse-distrusted'
import type { Surface, CommandContext } from './command-context'
import { count } from './table'

/** Reporters do not look for this folder, so they never add a real run to it. */
const DEMO_FOLDER = '.runledger-demo'

/** The data folder of `serve --demo`. Ignores `RUNLEDGER_DATA`, which names the folder of a real record. */
export function findDemoFolder(data: string | undefined, { env, cwd }: CommandContext): string {
  const named = data?.trim()
  const folder = path.resolve(cwd, named || DEMO_FOLDER)
  if (!named) refuseDistrusted(folder, env)
  return folder
}

/** @throws UsageError if `--days` is not a whole number in the range */
export async function parseDays(text: string | undefined): Promise<number> {
  const { MAX_DAYS, MIN_DAYS, YEAR_DAYS } = await import('@runledger/demo-data')
  const days = text === undefined ? YEAR_DAYS : Number(text)
  if (Number.isInteger(days) && days >= MIN_DAYS && days <= MAX_DAYS) return days
  throw new UsageError(`--days must be a whole number from ${MIN_DAYS} to ${MAX_DAYS}`)
}

export interface DemoSettings {
  server: RunningServer
  dataDir: string
  days: number
  stopped: Promise<void>
  json: boolean | undefined
}

/**
 * Records a made-up year while the service runs, and prints how to open it.
 * @throws CommandError if the folder has runs already; the service is closed then
 */
export async function recordDemo(settings: DemoSettings, { output, context }: Surface): Promise<void> {
  const { server, dataDir, json, stopped } = settings
  const abort = new AbortController()
  void stopped.then(() => abort.abort())
  if (!json) output.out(`Runledger is at   ${server.url}\nData is in        ${dataDir}\n`)
  try {
    const startedAtMs = Date.now()
    const sent = await fill(settings, {
      signal: abort.signal,
      terminal: json ? undefined : context.terminal,
    })
    const seconds = Math.round((Date.now() - startedAtMs) / 1000)
    if (json) writeJson(output, { demo: { ...sent, seconds } })
    else await describeDemo({ ...sent, seconds }, { server, output })
  } catch (error) {
    if (abort.signal.aborted) return
    await server.close()
    throw error
  }
}

interface Progress {
  signal: AbortSignal
  terminal: CommandContext['terminal']
}

async function fill({ server, dataDir, days }: DemoSettings, { signal, terminal }: Progress): Promise<Sent> {
  const file = path.join(dataDir, 'credentials.json')
  const { api_key: apiKey } = CredentialsSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  await refuseUsed(server.url, { apiKey, dataDir })
  const { generateYear, seed } = await import('@runledger/demo-data')
  const year = generateYear({ nowMs: Date.now(), days })
  const bar = terminal && new ProgressBar(terminal)
  bar?.expect(year.itemCount)
  const onProgress = (items: number): void => bar?.step('builds and boards on record', items)
  return await seed(year, { url: server.url, apiKey, signal, onProgress }).finally(() => bar?.clear())
}

async function refuseUsed(
  url: string,
  { apiKey, dataDir }: { apiKey: string; dataDir: string },
): Promise<void> {
  const response = await fetch(`${url}/v2/runs?limit=1`, { headers: { authorization: `Bearer ${apiKey}` } })
  const { data } = (await response.json()) as { data?: unknown[] }
  if (data?.length === 0) return
  throw new CommandError(
    `${dataDir} has runs already: serve it with "runledger serve --data ${dataDir}", or name another folder with --data`,
  )
}

async function describeDemo(
  { builds, runs, seconds }: Sent & { seconds: number },
  { server, output }: { server: RunningServer; output: Output },
): Promise<void> {
  const lines = [
    `On record are ${count(builds, 'build')} and ${count(runs, 'run')} of four projects and a production line,`,
    `all of them made up, in ${seconds} s.`,
    '',
    `Sign in with      ${await server.createSignInLink()}`,
    '                  (works once, within 15 minutes)',
    '',
    'Stop with Ctrl+C.',
  ]
  output.out(lines.join('\n'))
}
