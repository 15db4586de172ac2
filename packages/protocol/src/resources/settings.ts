import * as z from 'zod'
import { NumberTextSchema } from '../text-schema'

/** Longest pattern for serial numbers, in UTF-16 code units. */
export const MAX_PATTERN_LENGTH = 255

/** A hundred years. */
const MAX_DAYS = 36_500
const MAX_RETENTION_RULES = 1000
const DaysSchema = z.int().min(1).max(MAX_DAYS).nullable()

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Settings of an organisation (docs/interface.md#settings-that-refuse). */
export const SettingsSchema = z.object({
  /** v1 creates a new unit without a part number under the default component. Off: 400. */
  'default_component.enabled': z.boolean(),
  'default_component.number': NumberTextSchema,
  'default_revision.number': NumberTextSchema,
  /** Off: new ones are refused with FORBIDDEN "… creation failed". */
  'auto_create.part': z.boolean(),
  'auto_create.revision': z.boolean(),
  'auto_create.unit': z.boolean(),
  'auto_create.batch': z.boolean(),
  'auto_create.version': z.boolean(),
  /** RE2 with a group `part_number`, `revision_number` or `batch_number`; null: serial numbers are not parsed. */
  'serial_number.pattern': z.string().min(1).max(MAX_PATTERN_LENGTH).nullable(),
  /** Runs that may be created in a calendar month of UTC; null: any number. */
  'limits.runs_per_month': z.int().min(0).nullable(),
  /** On: every new run is refused with FORBIDDEN "Plan upgrade required". */
  'plan.upgrade_required': z.boolean(),
  /** Days after its receipt when a run is deleted; null: never. */
  'retention.days': DaysSchema,
  /** By identifier or id of a procedure; replaces `retention.days` there. */
  'retention.days_by_procedure': z
    .record(z.string().min(1).max(255), DaysSchema)
    .refine((rules) => Object.keys(rules).length <= MAX_RETENTION_RULES, {
      message: `must have at most ${MAX_RETENTION_RULES} procedures`,
    }),
  'organization.slug': z
    .string()
    .max(63)
    .regex(SLUG, 'must be lower-case words joined by hyphens, such as acme-lamps'),
})
export type Settings = z.output<typeof SettingsSchema>
export type SettingName = keyof Settings

export const DEFAULT_SETTINGS: Settings = {
  'default_component.enabled': true,
  'default_component.number': 'DEFAULT',
  'default_revision.number': 'A',
  'auto_create.part': true,
  'auto_create.revision': true,
  'auto_create.unit': true,
  'auto_create.batch': true,
  'auto_create.version': true,
  'serial_number.pattern': null,
  'limits.runs_per_month': null,
  'plan.upgrade_required': false,
  'retention.days': null,
  'retention.days_by_procedure': {},
  'organization.slug': 'local',
}
export const SETTING_NAMES = Object.keys(DEFAULT_SETTINGS) as SettingName[]

type Resettable = {
  [Name in SettingName]: z.ZodOptional<z.ZodNullable<(typeof SettingsSchema.shape)[Name]>>
}

/** `PATCH /v2/settings`, our addition: null restores the default. Unknown names are kept for the warning. */
export const UpdateSettingsRequestSchema = z.looseObject(
  Object.fromEntries(
    SETTING_NAMES.map((name) => [name, SettingsSchema.shape[name].nullish()]),
  ) as unknown as Resettable,
)
export type UpdateSettingsRequest = z.output<typeof UpdateSettingsRequestSchema>

/** All settings as they are now; `warnings` names the unknown ones. */
export const UpdateSettingsResponseSchema = SettingsSchema.extend({ warnings: z.array(z.string()) })
export type UpdateSettingsResponse = z.output<typeof UpdateSettingsResponseSchema>
