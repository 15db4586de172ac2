import { cutWell } from './text'

/** Longest name that reporters give a step, in UTF-16 code units; longer ones are cut and end in `…`. */
export const MAX_STEP_NAME_LENGTH = 500

/** Separates the parts of a step's name: describe titles, test title, measurement. */
export const STEP_NAME_SEPARATOR = ' › '

/** Joins parts that are storable already; cut at `MAX_STEP_NAME_LENGTH`. */
export function joinStepName(parts: readonly string[]): string {
  const name = parts.join(STEP_NAME_SEPARATOR)
  return name.length <= MAX_STEP_NAME_LENGTH ? name : `${cutWell(name, MAX_STEP_NAME_LENGTH - 1)}…`
}
