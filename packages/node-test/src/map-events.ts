import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Attachment, FileEvent, SuiteTest, TestApiEvent } from '@runledger/core'
import { readEvent } from '@runledger/reporter-kit'
import { readChannelFolder } from '@runledger/reporter-kit/test-side'
import { idOfFile, readDiagnostic } from './channel'

export interface Said {
  events: TestApiEvent[]
  attachments: Attachment[]
}

/** False for a diagnostic that is not ours. */
export function addSaid({ attempts }: SuiteTest, message: string): boolean {
  const id = readDiagnostic(message)
  const attempt = attempts.at(-1)
  if (id === undefined) return false
  if (attempt === undefined) return true
  const { events, attachments } = readSaid(id)
  attempt.events = events
  attempt.attachments = attachments
  return true
}

export function readSaidOfFile(file: string): Said {
  return readSaid(idOfFile(file))
}

function readSaid(id: string): Said {
  const folder = readChannelFolder()
  const said: Said = { events: [], attachments: [] }
  if (folder === undefined) return said
  for (const line of readLines(path.join(folder, `${id}.jsonl`))) {
    const event = readEvent(parse(line))
    if (event?.kind === 'file') said.attachments.push(mapFile(event, folder))
    else if (event !== undefined) said.events.push(event)
  }
  return said
}

function mapFile({ name, contentType, file = '' }: FileEvent, folder: string): Attachment {
  return { name, contentType, path: path.join(folder, path.basename(file)) }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // No events.
    return []
  }
}

/** Undefined for the last line of a process that was killed while writing. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
