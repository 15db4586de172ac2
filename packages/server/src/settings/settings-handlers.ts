import type { Handlers } from '../http/handler'
import { readCommittedSettings } from './settings-store'
import { updateSettings } from './update-settings'

export const SETTINGS_HANDLERS: Handlers<'getSettings' | 'updateSettings'> = {
  getSettings: ({ context }) => readCommittedSettings(context.database.query),
  updateSettings: ({ context, body }) => updateSettings(context, body),
}
