import { parseJson } from '@runledger/core/tools'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Result } from '../gate/judge'

/** A hidden line that finds a report again, and says what it reports. */
export interface Marker {
  /** Of several reports of one job. */
  name: string
  /** Digest of the workflow and the job that wrote it. */
  source: string
  /** A later build has a higher one. */
  build: number
  /** Digests of the failures that are not known elsewhere. */
  failing: string[]
}

const MarkerSchema = z.object({
  name: z.string(),
  source: z.string(),
  build: z.int(),
  failing: z.array(z.string()),
})

/** How every report begins. */
export const MARK = '<!-- runledger report '

export function formatMarker(marker: Marker): string {
  return `${MARK}${JSON.stringify(marker)} -->`
}

export function parseMarker(body: string): Marker | undefined {
  const [, json = ''] = /^<!-- runledger report (\{.*\}) -->/.exec(body) ?? []
  return MarkerSchema.safeParse(parseJson(json)).data
}

/** So many fit a comment with room to spare. */
const MAX_FAILING = 300
const DIGEST_LENGTH = 10

export function digestFailures({ failures }: Pick<Result, 'failures'>): string[] {
  const names = failures.filter(({ kind }) => kind !== 'known').map(({ file, name }) => `${file}\n${name}`)
  return [...new Set(names)].map(digest).sort().slice(0, MAX_FAILING)
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH)
}
