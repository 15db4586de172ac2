import {
  SettingsSchema,
  UpdateSettingsResponseSchema,
  UpdateSettingsRequestSchema,
} from '../resources/settings'
import type { Operation } from './operation'

const tag = 'Settings'

/** Our addition. */
export const SETTINGS_OPERATIONS = {
  getSettings: {
    tag,
    summary: 'Get the settings of the organisation',
    access: 'user-key',
    role: 'viewer',
    errors: [],
    response: SettingsSchema,
  },
  updateSettings: {
    tag,
    summary: 'Change settings of the organisation; null sets one back to its default',
    access: 'user-key',
    role: 'admin',
    errors: [],
    body: UpdateSettingsRequestSchema,
    response: UpdateSettingsResponseSchema,
  },
} as const satisfies Record<string, Operation>
