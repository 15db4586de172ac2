import type { StorageAddress } from './storage-address'
import { SettingError } from '../errors'

export interface StorageConfig {
  address: StorageAddress
  /** Undefined to use the credentials of the machine's role. */
  credentials: S3Credentials | undefined
}

/** Undefined without any key. @throws SettingError */
export function readStoreKeys(names: string, env: NodeJS.ProcessEnv): S3Credentials | undefined {
  const accessKeyId = text(env.AWS_ACCESS_KEY_ID)
  const secretAccessKey = text(env.AWS_SECRET_ACCESS_KEY)
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SettingError(
      `${names} needs both keys of the store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  const sessionToken = text(env.AWS_SESSION_TOKEN)
  // They are sent as headers; an error about an invalid header would show the key.
  if (![accessKeyId, sessionToken ?? 'none'].every((key) => /^[\x21-\x7e]+$/.test(key)))
    throw new SettingError(
      `${names} needs AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN of ASCII characters without blanks and line ends.`,
    )
  const keys = { accessKeyId, secretAccessKey }
  return sessionToken === undefined ? keys : { ...keys, sessionToken }
}

/** Trimmed; undefined when empty. */
export function text(value: string | undefined): string | undefined {
  return value?.trim() ? value.trim() : undefined
}

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}
