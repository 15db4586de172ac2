import { ACCESS_ATTACKS } from './access.mjs'
import { BODY_ATTACKS } from './bodies.mjs'
import { BUDGET_ATTACKS } from './budgets.mjs'
import { CONNECTION_ATTACKS } from './connections.mjs'
import { CONTENT_ATTACKS } from './content.mjs'
import { DATABASE_ATTACKS } from './database.mjs'
import { HISTORY_ATTACKS } from './history.mjs'

/**
 * What an attack is given: the service, how to say that it got through, and whether there is little time.
 * @typedef {{ target: import('../target.mjs').Target, claim: (holds: boolean, sentence: string) => void,
 *   claimFast: (ms: number, mostMs: number, what: string) => void, isSmall: boolean }} Attacked
 * An attack whose service `isFilled` finds many runs on record, of the procedures that the bench has; one that `onlyWaits`
 * for time limits of the service leaves the machine to others; one with a `disk` has its data on a file system of that size.
 * @typedef {{ about: string, run: (attacked: Attacked) => Promise<string>, isFilled?: boolean, onlyWaits?: boolean,
 *   disk?: { megabytes: number }, target?: Parameters<typeof import('../target.mjs').startTarget>[0] }} Attack
 */

/** Every attack by its name, as SECURITY.md names it. @type {Record<string, Attack>} */
export const ATTACKS = {
  ...BODY_ATTACKS,
  ...CONNECTION_ATTACKS,
  ...BUDGET_ATTACKS,
  ...HISTORY_ATTACKS,
  ...ACCESS_ATTACKS,
  ...CONTENT_ATTACKS,
  ...DATABASE_ATTACKS,
}
