import { createHash } from 'node:crypto'

/** SHA-256 as base64url of a request as it was understood. */
export function digestRequest(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url')
}
