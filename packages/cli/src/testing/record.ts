import { createServer, resolveServerConfig } from '@runledger/server'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { main } from '../main'
import type { CommandContext } from '../command-context'

/** A service in this process, with commands that find it. */
export interface RecordedService {
  url: string
  folder: string
  apiKey: string
  procedureId: string
  run(argv: string[], over?: Partial<CommandContext>): Promise<{ code: number; out: string; err: string }>
  /** Creates a run of `src/cart.test.ts` with these phases; returns its id. */
  createRun(
    phases: object[],
    over?: { outcome?: string; metadata?: object; startedAt?: string; skipped?: object[] },
  ): Promise<string>
  attach(runId: string, name: string, content: string | Buffer): Promise<void>
  stop(): Promise<void>
}

export async function startRecordedService(): Promise<RecordedService> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'runledger-record-')))
  const data = path.join(folder, '.runledger')
  const server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  const file = await readFile(path.join(data, 'credentials.json'), 'utf8')
  const { api_key: apiKey, procedure_id: procedureId } = JSON.parse(file) as Record<string, string>
  const send = async (method: string, pathname: string, body: unknown) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const response = await fetch(server.url + pathname, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { id: string; upload_url: string }
  }
  return {
    url: server.url,
    folder,
    apiKey: apiKey ?? '',
    procedureId: procedureId ?? '',
    run: (argv, over) =>
      runMain(argv, { cwd: folder, ...over, env: { XDG_STATE_HOME: folder, ...over?.env } }),
    createRun: async (phases, over) =>
      (await send('POST', '/v2/runs', createBody(procedureId, phases, over))).id,
    attach: async (runId, name, content) => {
      const { id, upload_url: url } = await send('POST', '/v2/attachments', { name })
      await fetch(url, { method: 'PUT', body: content })
      await send('PATCH', `/v2/runs/${runId}`, { attachments: [id] })
    },
    stop: async () => {
      await server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function runMain(argv: string[], context: CommandContext) {
  const written = { out: '', err: '' }
  const output = {
    out: (text: string) => void (written.out += `${text}\n`),
    err: (text: string) => void (written.err += `${text}\n`),
  }
  return { code: await main(argv, output, context), ...written }
}

function createBody(
  procedureId: string | undefined,
  phases: object[],
  {
    outcome,
    metadata,
    skipped,
    startedAt = '2026-11-20T09:30:00.000Z',
  }: Parameters<RecordedService['createRun']>[1] = {},
) {
  const at = { started_at: startedAt, ended_at: startedAt }
  return {
    procedure_id: procedureId,
    outcome: outcome ?? (phases.some((phase) => 'errors' in phase) ? 'FAIL' : 'PASS'),
    ...at,
    serial_number: 'shop@1',
    part_number: 'shop',
    phases: phases.map((phase) => ({ ...at, ...phase })),
    skipped,
    metadata: { file: 'src/cart.test.ts', ...metadata },
  }
}

export function passed(name: string): object {
  return { name, outcome: 'PASS', kind: 'test' }
}

export function failed(name: string, message: string): object {
  return { name, outcome: 'FAIL', kind: 'test', errors: [{ message }] }
}

export function flaky(name: string, message: string): object {
  return attempted(name, { outcome: 'FAIL', errors: [{ message }] })
}

/** A test that passed each time: some tools repeat those that pass. */
export function repeated(name: string): object {
  return attempted(name, { outcome: 'PASS' })
}

function attempted(name: string, first: object): object {
  const attempt = { outcome: 'PASS', started_at: '2026-11-20T09:30:00.000Z', duration: 'PT1S' }
  return { ...passed(name), retry_count: 1, attempts: [{ ...attempt, ...first }, attempt] }
}
