import type { ErrorCode, OpenApiOperation } from '@runledger/protocol'

/** A route outside of the table of operations. */
export interface OtherOperation extends Omit<OpenApiOperation, 'responses' | 'security'> {
  /** For routes that need a key or a session. */
  security?: OpenApiOperation['security']
  ok: OpenApiOperation['responses']
  errors: readonly ErrorCode[]
}
