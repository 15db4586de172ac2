import { mkdtemp, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { createExecution, type ExecutionResult, type Options, type Suite } from '@runledger/core'
import { answerJson, type ReceivedRequest } from './scripted-server'
import { FACTS } from './suites'

/** Returns each operation as the interface says, every attachment under an id of its own (`a-<request number>`). */
export function answerWell(request: ReceivedRequest, response: ServerResponse, count: number): void {
  const base = `http://${request.headers.host}`
  if (request.path.endsWith('/v2/attachments'))
    return answerJson(response, 200, { id: `a-${count}`, upload_url: `${base}/put?sig=secret` })
  if (request.method === 'PUT') return void response.writeHead(200).end()
  if (request.method === 'PATCH') return answerJson(response, 200, { id: 'run-1' })
  if (request.method === 'GET') return answerJson(response, 200, { data: [] })
  return answerJson(response, 200, { url: `${base}/runs/run-1` })
}

export type Recording = ExecutionResult & { printed: string; tookMs: number }

/** Records suites with a key and a procedure given, outside any repository and CI, with a spool of its own. */
export async function record(
  suites: Suite[],
  options: Options,
  env: Record<string, string> = {},
): Promise<Recording> {
  let printed = ''
  const spoolDir = await mkdtemp(path.join(os.tmpdir(), 'runledger-spool-'))
  const startedAtMs = Date.now()
  const execution = createExecution(
    { ...FACTS, rootDir: '/' },
    { apiKey: 'rl_user_key', procedureId: 'FVT1', spoolDir, ...options },
    { env, print: (text) => (printed += text) },
  )
  for (const suite of suites) execution.addSuite(suite)
  const result = await execution.finish()
  const tookMs = Date.now() - startedAtMs
  await rm(spoolDir, { recursive: true, force: true })
  return { ...result, printed, tookMs }
}
