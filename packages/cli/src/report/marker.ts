import { parseJson } from '@runledger/core/tools'
import { createHash } from 'node:crypto'
import * as z from 'zod'
import type { Result } from '../gate/judge'

/** A hidden line at the beginning of a report. It identifies the report and its failures. */
export interface Marker {
  /** Distinguishes several reports of one job. */
  name: string
  /** Digest of the workflow and the job that wrote the report. */
  source: string
  /** A number that is higher for later builds. */
  build: number
  /** Digests of the failures that are not known. */
  failing: string[]
}

const MarkerSchema = z.object({
  name: z.string(),
  source: z.string(),
  build: z.int(),
  failing: z.array(z.string()),
})

/** Every report begins with this text. */
export const MARK = '<!-- runledger report '

export function formatMarker(marker: Marker): string {
  return `${MARK}${JSON.stringify(marker)} -->`
}

export function parseMarker(body: string): Marker | undefined {
  const [, json = ''] = /^<!-- runledger report (\{.*\}) -->/.exec(body) ?? []
  return MarkerSchema.safeParse(parseJson(json)).data
}

/** These digests take a small part of a comment. */
const MAX_FAILING = 300
const DIGEST_LENGTH = 10

export function digestFailures({ failures }: Pick<Result, 'failures'>): string[] {
  const names = failures.filter(({ kind }) => kind !== 'known').map(({ file, name }) => `${file}\n${name}`)
  return [...new Set(names)].map(digest).sort().slice(0, MAX_FAILING)
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH)
}
