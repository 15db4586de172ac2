import { DATA_FOLDER, DEFAULT_PORT, EmailSchema } from '@runledger/protocol'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { z } from 'zod'
import { parseStorageAddress, type StorageAddress } from './storage-address'
import { SettingError } from '../errors'
import { LOG_LEVELS, type LogLevel } from '../log'
import { BUDGET_SETTINGS, type BudgetFlags, type Budgets } from './budgets'
import { checkFilesOrigin, FILES_SETTINGS } from './files-origin'
import { type ProviderConfig, type ProviderFlags, readProvider } from './provider-config'
import { type Setting, whole, YES_OR_NO } from './setting'
import { readStoreKeys, type StorageConfig, text } from './storage-config'

const MIB = 1024 * 1024

/** Settings as they come from flags; each falls back to its environment variable, then to its default. */
export interface ServerFlags extends BudgetFlags, ProviderFlags {
  /** Folder of everything that is stored. @default ".runledger" (`RUNLEDGER_DATA`) */
  data?: string | undefined
  /**
   * Address of a PostgreSQL database for the records, `postgres://user@host/name`; it may have a password.
   * @default a SQLite database in the folder (`RUNLEDGER_DATABASE`)
   */
  database?: string | undefined
  /**
   * Bucket of an S3 store for the bytes of attachments, `s3://bucket/prefix?endpoint=https://…&region=…`, beside a PostgreSQL
   * database. Credentials: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and perhaps `AWS_SESSION_TOKEN`, or those of a role.
   * @default the data folder (`RUNLEDGER_STORAGE`)
   */
  storage?: string | undefined
  /**
   * Whether clients send attachments to the store itself: `upload_url` is an address of the bucket then.
   * @default false (`RUNLEDGER_DIRECT_UPLOADS`)
   */
  directUploads?: string | boolean | undefined
  /** Whether anyone may view the record without a key. @default false (`RUNLEDGER_ANONYMOUS_VIEWING`) */
  anonymousViewing?: string | boolean | undefined
  /** Port to listen on; 0 takes a free one. @default 7357 (`RUNLEDGER_PORT`) */
  port?: string | number | undefined
  /** Address to listen on. @default "127.0.0.1" (`RUNLEDGER_HOST`) */
  host?: string | undefined
  /** Base URL of all addresses that the service returns. @default the listening address (`RUNLEDGER_PUBLIC_URL`) */
  publicUrl?: string | undefined
  /**
   * Where browsers open traces and pages among the attachments, an origin of its own such as https://runs-files.example.com; a proxy
   * passes its requests on to `filesPort`. @default the listening address with `filesPort`; none with `publicUrl` (`RUNLEDGER_FILES_ORIGIN`)
   */
  filesOrigin?: string | undefined
  /** Port to listen on for that origin; 0 takes a free one. @default the one below `port`, or a free one (`RUNLEDGER_FILES_PORT`) */
  filesPort?: string | number | undefined
  /** Largest attachment, in bytes. @default 104857600 (`RUNLEDGER_SERVER_MAX_ATTACHMENT_BYTES`) */
  maxAttachmentBytes?: string | number | undefined
  /** Longest body of a request that creates a run, in bytes. @default 8388608 (`RUNLEDGER_SERVER_MAX_BODY_BYTES`) */
  maxBodyBytes?: string | number | undefined
  /** Seconds within which a PUT to an upload address must start. @default 900 (`RUNLEDGER_UPLOAD_LIFE_SECONDS`) */
  uploadLifeSeconds?: string | number | undefined
  /** Seconds that a download address lives, at most. @default 3600 (`RUNLEDGER_DOWNLOAD_LIFE_SECONDS`) */
  downloadLifeSeconds?: string | number | undefined
  /** Hours after which an attachment that was never linked is deleted. @default 24 (`RUNLEDGER_UNLINKED_LIFE_HOURS`) */
  unlinkedLifeHours?: string | number | undefined
  /**
   * Proxies in front of the service, whose `X-Forwarded-For` says who asks: addresses, ranges such as 10.0.0.0/8, or
   * loopback, linklocal, uniquelocal, with commas between. @default none (`RUNLEDGER_TRUST_PROXY`)
   */
  trustProxy?: string | undefined
  /** What is logged: silent, error, warn, info (each request too) or debug. @default "warn" (`RUNLEDGER_LOG_LEVEL`) */
  logLevel?: string | undefined
  /** E-mail address of the first user, for the first start. @default "owner@localhost" (`RUNLEDGER_OWNER_EMAIL`) */
  ownerEmail?: string | undefined
  /** Folder whose package names the first procedure. @default the current folder */
  projectDir?: string | undefined
  /** Folder of the built dashboard. @default the one inside this package */
  dashboardDir?: string | undefined
}

export interface ServerConfig extends Budgets {
  dataDir: string
  /** May contain a password. */
  database: string | undefined
  /** Undefined where the bytes are in the data folder. */
  storage: StorageConfig | undefined
  directUploads: boolean
  anonymousViewing: boolean
  /** Undefined where nobody signs in by OpenID Connect. */
  provider: ProviderConfig | undefined
  port: number
  host: string
  publicUrl: string | undefined
  /** Undefined to derive it from the address that the service listens on. */
  filesOrigin: string | undefined
  /** Undefined for the one below `port`, or a free one. */
  filesPort: number | undefined
  maxAttachmentBytes: number
  /** Other requests have lower limits. */
  maxBodyBytes: number
  /** Time over which the pace of a body is measured. */
  stalledBodySeconds: number
  /** How long a body may wait for room in the memory before it is refused. */
  bodyWaitSeconds: number
  /** Must be shorter than the stall limit: otherwise newly stalled responses would take the place of those that were ended. */
  responseWaitSeconds: number
  uploadLifeSeconds: number
  downloadLifeSeconds: number
  unlinkedLifeHours: number
  trustProxy: string | undefined
  logLevel: LogLevel
  ownerEmail: string
  projectDir: string
  dashboardDir: string | undefined
}

/** An @ after the host is an unescaped @ of the password: error messages would show the rest of the password. */
const CUT_PASSWORD = /^postgres(?:ql)?:\/\/[^/?#]*[/?#].*@/

const SETTINGS = {
  data: { flag: '--data', variable: 'RUNLEDGER_DATA', schema: z.string().default(DATA_FOLDER) },
  database: {
    flag: '--database',
    variable: 'RUNLEDGER_DATABASE',
    schema: z
      .string()
      .refine(
        (value) => /^postgres(?:ql)?:\/\/./.test(value),
        'must be the address of a PostgreSQL database, such as postgres://user@host/name',
      )
      .refine(
        (value) => !CUT_PASSWORD.test(value),
        'must escape / as %2F, ? as %3F, # as %23 and @ as %40 in the password',
      )
      .optional(),
    isSecret: true,
  },
  storage: {
    flag: '--storage',
    variable: 'RUNLEDGER_STORAGE',
    schema: z
      .string()
      .transform((value, context) => {
        try {
          return parseStorageAddress(value)
        } catch (error) {
          context.addIssue((error as Error).message)
          return z.NEVER
        }
      })
      .optional(),
    isSecret: true,
  },
  directUploads: { flag: '--direct-uploads', variable: 'RUNLEDGER_DIRECT_UPLOADS', schema: YES_OR_NO },
  anonymousViewing: {
    flag: '--anonymous-viewing',
    variable: 'RUNLEDGER_ANONYMOUS_VIEWING',
    schema: YES_OR_NO,
  },
  port: { flag: '--port', variable: 'RUNLEDGER_PORT', schema: whole(DEFAULT_PORT, 65_535) },
  host: { flag: '--host', variable: 'RUNLEDGER_HOST', schema: z.string().default('127.0.0.1') },
  publicUrl: {
    flag: '--public-url',
    variable: 'RUNLEDGER_PUBLIC_URL',
    schema: z
      .string()
      .refine(isPublicUrl, 'must be an address such as https://runs.example.com')
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
  },
  ...FILES_SETTINGS,
  maxAttachmentBytes: {
    flag: '--max-attachment-bytes',
    variable: 'RUNLEDGER_SERVER_MAX_ATTACHMENT_BYTES',
    schema: whole(100 * MIB),
  },
  maxBodyBytes: { variable: 'RUNLEDGER_SERVER_MAX_BODY_BYTES', schema: whole(8 * MIB) },
  uploadLifeSeconds: { variable: 'RUNLEDGER_UPLOAD_LIFE_SECONDS', schema: whole(900) },
  downloadLifeSeconds: { variable: 'RUNLEDGER_DOWNLOAD_LIFE_SECONDS', schema: whole(3600) },
  unlinkedLifeHours: { variable: 'RUNLEDGER_UNLINKED_LIFE_HOURS', schema: whole(24) },
  trustProxy: {
    flag: '--trust-proxy',
    variable: 'RUNLEDGER_TRUST_PROXY',
    schema: z
      .string()
      .refine(
        isProxyList,
        'must be addresses of proxies, such as loopback or 10.0.0.0/8, with commas between',
      )
      .optional(),
  },
  logLevel: {
    flag: '--log-level',
    variable: 'RUNLEDGER_LOG_LEVEL',
    schema: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('warn'),
  },
  ownerEmail: { variable: 'RUNLEDGER_OWNER_EMAIL', schema: EmailSchema.default('owner@localhost') },
} satisfies Record<string, Setting<unknown>>

/** @throws SettingError that names the flag and the variable of a bad value */
export function resolveServerConfig(flags: ServerFlags, env: NodeJS.ProcessEnv = process.env): ServerConfig {
  const read = <Value>(
    { flag, variable, schema, isSecret = false }: Setting<Value>,
    given: string | number | boolean | undefined,
  ): Value => {
    const value = given === undefined || given === '' ? text(env[variable]) : text(String(given))
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    const names = flag === undefined ? variable : `${flag} (${variable})`
    const received = isSecret ? 'something else' : `"${value}"`
    throw new SettingError(`${names} ${parsed.error.issues[0]?.message}, but is ${received}.`)
  }
  const database = read(SETTINGS.database, flags.database)
  const storage = readStorage(read(SETTINGS.storage, flags.storage), database, env)
  const directUploads = read(SETTINGS.directUploads, flags.directUploads)
  const uploadLifeSeconds = read(SETTINGS.uploadLifeSeconds, flags.uploadLifeSeconds)
  if (directUploads) refuseDirectUploads(storage, uploadLifeSeconds)
  const budgets = Object.entries(BUDGET_SETTINGS).map(
    ([name, setting]) => [name, read(setting, flags[name as keyof Budgets])] as const,
  )
  const publicUrl = read(SETTINGS.publicUrl, flags.publicUrl)
  const filesOrigin = read(SETTINGS.filesOrigin, flags.filesOrigin)
  const filesPort = read(SETTINGS.filesPort, flags.filesPort)
  checkFilesOrigin({ publicUrl, filesOrigin, filesPort })
  return {
    ...(Object.fromEntries(budgets) as Budgets),
    dataDir: resolve(read(SETTINGS.data, flags.data)),
    database,
    storage,
    directUploads,
    anonymousViewing: read(SETTINGS.anonymousViewing, flags.anonymousViewing),
    provider: readProvider(read, flags, env),
    port: read(SETTINGS.port, flags.port),
    host: read(SETTINGS.host, flags.host),
    publicUrl,
    filesOrigin,
    filesPort,
    maxAttachmentBytes: read(SETTINGS.maxAttachmentBytes, flags.maxAttachmentBytes),
    maxBodyBytes: read(SETTINGS.maxBodyBytes, flags.maxBodyBytes),
    stalledBodySeconds: 60,
    bodyWaitSeconds: 30,
    responseWaitSeconds: 4,
    uploadLifeSeconds,
    downloadLifeSeconds: read(SETTINGS.downloadLifeSeconds, flags.downloadLifeSeconds),
    unlinkedLifeHours: read(SETTINGS.unlinkedLifeHours, flags.unlinkedLifeHours),
    trustProxy: read(SETTINGS.trustProxy, flags.trustProxy),
    logLevel: read(SETTINGS.logLevel, flags.logLevel),
    ownerEmail: read(SETTINGS.ownerEmail, flags.ownerEmail),
    projectDir: resolve(flags.projectDir ?? '.'),
    dashboardDir: flags.dashboardDir,
  }
}

function readStorage(
  address: StorageAddress | undefined,
  database: string | undefined,
  env: NodeJS.ProcessEnv,
): StorageConfig | undefined {
  if (address === undefined) return undefined
  const names = `${SETTINGS.storage.flag} (${SETTINGS.storage.variable})`
  if (database === undefined)
    throw new SettingError(
      `${names} needs ${SETTINGS.database.flag} (${SETTINGS.database.variable}): beside SQLite, files are in the data folder.`,
    )
  return { address, credentials: readStoreKeys(names, env) }
}

// The longest life of an address that a store accepts.
const MAX_DIRECT_LIFE_SECONDS = 7 * 24 * 3600

/** @throws SettingError without a store for direct uploads, or when the store cannot make addresses for that long */
function refuseDirectUploads(storage: StorageConfig | undefined, lifeSeconds: number): void {
  const { directUploads, storage: place, uploadLifeSeconds: life } = SETTINGS
  const names = `${directUploads.flag} (${directUploads.variable})`
  if (storage === undefined)
    throw new SettingError(`${names} needs a bucket that takes them: set ${place.flag} (${place.variable}).`)
  if (lifeSeconds < 1 || lifeSeconds > MAX_DIRECT_LIFE_SECONDS)
    throw new SettingError(
      `${life.variable} must be from 1 to ${MAX_DIRECT_LIFE_SECONDS} with ${names}, but is "${lifeSeconds}".`,
    )
}

function isPublicUrl(value: string): boolean {
  return z.url({ protocol: /^https?$/ }).safeParse(value).success && !/[?#@]/.test(value)
}

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal']

function isProxyList(value: string): boolean {
  return value.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/')
    if (PROXY_NAMES.includes(part.trim())) return true
    const most = isIP(address) === 4 ? 32 : 128
    return (
      isIP(address) !== 0 &&
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
    )
  })
}
