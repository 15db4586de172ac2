import { ACCESS } from './001-access'
import { RUNS } from './002-runs'
import { ATTACHMENTS } from './003-attachments'
import { INTERFACE } from './004-interface'
import type { Migration } from './migration'

/** In order; one that was released is never changed, only followed by another. */
export const MIGRATIONS: readonly Migration[] = [ACCESS, RUNS, ATTACHMENTS, INTERFACE]
