import { type Setting, whole } from './setting'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

/** Limits of what clients may use up. */
export interface BudgetFlags {
  /** Most bytes of the metadata (report variables) of a run. @default 1048576 (`RUNLEDGER_SERVER_MAX_METADATA_BYTES`) */
  maxMetadataBytes?: string | number | undefined
  /**
   * A list ends before the record whose metadata, failures, measured values or names would exceed this; its cursor leads to the rest.
   * @default 4194304 (`RUNLEDGER_SERVER_MAX_LIST_BYTES`)
   */
  maxListBytes?: string | number | undefined
  /**
   * Most bytes of responses that clients have not read yet; half of them for one key.
   * @default 100663296 (`RUNLEDGER_SERVER_MAX_UNSENT_BYTES`)
   */
  maxUnsentBytes?: string | number | undefined
  /**
   * Most connections; half of them for one key.
   * @default 4000, fewer where the process may open few files (`RUNLEDGER_SERVER_MAX_CONNECTIONS`)
   */
  maxConnections?: string | number | undefined
  /**
   * Most bytes of unlinked attachments of one station or user; never more than half of the disk.
   * @default 53687091200 (`RUNLEDGER_SERVER_MAX_UNLINKED_BYTES`)
   */
  maxUnlinkedBytes?: string | number | undefined
  /** Most live quarantine entries of a procedure. @default 20 (`RUNLEDGER_SERVER_MAX_QUARANTINED`) */
  maxQuarantined?: string | number | undefined
}

export type Budgets = Record<keyof BudgetFlags, number>

export const BUDGET_SETTINGS: Record<keyof Budgets, Setting<number>> = {
  maxMetadataBytes: { variable: 'RUNLEDGER_SERVER_MAX_METADATA_BYTES', schema: whole(MIB) },
  maxListBytes: { variable: 'RUNLEDGER_SERVER_MAX_LIST_BYTES', schema: whole(4 * MIB) },
  maxUnsentBytes: { variable: 'RUNLEDGER_SERVER_MAX_UNSENT_BYTES', schema: whole(96 * MIB) },
  maxConnections: { variable: 'RUNLEDGER_SERVER_MAX_CONNECTIONS', schema: whole(deriveMaxConnections) },
  maxUnlinkedBytes: { variable: 'RUNLEDGER_SERVER_MAX_UNLINKED_BYTES', schema: whole(50 * GIB) },
  maxQuarantined: { variable: 'RUNLEDGER_SERVER_MAX_QUARANTINED', schema: whole(20) },
}

export function variableOf(budget: keyof Budgets): string {
  return BUDGET_SETTINGS[budget].variable
}

const MOST_CONNECTIONS = 4_000

/** Open files besides those of requests: the database, its log, pipes to its readers. */
const OWN_FILES = 128

/** A connection is an open file; its attachment may be a second one. */
function deriveMaxConnections(): number {
  return Math.max(16, Math.min(MOST_CONNECTIONS, Math.floor((readMaxOpenFiles() - OWN_FILES) / 2)))
}

/** Windows sets no such limit. */
function readMaxOpenFiles(): number {
  // Network names may take seconds to look up. The types of Node 20 lack the setting.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } }
  }
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.MAX_SAFE_INTEGER
}
