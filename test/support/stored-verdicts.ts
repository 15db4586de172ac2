import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createExecution, type Suite } from '@runledger/core'
import { connectService } from '@runledger/core/tools'
import { createServer, resolveServerConfig } from '@runledger/server'
import { isPassed } from '../../packages/core/src/record/run-source'
import { becomesRun, FACTS } from './suites'

/**
 * Sends suites through core to a real service in this process. Returns the files of those that are not stored as one run
 * with their verdict, or that are stored though nothing in them ran.
 */
export async function findWronglyStored(suites: readonly Suite[]): Promise<string[]> {
  const stored = await storeSuites(suites)
  const wrong = suites.filter((suite) => {
    const expected = becomesRun(suite) ? [isPassed({ suites: [suite] })] : []
    return JSON.stringify(stored.get(suite.file) ?? []) !== JSON.stringify(expected)
  })
  return wrong.map(({ file }) => file)
}

/** The verdicts of the stored runs, by file. */
async function storeSuites(suites: readonly Suite[]): Promise<Map<string, boolean[]>> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-stored-'))
  const data = path.join(folder, '.runledger')
  const server = await createServer(resolveServerConfig({ data, port: 0, projectDir: folder }, {})).start()
  try {
    let printed = ''
    const print = (text: string): void => void (printed += text)
    const options = { spoolDir: path.join(folder, 'spool'), deadlineMs: 300_000 }
    const execution = createExecution({ ...FACTS, rootDir: folder }, options, { env: {}, print })
    for (const suite of suites) execution.addSuite(suite)
    const result = await execution.finish()
    if (result.status !== 'uploaded' || result.notUploaded.length > 0) throw new Error(printed)
    return await readVerdicts(folder)
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function readVerdicts(projectRoot: string): Promise<Map<string, boolean[]>> {
  const { client, close } = await connectService({ options: {}, env: {}, projectRoot })
  const verdicts = new Map<string, boolean[]>()
  try {
    for (let cursor: number | null = 0; cursor !== null;) {
      const { data, meta } = await client.listRuns({ query: { limit: 100, include_metadata: true, cursor } })
      for (const { outcome, metadata } of data) {
        const file = String(metadata?.['file'])
        verdicts.set(file, [...(verdicts.get(file) ?? []), outcome === 'PASS'])
      }
      cursor = meta.next_cursor
    }
    return verdicts
  } finally {
    await close()
  }
}
