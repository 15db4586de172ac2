import { DEFAULT_SETTINGS, type Settings, SettingsSchema } from '@runledger/protocol'

export type { Settings } from '@runledger/protocol'

/** The whole settings from those that were changed; rows of other names are no settings. */
export function completeSettings(changed: Readonly<Record<string, unknown>>): Settings {
  return SettingsSchema.parse({ ...DEFAULT_SETTINGS, ...changed })
}
