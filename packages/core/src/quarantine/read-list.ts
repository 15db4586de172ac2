import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { QUARANTINE_LIST_HOURS, type QuarantineList, type SignedQuarantineList } from '@runledger/protocol'
import * as z from 'zod'
import { parseJson } from '../util/text'
import type { KnownList, NoList } from './judge-execution'

/** How long a list may be used after `issued_at`. */
const LONGEST_USE_MS = QUARANTINE_LIST_HOURS * 60 * 60 * 1000

/** By how much the clocks of two machines of a service may differ. */
const CLOCK_TOLERANCE_MS = 5 * 60 * 1000

export interface ListContext {
  apiKey: string
  procedureId: string
  /** By the service's clock. */
  nowMs: number
}

/** Checks who signed the list, when, for which procedure, and its shape. */
export function readList(given: unknown, { apiKey, procedureId, nowMs }: ListContext): KnownList | NoList {
  const signed = createSignedSchema().safeParse(given).data
  if (signed === undefined) return { reason: 'the list of quarantined tests cannot be read' }
  if (!isSigned(signed, apiKey)) return { reason: 'the list of quarantined tests has a wrong signature' }
  const list = createListSchema().safeParse(parseJson(signed.list)).data
  if (list === undefined) return { reason: 'the list of quarantined tests cannot be read' }
  if (list.procedure_id !== procedureId)
    return { reason: 'the list of quarantined tests is that of another procedure' }
  const ageMs = nowMs - Date.parse(list.issued_at)
  if (ageMs > LONGEST_USE_MS) return { reason: 'the list of quarantined tests is older than 24 hours' }
  if (ageMs < -CLOCK_TOLERANCE_MS) return { reason: 'the list of quarantined tests is from the future' }
  return { entries: list.entries, nowMs }
}

/** Its key is the text that the service stores of the API key. */
function isSigned({ list, signature }: SignedQuarantineList, apiKey: string): boolean {
  const key = createHash('sha256').update(apiKey).digest('base64url')
  const expected = createHmac('sha256', key).update(list).digest()
  const found = Buffer.from(signature, 'base64url')
  return found.length === expected.length && timingSafeEqual(found, expected)
}

// Made when they are used: most executions have no quarantine, and the protocol's schemas bring others with them.
function createSignedSchema() {
  return z.object({ list: z.string(), signature: z.string() })
}

function createListSchema(): z.ZodType<QuarantineList> {
  const time = z.string().refine((text) => !Number.isNaN(Date.parse(text)))
  const entry = z.object({
    id: z.string(),
    project: z.string().nullable(),
    file: z.string().nullable(),
    name: z.string(),
    fingerprint: z.string().nullable(),
    ends_at: time,
  })
  return z.object({ procedure_id: z.string(), issued_at: time, entries: z.array(entry) })
}
