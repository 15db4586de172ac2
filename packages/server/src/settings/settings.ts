import { z } from 'zod'

/** What an organisation can set, with the defaults of the contract decisions; stored one row for each that was changed. */
export const SettingsSchema = z.object({
  /** v1 creates a new unit without a part number under the default component; off, it answers 400. */
  'default_component.enabled': z.boolean().default(true),
  'default_component.number': z.string().default('DEFAULT'),
  'default_revision.number': z.string().default('A'),
  'auto_create.part': z.boolean().default(true),
  'auto_create.revision': z.boolean().default(true),
  'auto_create.unit': z.boolean().default(true),
})
export type Settings = z.output<typeof SettingsSchema>
