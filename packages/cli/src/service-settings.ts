import { type Options, resolveOptions } from '@runledger/core/tools'
import type { Surroundings } from './surroundings'
import { findFolder } from './find-folder'
import { type ServiceFlags, withoutSwitch } from './with-service'

/** Something that a reporter needs, and where it comes from: a flag, a variable or the credentials file. */
export interface Setting {
  value: string | undefined
  from: string | null
}

export interface ServiceSettings {
  url: Setting
  apiKey: Setting
  procedureId: Setting
  isDisabled: boolean
  /** Why local credentials cannot be used. */
  credentialsProblem: string | undefined
}

/** What a reporter in the folder would use. @throws ConfigError for a variable or an option that makes no sense */
export function findSettings({ url, dir }: ServiceFlags, { env, cwd }: Surroundings): ServiceSettings {
  const folder = findFolder(dir, cwd)
  const options: Options = url === undefined ? {} : { url }
  const resolved = resolveOptions(options, withoutSwitch(env), folder)
  const { credentialsFile = null, credentialsError } = resolved
  const find = (value: unknown, variable: string, flag?: string): Setting => {
    if (typeof value !== 'string') return { value: undefined, from: null }
    return { value, from: flag ?? (env[variable]?.trim() ? variable : credentialsFile) }
  }
  return {
    url: find(resolved.url, 'RUNLEDGER_URL', url === undefined ? undefined : '--url'),
    apiKey: find(resolved.apiKey, 'RUNLEDGER_API_KEY'),
    procedureId: find(resolved.procedureId, 'RUNLEDGER_PROCEDURE_ID'),
    isDisabled: resolveOptions(options, env, folder).disabled,
    credentialsProblem: credentialsError?.message,
  }
}
