import { DEFAULT_SETTINGS, type Settings, SettingsSchema } from '@runledger/protocol'

export type { Settings } from '@runledger/protocol'

const StoredSettingsSchema = SettingsSchema.partial()

/** The whole settings from those that were changed; rows of other names are no settings. */
export function completeSettings(stored: Record<string, unknown>): Settings {
  return { ...DEFAULT_SETTINGS, ...StoredSettingsSchema.parse(stored) }
}
