/** Tables of what hangs on a run, whose keys begin with it. */
const OF_RUN = [
  'phases',
  'measurements',
  'phase_tags',
  'phase_attempts',
  'phase_errors',
  'run_metadata',
  'run_logs',
  'run_sub_units',
  'declared_attachments',
]

/** What runs, and what hangs on them, refer to besides: column and table. */
const LOOKED_UP: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  runs: {
    procedure_id: 'procedures',
    unit_id: 'units',
    revision_id: 'revisions',
    created_by_user_id: 'users',
    created_by_station_id: 'stations',
    batch_id: 'batches',
    version_id: 'procedure_versions',
    operated_by_user_id: 'users',
  },
  phase_errors: { error_id: 'errors', group_id: 'error_groups' },
  run_metadata: { value_id: 'metadata_values' },
  run_sub_units: { unit_id: 'units' },
}

/** Whole on each machine, since the others are joined with them; each after those that it refers to. */
const REFERENCE_TABLES = [
  'applied_migrations',
  'settings',
  'users',
  'stations',
  'api_keys',
  'sessions',
  'sign_in_codes',
  'procedures',
  'procedure_versions',
  'station_procedures',
  'parts',
  'revisions',
  'batches',
  'units',
  'unit_metadata',
  'definitions',
  'metadata_values',
  'error_groups',
  'errors',
  'blobs',
  'attachments',
  'deletions',
  'executions',
]

/** Distributed by texts of their own: they grow with the runs, and are found by these. */
const BY_TEXT = { idempotency_keys: 'idempotency_key', run_months: 'month' }

/** References that a distributed database cannot have: of what is whole on each machine, or lies elsewhere, to a run. */
const LOST = [
  ['attachments', 'run_id'],
  ['attachments', 'link_to_run_id'],
  ['idempotency_keys', 'run_id'],
] as const

/**
 * The statements that distribute the tables of a database over the machines of a Citus cluster
 * (https://docs.citusdata.com), runs by their keys and what hangs on a run beside it. Foreign keys between tables that are not
 * distributed yet would be in the way, so they go first and come back last.
 */
export function listDistributionStatements(): string[] {
  return [
    ...LOST.map(([table, column]) => dropForeignKey(table, column)),
    ...OF_RUN.map((table) => dropForeignKey(table, 'run_id')),
    ...mapLookedUp((table, column) => dropForeignKey(table, column)),
    ...REFERENCE_TABLES.map((table) => `SELECT create_reference_table('${table}')`),
    `SELECT create_distributed_table('runs', 'id')`,
    ...OF_RUN.map(
      (table) => `SELECT create_distributed_table('${table}', 'run_id', colocate_with => 'runs')`,
    ),
    ...Object.entries(BY_TEXT).map(
      ([table, column]) =>
        `SELECT create_distributed_table('${table}', '${column}', colocate_with => 'none')`,
    ),
    ...OF_RUN.map((table) => `${addForeignKey(table, 'run_id', 'runs')} ON DELETE CASCADE`),
    ...mapLookedUp((table, column, to) => addForeignKey(table, column, to)),
    ONE_AFTER_ANOTHER,
  ]
}

/** Else what was read of runs on several connections at once keeps a transaction from changing a reference table. */
const ONE_AFTER_ANOTHER = `DO $$ BEGIN EXECUTE format(
  'ALTER DATABASE %I SET citus.multi_shard_modify_mode = sequential', current_database()); END $$`

function mapLookedUp(statementOf: (table: string, column: string, to: string) => string): string[] {
  return Object.entries(LOOKED_UP).flatMap(([table, references]) =>
    Object.entries(references).map(([column, to]) => statementOf(table, column, to)),
  )
}

function dropForeignKey(table: string, column: string): string {
  return `ALTER TABLE ${table} DROP CONSTRAINT ${table}_${column}_fkey`
}

function addForeignKey(table: string, column: string, to: string): string {
  const key = `${table}_${column}_fkey FOREIGN KEY (${column}) REFERENCES ${to} (id)`
  return `ALTER TABLE ${table} ADD CONSTRAINT ${key}`
}
