import { resolveServerConfig } from '../../base/config/server-config'
import { SettingError } from '../../base/errors'
import { type StoragePlace, namingSide } from './open-end'

/** Flags such as `--from-data`; each falls back to its variable, such as `RUNLEDGER_FROM_DATA`. */
export interface PlaceFlags {
  data?: string | undefined
  database?: string | undefined
  storage?: string | undefined
}

/** Both sides share the variables for a store's keys. @throws SettingError that names the flag and the variable */
export function resolveStoragePlace(
  side: 'from' | 'to',
  flags: PlaceFlags,
  env: NodeJS.ProcessEnv,
): Promise<StoragePlace> {
  const own = (name: string) => env[`RUNLEDGER_${side.toUpperCase()}_${name}`]
  return namingSide(side, () => {
    if (!(flags.data ?? own('DATA'))?.trim())
      throw new SettingError('--data (RUNLEDGER_DATA) is missing: a folder of a service.')
    const { dataDir, database, storage } = resolveServerConfig(flags, {
      RUNLEDGER_DATA: own('DATA'),
      RUNLEDGER_DATABASE: own('DATABASE'),
      RUNLEDGER_STORAGE: own('STORAGE'),
      AWS_ACCESS_KEY_ID: env['AWS_ACCESS_KEY_ID'],
      AWS_SECRET_ACCESS_KEY: env['AWS_SECRET_ACCESS_KEY'],
      AWS_SESSION_TOKEN: env['AWS_SESSION_TOKEN'],
    })
    return { dataDir, database, storage }
  })
}
