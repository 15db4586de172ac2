import { DATA_FOLDER, DEFAULT_PORT } from '@runledger/protocol'
import { resolve } from 'node:path'
import { z } from 'zod'
import { SettingError } from '../errors'

const MIB = 1024 * 1024

/** Settings as they come from flags; each falls back to its environment variable, then to its default. */
export interface ServerFlags {
  /** Folder of everything that is stored. @default ".runledger" (`RUNLEDGER_DATA`) */
  data?: string | undefined
  /** Port to listen on; 0 takes a free one. @default 7357 (`RUNLEDGER_PORT`) */
  port?: string | number | undefined
  /** Address to listen on. @default "127.0.0.1" (`RUNLEDGER_HOST`) */
  host?: string | undefined
  /** What every address handed out starts with. @default the listening address (`RUNLEDGER_PUBLIC_URL`) */
  publicUrl?: string | undefined
  /** Largest attachment, in bytes. @default 104857600 (`RUNLEDGER_SERVER_MAX_ATTACHMENT_BYTES`) */
  maxAttachmentBytes?: string | number | undefined
  /** Seconds within which a PUT to an upload address must start. @default 900 (`RUNLEDGER_UPLOAD_LIFE_SECONDS`) */
  uploadLifeSeconds?: string | number | undefined
  /** Seconds that a download address lives, at most. @default 3600 (`RUNLEDGER_DOWNLOAD_LIFE_SECONDS`) */
  downloadLifeSeconds?: string | number | undefined
  /** Hours after which an attachment that was never linked is deleted. @default 24 (`RUNLEDGER_UNLINKED_LIFE_HOURS`) */
  unlinkedLifeHours?: string | number | undefined
  /** Folder whose package names the first procedure. @default the current folder */
  projectDir?: string | undefined
  /** Folder of the built dashboard. @default the one inside this package */
  dashboardDir?: string | undefined
}

export interface ServerConfig {
  dataDir: string
  port: number
  host: string
  publicUrl: string | undefined
  maxAttachmentBytes: number
  /** Longest body of a request that creates a run; shorter ones are the limit elsewhere. */
  maxBodyBytes: number
  /** Time over which the pace of a body is measured. */
  stalledBodySeconds: number
  uploadLifeSeconds: number
  downloadLifeSeconds: number
  unlinkedLifeHours: number
  projectDir: string
  dashboardDir: string | undefined
}

/** Resolves *flag, then variable, then default*; throws SettingError naming the flag and the variable of a bad value. */
export function resolveServerConfig(flags: ServerFlags, env: NodeJS.ProcessEnv = process.env): ServerConfig {
  const whole = (setting: WholeSetting) => resolveWhole(setting, env)
  return {
    dataDir: resolve(text(flags.data) ?? text(env['RUNLEDGER_DATA']) ?? DATA_FOLDER),
    port: whole({
      flag: '--port',
      variable: 'RUNLEDGER_PORT',
      value: flags.port,
      fallback: DEFAULT_PORT,
      max: 65_535,
    }),
    host: text(flags.host) ?? text(env['RUNLEDGER_HOST']) ?? '127.0.0.1',
    publicUrl: resolvePublicUrl(text(flags.publicUrl) ?? text(env['RUNLEDGER_PUBLIC_URL'])),
    maxAttachmentBytes: whole({
      flag: '--max-attachment-bytes',
      variable: 'RUNLEDGER_SERVER_MAX_ATTACHMENT_BYTES',
      value: flags.maxAttachmentBytes,
      fallback: 100 * MIB,
    }),
    maxBodyBytes: 16 * MIB,
    stalledBodySeconds: 30,
    uploadLifeSeconds: whole({
      variable: 'RUNLEDGER_UPLOAD_LIFE_SECONDS',
      value: flags.uploadLifeSeconds,
      fallback: 900,
    }),
    downloadLifeSeconds: whole({
      variable: 'RUNLEDGER_DOWNLOAD_LIFE_SECONDS',
      value: flags.downloadLifeSeconds,
      fallback: 3600,
    }),
    unlinkedLifeHours: whole({
      variable: 'RUNLEDGER_UNLINKED_LIFE_HOURS',
      value: flags.unlinkedLifeHours,
      fallback: 24,
    }),
    projectDir: resolve(flags.projectDir ?? '.'),
    dashboardDir: flags.dashboardDir,
  }
}

interface WholeSetting {
  flag?: string
  variable: string
  value: string | number | undefined
  fallback: number
  max?: number
}

function resolveWhole(
  { flag, variable, value, fallback, max }: WholeSetting,
  env: NodeJS.ProcessEnv,
): number {
  const given = value ?? text(env[variable])
  if (given === undefined) return fallback
  const parsed = /^\d+$/.test(String(given)) ? Number(given) : Number.NaN
  if (Number.isSafeInteger(parsed) && parsed <= (max ?? Number.MAX_SAFE_INTEGER)) return parsed
  const names = [flag, variable].filter(Boolean).join(' (') + (flag ? ')' : '')
  throw new SettingError(
    `${names} must be a whole number${max ? ` from 0 to ${max}` : ''}, but is "${given}".`,
  )
}

function resolvePublicUrl(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const parsed = z.url({ protocol: /^https?$/ }).safeParse(value)
  if (parsed.success && !/[?#@]/.test(value)) return value.replace(/\/+$/, '')
  throw new SettingError(
    `--public-url (RUNLEDGER_PUBLIC_URL) must be an address such as https://runs.example.com, but is "${value}".`,
  )
}

function text(value: string | undefined): string | undefined {
  return value?.trim() ? value.trim() : undefined
}
