import { z } from 'zod'
import { SettingError } from '../errors'
import { wholeOrNone } from './setting'

/** The origin where browsers open attachments, and the port that serves it. */
export const FILES_SETTINGS = {
  filesOrigin: {
    flag: '--files-origin',
    variable: 'RUNLEDGER_FILES_ORIGIN',
    schema: z
      .string()
      .refine(isOrigin, 'must be an origin without a path, such as https://runs-files.example.com')
      .transform((value) => new URL(value).origin)
      .optional(),
  },
  filesPort: {
    flag: '--files-port',
    variable: 'RUNLEDGER_FILES_PORT',
    schema: wholeOrNone(65_535).optional(),
  },
}

function isOrigin(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { origin, href } = new URL(value)
  return /^https?:/.test(origin) && href === `${origin}/`
}

interface FilesConfig {
  publicUrl: string | undefined
  filesOrigin: string | undefined
  filesPort: number | undefined
}

/** @throws SettingError when attachments would be opened at the service's own origin, or at a port that nobody could know */
export function checkFilesOrigin({ publicUrl, filesOrigin, filesPort }: FilesConfig): void {
  const { filesOrigin: origin, filesPort: port } = FILES_SETTINGS
  const names = `${origin.flag} (${origin.variable})`
  if (publicUrl === undefined) return
  if (filesOrigin === new URL(publicUrl).origin)
    throw new SettingError(
      `${names} must differ from the origin of --public-url: scripts of attachments would reach the session there.`,
    )
  if (filesOrigin === undefined && filesPort !== undefined)
    throw new SettingError(
      `${port.flag} (${port.variable}) with --public-url needs ${names}: the address by which browsers reach that port.`,
    )
}
