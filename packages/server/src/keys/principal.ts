/** Who asks, as far as what they may do depends on it. */
export interface Principal {
  kind: 'user'
  userId: number
}

/** The scope of idempotency keys: it outlives the regeneration of an API key. */
export function principalOwner(principal: Principal): string {
  return `${principal.kind}:${principal.userId}`
}
