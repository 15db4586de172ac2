import { HttpError } from '../../base/errors'
import type { Settings } from '../access/settings/store'

/** A run creates them by naming a new one, if the settings allow it. */
const NOUNS = {
  part: 'parts',
  revision: 'revisions',
  unit: 'units',
  batch: 'batches',
  version: 'versions',
} as const

/** Where the organisation creates such records itself: refuses runs, and stations in any request. @throws HttpError FORBIDDEN */
export function refuseNew(settings: Settings, noun: keyof typeof NOUNS, missing: string): void {
  if (settings[`auto_create.${noun}`]) return
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`
  throw new HttpError(
    'FORBIDDEN',
    `${title} creation failed: ${missing} and the organisation does not create ${NOUNS[noun]} on first sight.`,
  )
}
