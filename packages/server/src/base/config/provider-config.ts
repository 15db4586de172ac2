import { type Role, RoleSchema } from '@runledger/protocol'
import { z } from 'zod'
import { SettingError } from '../errors'
import type { Setting } from './setting'
import { text } from './storage-config'

/** A provider of accounts by OpenID Connect. */
export interface ProviderConfig {
  issuer: string
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
  /** Highest role first. */
  roles: readonly GroupRole[]
  /** The claim that lists the groups of an account. */
  groupsClaim: string
  /** Undefined for `openid profile email`, and `offline_access` if the provider has it. */
  scope: string | undefined
  /** What the sign-in page calls it. */
  name: string | undefined
}

export interface GroupRole {
  role: Role
  /** `*` is every account. */
  group: string
}

const PROVIDER_SETTINGS = {
  oidcIssuer: {
    flag: '--oidc-issuer',
    variable: 'RUNLEDGER_OIDC_ISSUER',
    schema: z
      .string()
      .refine(isIssuer, 'must be an https address such as https://login.example.com/realms/staff')
      .optional(),
  },
  oidcClientId: {
    flag: '--oidc-client-id',
    variable: 'RUNLEDGER_OIDC_CLIENT_ID',
    schema: z.string().optional(),
  },
  oidcRoles: {
    flag: '--oidc-roles',
    variable: 'RUNLEDGER_OIDC_ROLES',
    schema: z
      .string()
      .transform((value, context) => parseRoles(value) ?? (context.addIssue(ROLES_FORMAT), z.NEVER))
      .optional(),
  },
  oidcGroupsClaim: { variable: 'RUNLEDGER_OIDC_GROUPS_CLAIM', schema: z.string().default('groups') },
  oidcScope: {
    variable: 'RUNLEDGER_OIDC_SCOPE',
    schema: z
      .string()
      .refine((value) => value.split(' ').includes('openid'), 'must contain openid')
      .optional(),
  },
  oidcName: {
    variable: 'RUNLEDGER_OIDC_NAME',
    schema: z.string().max(40, 'must have at most 40 characters').optional(),
  },
}

const ROLES_FORMAT =
  'must name groups by role, such as "admin=runledger-admins;member=developers;viewer=*", where * is every account'

/** Settings as they come from flags; each falls back to its environment variable. */
export interface ProviderFlags {
  /** Issuer of the accounts that may sign in by OpenID Connect. @default none (`RUNLEDGER_OIDC_ISSUER`) */
  oidcIssuer?: string | undefined
  /** Its client for this service; the secret is `RUNLEDGER_OIDC_CLIENT_SECRET`. @default none (`RUNLEDGER_OIDC_CLIENT_ID`) */
  oidcClientId?: string | undefined
  /** Groups by role, `admin=group;member=group;viewer=*`. @default none (`RUNLEDGER_OIDC_ROLES`) */
  oidcRoles?: string | undefined
}

type ReadSetting = <Value>(setting: Setting<Value>, given: string | undefined) => Value

/** Undefined without any of the flags. @throws SettingError when only a part is set */
export function readProvider(
  read: ReadSetting,
  flags: ProviderFlags,
  env: NodeJS.ProcessEnv,
): ProviderConfig | undefined {
  const { oidcIssuer, oidcClientId, oidcRoles } = PROVIDER_SETTINGS
  const issuer = read(oidcIssuer, flags.oidcIssuer)
  const clientId = read(oidcClientId, flags.oidcClientId)
  const roles = read(oidcRoles, flags.oidcRoles)
  if (issuer === undefined && clientId === undefined && roles === undefined) return undefined
  if (issuer === undefined || clientId === undefined || roles === undefined) {
    const missing = [
      ...(issuer === undefined ? [oidcIssuer] : []),
      ...(clientId === undefined ? [oidcClientId] : []),
      ...(roles === undefined ? [oidcRoles] : []),
    ].map(({ flag, variable }) => `${flag} (${variable})`)
    throw new SettingError(`To sign in by OpenID Connect, set ${missing.join(' and ')} too.`)
  }
  return {
    issuer,
    clientId,
    clientSecret: text(env.RUNLEDGER_OIDC_CLIENT_SECRET),
    roles,
    groupsClaim: read(PROVIDER_SETTINGS.oidcGroupsClaim, undefined),
    scope: read(PROVIDER_SETTINGS.oidcScope, undefined),
    name: read(PROVIDER_SETTINGS.oidcName, undefined),
  }
}

/** Tokens travel to it: without encryption only on this machine. */
function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, search, hash, username } = new URL(value)
  const isEncrypted = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isEncrypted && search === '' && hash === '' && username === ''
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function parseRoles(value: string): GroupRole[] | undefined {
  const pairs = value.split(';').map((pair): GroupRole | undefined => {
    const [name = '', ...rest] = pair.split('=')
    const role = RoleSchema.options.find((one) => one === name.trim())
    const group = rest.join('=').trim()
    return role === undefined || group === '' ? undefined : { role, group }
  })
  const complete = pairs.filter((pair) => pair !== undefined)
  if (complete.length < pairs.length) return undefined
  return RoleSchema.options.toReversed().flatMap((role) => complete.filter((one) => one.role === role))
}
