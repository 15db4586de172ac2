import { type Client, createClient, OPERATIONS } from '@runledger/protocol'
import { readJson } from './client'

/**
 * Every operation of the interface, asked by the session of who looks; answers are checked against the contract.
 * Each throws ApiError or UnreachableError.
 */
export const service: Client = createClient(({ operation, method, path, body, headers, signal }) =>
  readJson(OPERATIONS[operation].response, { method, path, body, headers, ...(signal ? { signal } : {}) }),
)
