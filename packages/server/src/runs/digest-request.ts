import { createHash } from 'node:crypto'

/** SHA-256 as base64url of a request as it was understood, made when it is first asked for. */
export function digestOnce(request: object): () => string {
  let digest: string | undefined
  return () => (digest ??= createHash('sha256').update(JSON.stringify(request)).digest('base64url'))
}
