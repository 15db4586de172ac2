import { IDEMPOTENCY_KEY_HEADER } from '@runledger/protocol'
import { z } from 'zod'
import { failedValidation } from '../errors'
import type { RequestHeaders } from './handler'

const IdempotencyKeySchema = z.string().min(1).max(255)

/** The request's Idempotency-Key; 400 for one that is none. */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const sent = headers[IDEMPOTENCY_KEY_HEADER]
  if (sent === undefined) return undefined
  const key = IdempotencyKeySchema.safeParse(sent)
  if (key.success) return key.data
  throw failedValidation([
    { path: [IDEMPOTENCY_KEY_HEADER], message: 'must be one header of 1 to 255 characters' },
  ])
}
