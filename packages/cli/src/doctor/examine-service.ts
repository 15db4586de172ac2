import {
  ApiError,
  ConfigError,
  connectService,
  explainFailure,
  messageOf,
  NetworkError,
  normalizeServiceUrl,
  type Options,
  resolveOptions,
  type Service,
} from '@runledger/core/tools'
import type { ServiceSettings } from '../service-settings'
import type { CommandContext } from '../command-context'
import { createsRuns, findKeyOwner, type KeyOwner } from '../key-owner'
import { version as ownVersion } from '../../package.json'
import { examineProcedure } from './examine-procedure'
import { type Fault, fault, type Finding, notChecked, ok } from './finding'
import { describeProxyFault, explainNoResponse } from './network-faults'
import { findProxy } from './proxy'

const TIMEOUT_MS = 5_000
const MAX_CLOCK_LEAD_MS = 60_000

export interface Examination {
  settings: ServiceSettings
  options: Options
  env: CommandContext['env']
  projectRoot: string
  /** Whether a run is created and deleted. */
  withRun: boolean
}

/** Asks the service as a reporter would, step by step. A step is skipped if one that it needs has failed. */
export async function examineService(given: Examination): Promise<Finding[]> {
  const { settings, options, env, projectRoot } = given
  const missing = findMissing(settings, findOverridden(given))
  if (settings.url.value === undefined) return missing
  const url = normalizeServiceUrl(settings.url.value)
  const proxy = findProxy(url, env)
  const asked = {
    ...pickConnection(options),
    url: settings.url.value,
    // Whether it answers can be asked without a key.
    apiKey: settings.apiKey.value ?? 'none',
    maxRetries: 0,
    requestTimeoutMs: TIMEOUT_MS,
  }
  let service: Service
  try {
    service = await connectService({ options: asked, env, projectRoot, identity: settings.identity })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [
      fault('connection', {
        code: 'connection-option',
        message: messageOf(error),
        fix: 'Correct that setting.',
      }),
    ]
  }
  try {
    const reached = await examineAddress(service, { url, proxy })
    const isReached = reached.every(({ status, check }) => check !== 'address' || status === 'ok')
    if (!isReached || missing.length > 0) return [...reached, ...missing]
    return [...reached, ...(await examineAccess(service, given))]
  } finally {
    await service.close()
  }
}

function pickConnection({ caFile, clientCertFile, clientKeyFile }: Options): Options {
  return {
    ...(caFile !== undefined && { caFile }),
    ...(clientCertFile !== undefined && { clientCertFile }),
    ...(clientKeyFile !== undefined && { clientKeyFile }),
  }
}

/** The file of local credentials that would be used without a key from elsewhere. */
function findOverridden({ settings: { url, apiKey }, env, projectRoot }: Examination): string | undefined {
  if (url.value !== undefined || apiKey.value === undefined) return undefined
  return resolveOptions({}, { ...env, RUNLEDGER_API_KEY: undefined }, projectRoot).credentialsFile
}

function findMissing(
  { url, apiKey, procedureId, credentialsProblem }: ServiceSettings,
  overridden: string | undefined,
): Finding[] {
  if (credentialsProblem !== undefined && apiKey.value === undefined)
    return [
      fault('credentials', {
        code: 'credentials-unreadable',
        message: credentialsProblem,
        fix: 'Mend or delete that file, or set RUNLEDGER_URL and RUNLEDGER_API_KEY.',
      }),
    ]
  if (overridden !== undefined)
    return [
      fault('address', {
        code: 'no-address',
        message: `the key from ${apiKey.from} takes the place of ${overridden}, and it has no address`,
        fix: `Unset ${apiKey.from} to use that file, or set RUNLEDGER_URL to the service of the key.`,
      }),
    ]
  if (url.value === undefined)
    return [
      fault('address', {
        code: 'no-address',
        message: 'no service is known here',
        fix: 'Set RUNLEDGER_URL, or start a service in this folder: npx runledger serve.',
      }),
    ]
  if (apiKey.value === undefined)
    return [
      fault('key', {
        code: 'no-key',
        message: `there is no key for ${normalizeServiceUrl(url.value)}`,
        fix: 'Set RUNLEDGER_API_KEY to a key that the service issued.',
      }),
    ]
  if (procedureId.value !== undefined || procedureId.isComputed) return []
  return [
    fault('procedure', {
      code: 'no-procedure',
      message: 'no procedure is named',
      fix: "Set procedureId or RUNLEDGER_PROCEDURE_ID to a procedure's identifier.",
    }),
  ]
}

/** Whether it responds, its clock and its version. */
async function examineAddress(
  { client, readClockLeadMs }: Service,
  { url, proxy }: { url: string; proxy: string | undefined },
): Promise<Finding[]> {
  const way = proxy === undefined ? '' : ` through the proxy ${proxy}`
  try {
    const { version } = (await client.getHealth()) as { version?: unknown }
    return [
      ok('address', `${url} responds${way}`),
      examineClock(readClockLeadMs()),
      examineVersion(typeof version === 'string' ? version : undefined),
    ]
  } catch (error) {
    if (error instanceof NetworkError) return [fault('address', explainNoResponse(error, { url, proxy }))]
    if (!(error instanceof ApiError)) throw error
    const problem = explainAnswer(error, proxy)
    if (problem) return [fault('address', problem)]
    // Other services with the same interface have no such operation.
    return [
      ok('address', `${url} responds${way}`),
      examineClock(readClockLeadMs()),
      examineVersion(undefined),
    ]
  }
}

const OF_PROXY = [403, 407, 502, 503, 504]

function explainAnswer(error: ApiError, proxy: string | undefined): Fault | undefined {
  const { statusCode, message } = error
  if (proxy !== undefined && OF_PROXY.includes(statusCode)) return describeProxyFault(message, proxy)
  if (statusCode >= 500)
    return {
      code: 'service-failing',
      message,
      fix: 'See the log of the service, and its disk: npx runledger check.',
    }
  if (statusCode >= 300 && statusCode < 400)
    return { code: 'moved', message, fix: 'Set url (RUNLEDGER_URL) to the address that it has moved to.' }
  return undefined
}

function examineClock(leadMs: number | undefined): Finding {
  if (leadMs === undefined) return notChecked('clock', 'the service does not say what time it is')
  const seconds = Math.round(Math.abs(leadMs) / 1000)
  if (Math.abs(leadMs) <= MAX_CLOCK_LEAD_MS) return ok('clock', 'within a minute of that of the service')
  return fault('clock', {
    code: 'clock',
    message: `the clock of the service is ${seconds} s ${leadMs > 0 ? 'ahead of' : 'behind'} that of this machine`,
    fix: 'Set the wrong one of the two clocks, by NTP: times of runs would not match.',
  })
}

function examineVersion(version: string | undefined): Finding {
  if (version === undefined) return notChecked('version', 'the service does not say its version')
  if (breakingPart(version) === breakingPart(ownVersion)) return ok('version', `the service is ${version}`)
  return fault('version', {
    code: 'service-version',
    message: `the service is ${version}, but this command is ${ownVersion}`,
    fix: 'Use the same version of both.',
  })
}

/** Versions with the same breaking part go together: `0.3` of `0.3.1`, `2` of `2.4.0`. */
function breakingPart(version: string): string | undefined {
  return /^(?:0\.\d+|[1-9]\d*)/.exec(version)?.[0]
}

async function examineAccess(service: Service, given: Examination): Promise<Finding[]> {
  const { value, from } = given.settings.apiKey
  let owner: KeyOwner
  try {
    owner = await findKeyOwner(service.client, value)
  } catch (error) {
    return [explainKey(error, given.settings)]
  }
  if (!createsRuns(owner))
    return [
      fault('key', {
        code: 'key-only-reads',
        message: `the key from ${from} has the role viewer, which creates no runs`,
        fix: 'Set RUNLEDGER_API_KEY to a station or project key, or to a user key with the role member.',
      }),
    ]
  const role = owner.kind === 'user' && owner.role !== undefined ? ` with the role ${owner.role}` : ''
  const key = ok('key', `accepted, a ${owner.kind} key${role} (${from})`)
  return [key, ...(await examineProcedure(service, { ...given, owner }))]
}

function explainKey(error: unknown, { apiKey }: ServiceSettings): Finding {
  const message = messageOf(error)
  if (error instanceof ApiError && error.statusCode === 401)
    return fault('key', {
      code: 'key-refused',
      message,
      fix: `Set RUNLEDGER_API_KEY to a key that works: the one from ${apiKey.from} is wrong, expired or revoked.`,
    })
  const { statusCode = 500 } = error instanceof ApiError ? error : {}
  if (statusCode === 403 || statusCode === 429)
    return fault('key', {
      code: 'key-not-checked',
      message,
      fix: 'Do what the service says, or ask its operator.',
    })
  if (statusCode < 500)
    return fault('address', {
      code: 'not-the-service',
      message,
      fix: 'Correct url (RUNLEDGER_URL): the server at this address does not have the interface.',
    })
  return fault('key', {
    code: 'service-failing',
    message,
    fix: explainFailure(error) || 'See the log of the service.',
  })
}
