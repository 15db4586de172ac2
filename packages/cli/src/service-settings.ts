import { type Options, resolveOptions, type ServiceIdentity } from '@runledger/core/tools'
import type { CommandContext } from './command-context'
import { findFolder } from './find-folder'
import { type ServiceFlags, withoutSwitch } from './with-service'

/** Something that a reporter needs, and where it comes from: a flag, a variable or the credentials file. */
export interface Setting {
  value: string | undefined
  from: string | null
}

/** The options in a project's config, and the names of those that only running it would tell. */
export interface ConfiguredOptions {
  options: Options
  computed: readonly string[]
}

export interface ServiceSettings {
  url: Setting
  apiKey: Setting
  /** Computed where only running the config tells it. */
  procedureId: Setting & { isComputed: boolean }
  isDisabled: boolean
  /** The file of the local credentials that the key comes from. */
  credentialsFile: string | undefined
  /** The proof that the service of local credentials gives before it gets their key. */
  identity: ServiceIdentity | undefined
  /** Why local credentials cannot be used. */
  credentialsProblem: string | undefined
}

/** What a reporter in the folder would use. @throws ConfigError for a variable or an option that makes no sense */
export function findSettings(
  { url, dir }: ServiceFlags,
  { env, cwd }: CommandContext,
  configured: ConfiguredOptions = { options: {}, computed: [] },
): ServiceSettings {
  const folder = findFolder(dir, cwd)
  const options: Options = url === undefined ? configured.options : { ...configured.options, url }
  const resolved = resolveOptions(options, withoutSwitch(env), folder)
  const { credentialsFile, credentialsError } = resolved
  const find = (name: 'url' | 'apiKey' | 'procedureId', variable: string): Setting => {
    const value = resolved[name]
    if (typeof value !== 'string') return { value: undefined, from: null }
    if (name === 'url' && url !== undefined) return { value, from: '--url' }
    if (typeof options[name] === 'string') return { value, from: 'the config' }
    return { value, from: env[variable]?.trim() ? variable : (credentialsFile ?? null) }
  }
  const isComputed = configured.computed.includes('procedureId')
  return {
    url: find('url', 'RUNLEDGER_URL'),
    apiKey: find('apiKey', 'RUNLEDGER_API_KEY'),
    procedureId: isComputed
      ? { value: undefined, from: 'the config', isComputed }
      : { ...find('procedureId', 'RUNLEDGER_PROCEDURE_ID'), isComputed },
    isDisabled: resolveOptions(options, env, folder).disabled,
    credentialsFile,
    identity: resolved.identity,
    credentialsProblem: credentialsError?.message,
  }
}
