import { type Client, createClient } from '@runledger/protocol'
import { readJson } from './client'

/** Every operation of the interface, asked by the session of who looks. Each throws ApiError or UnreachableError. */
export const service: Client = createClient(({ method, path, body, headers, signal }) =>
  readJson({ method, path, body, headers, ...(signal ? { signal } : {}) }),
)
