import * as z from 'zod'
import { optional } from './optional'
import { refusing } from './refused-members'
import { BatchNumberSchema, NumberTextSchema } from './text-schema'

/** The unit being tested (docs/interface.md#units-and-parts). A new unit or component is created when none matches. */
export const UnitUnderTestSchema = refusing(
  {
    serial_number: NumberTextSchema.meta({
      description: 'Identifies the unit; a new unit is created when none matches',
      examples: ['SN-0001'],
    }),
    part_number: optional(NumberTextSchema).meta({
      description: 'Identifies the component; a new one is created when none matches',
    }),
    revision: optional(NumberTextSchema).meta({
      description: 'Revision of the component; needed when it has several',
    }),
    batch_number: optional(BatchNumberSchema).optional().meta({
      description: 'The batch that the unit belongs to; a new one is created when none matches',
    }),
  },
  { revision_number: 'send revision', metadata: 'send unit_metadata of the run' },
)
export type UnitUnderTest = z.output<typeof UnitUnderTestSchema>

/** A unit that is part of the unit under test (docs/interface.md#sub-units). */
export const SubUnitSchema = z.object({ serial_number: NumberTextSchema })
export type SubUnit = z.output<typeof SubUnitSchema>
