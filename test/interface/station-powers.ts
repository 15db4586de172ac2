import {
  type Access,
  OPERATION_ROUTES,
  OPERATIONS,
  type OperationName,
  type OperationRoutes,
  type Operations,
} from '../../packages/protocol/src/index'

/** Operations by which a station may write. */
type StationWrite = {
  [Name in OperationName]: OperationRoutes[Name]['method'] extends 'GET'
    ? never
    : Operations[Name]['access'] extends 'user-key' | 'none'
      ? never
      : Name
}[OperationName]

/** What a run says of the unit that it is about, and counts that rise with it. */
const RUN = [
  'units.revision_id',
  'units.batch_id',
  'units.parent_unit_id',
  'unit_metadata',
  'run_months.created_runs',
  'line_days',
  'measurement_days',
]
/** What a station may change of records that others made, as `<table>.<column>`; everything else stays as it was. */
export const CHANGES: Readonly<Record<StationWrite, readonly string[]>> = {
  createV1Run: RUN,
  createV1Runs: RUN,
  createLenientV1Run: RUN,
  createRun: RUN,
  importV1File: RUN,
  importStructuredFiles: RUN,
  importTabularFile: RUN,
  // Its sender made the id, which no answer shows.
  putExecution: ['executions.ended_at_us', 'executions.missing_runs'],
  takeShard: ['shard_plans.shards'],
  updateRun: [],
  updateRunMetadata: [],
  createRunAttachment: [],
  syncV1Upload: [],
  initializeAttachment: [],
  finalizeAttachment: [],
  initializeV1Upload: [],
  createPart: [],
  createRevision: [],
  createBatch: [],
  createUnit: [],
  // The counts of a line are those of its units' revisions.
  updateUnit: ['units.revision_id', 'units.batch_id', 'units.sample', 'unit_metadata', 'line_days'],
  createUnitAttachment: [],
  deleteUnitAttachments: [],
  addUnitChild: ['units.parent_unit_id'],
  removeUnitChild: ['units.parent_unit_id'],
  updateV1Unit: ['units.parent_unit_id'],
  updateV1UnitByNumber: ['units.parent_unit_id'],
}

/** Describes what a station may do with each access, as an item of SECURITY.md; empty for nothing. */
const CLAUSES: Readonly<Record<Access, string>> = {
  'any-key': 'reads all records',
  'every-key': 'uploads files',
  'linked-procedure': 'creates runs of the procedures that are linked to it and reports their executions',
  'linked-run': 'adds files and metadata to runs of these procedures',
  'linked-station':
    'creates units, parts, revisions and batches while a procedure is linked to it and the organisation creates them on first sight',
  'own-unit': 'changes units that it created or that runs of its own are about',
  'own-station': 'reads its own station',
  'station-key': '',
  'user-key': '',
  none: '',
}

/** Builds the list in SECURITY.md of what a station may do from the table of operations, on one line. */
export function describeStationPowers(): string {
  const used = new Set<Access>(Object.values(OPERATIONS).map(({ access }) => access))
  const clauses = (Object.keys(CLAUSES) as Access[])
    .filter((access) => used.has(access) && CLAUSES[access] !== '')
    .map((access) => CLAUSES[access])
  return `A station - ${clauses.join('; - ')}; - deletes or renames nothing that it did not create.`
}

export const STATION_WRITES = (Object.keys(OPERATION_ROUTES) as OperationName[]).filter(
  (name) =>
    OPERATION_ROUTES[name].method !== 'GET' && !['user-key', 'none'].includes(OPERATIONS[name].access),
)
