import type { Role } from '@runledger/protocol'
import type { ProviderConfig } from '../../../base/config/provider-config'

export interface Account {
  issuer: string
  subject: string
  /** Undefined unless the provider says that the address is the account's own. */
  email: string | undefined
  name: string | undefined
  /** Undefined for an account that may not sign in. */
  role: Role | undefined
}

export type Claims = Readonly<Record<string, unknown>>

/** `claims` are those of the ID token and of the UserInfo endpoint (OpenID Connect Core 1.0, section 5.1). */
export function describeAccount(
  { issuer, roles, groupsClaim }: Pick<ProviderConfig, 'issuer' | 'roles' | 'groupsClaim'>,
  subject: string,
  claims: Claims,
): Account {
  const groups = listGroups(claims[groupsClaim])
  return {
    issuer,
    subject,
    email: claims.email_verified === true ? readText(claims.email) : undefined,
    name: readText(claims.name) ?? readText(claims.preferred_username),
    role: roles.find(({ group }) => group === '*' || groups.includes(group))?.role,
  }
}

/** Some providers send one group as a text. */
function listGroups(claim: unknown): readonly unknown[] {
  return Array.isArray(claim) ? claim : [claim]
}

const MAX_LENGTH = 255

function readText(claim: unknown): string | undefined {
  return typeof claim === 'string' && claim.trim() !== '' && claim.length <= MAX_LENGTH
    ? claim.trim()
    : undefined
}
