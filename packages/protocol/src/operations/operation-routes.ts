export interface OperationRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
}

/**
 * Every JSON operation, served at `/` and under `/api` (docs/interface.md#addresses-and-transport). Without schemas, so that
 * clients that only send load nothing else.
 */
export const OPERATION_ROUTES = {
  createV1Run: { method: 'POST', path: '/v1/runs/create' },
  createV1Runs: { method: 'POST', path: '/v1/runs/batch' },
  createLenientV1Run: { method: 'POST', path: '/v1/runs' },
  deleteV1Run: { method: 'DELETE', path: '/v1/runs/{id}' },
  listV1Runs: { method: 'GET', path: '/v1/runs' },
  updateV1Unit: { method: 'PATCH', path: '/v1/units/{serial_number}' },
  updateV1UnitByNumber: { method: 'PATCH', path: '/v1/units' },
  deleteV1Unit: { method: 'DELETE', path: '/v1/units/{serial_number}' },
  initializeV1Upload: { method: 'POST', path: '/v1/uploads/initialize' },
  syncV1Upload: { method: 'POST', path: '/v1/uploads/sync' },
  importV1File: { method: 'POST', path: '/v1/import' },
  getV1Streaming: { method: 'GET', path: '/v1/streaming' },

  listRuns: { method: 'GET', path: '/v2/runs' },
  createRun: { method: 'POST', path: '/v2/runs' },
  getRun: { method: 'GET', path: '/v2/runs/{id}' },
  updateRun: { method: 'PATCH', path: '/v2/runs/{id}' },
  deleteRuns: { method: 'DELETE', path: '/v2/runs' },
  updateRunMetadata: { method: 'PATCH', path: '/v2/runs/{id}/metadata' },
  createRunAttachment: { method: 'POST', path: '/v2/runs/{id}/attachments' },

  listPhases: { method: 'GET', path: '/v2/phases' },
  getPhase: { method: 'GET', path: '/v2/phases/{id}' },
  listMeasurements: { method: 'GET', path: '/v2/measurements' },
  getMeasurement: { method: 'GET', path: '/v2/measurements/{id}' },
  listLogs: { method: 'GET', path: '/v2/logs' },
  getLog: { method: 'GET', path: '/v2/logs/{id}' },
  listErrors: { method: 'GET', path: '/v2/errors' },
  getError: { method: 'GET', path: '/v2/errors/{fingerprint}' },
  listVerdicts: { method: 'GET', path: '/v2/verdicts' },

  getHome: { method: 'GET', path: '/v2/home' },
  search: { method: 'GET', path: '/v2/search' },
  listBuilds: { method: 'GET', path: '/v2/builds' },
  listBuildTests: { method: 'GET', path: '/v2/builds/{group}/tests' },
  compareBuilds: { method: 'GET', path: '/v2/comparison' },
  explainFailures: { method: 'GET', path: '/v2/explanation' },
  listTests: { method: 'GET', path: '/v2/tests' },
  getTest: { method: 'GET', path: '/v2/tests/{id}' },
  addTestAlias: { method: 'POST', path: '/v2/tests/{id}/aliases' },
  removeTestAlias: { method: 'DELETE', path: '/v2/tests/{id}/aliases/{test_id}' },

  listQuarantine: { method: 'GET', path: '/v2/quarantine' },
  addToQuarantine: { method: 'POST', path: '/v2/quarantine' },
  updateQuarantine: { method: 'PATCH', path: '/v2/quarantine/{id}' },
  endQuarantine: { method: 'DELETE', path: '/v2/quarantine/{id}' },
  getQuarantineList: { method: 'GET', path: '/v2/quarantine/list' },

  listLineProcedures: { method: 'GET', path: '/v2/line/procedures' },
  listYields: { method: 'GET', path: '/v2/line/yields' },
  listLineFailures: { method: 'GET', path: '/v2/line/failures' },
  getLineMeasurement: { method: 'GET', path: '/v2/line/measurement' },
  getGaugeStudy: { method: 'GET', path: '/v2/line/gauge' },
  listWhereUsed: { method: 'GET', path: '/v2/line/where-used' },
  getLineUnit: { method: 'GET', path: '/v2/line/unit' },
  getRolledYields: { method: 'GET', path: '/v2/line/rolled-yields' },

  getBuild: { method: 'GET', path: '/v2/builds/{group}' },
  putExecution: { method: 'PUT', path: '/v2/executions/{id}' },
  takeShard: { method: 'POST', path: '/v2/shards' },

  listParts: { method: 'GET', path: '/v2/parts' },
  createPart: { method: 'POST', path: '/v2/parts' },
  getPart: { method: 'GET', path: '/v2/parts/{number}' },
  updatePart: { method: 'PATCH', path: '/v2/parts/{number}' },
  deletePart: { method: 'DELETE', path: '/v2/parts/{number}' },
  createRevision: { method: 'POST', path: '/v2/parts/{part_number}/revisions' },
  getRevision: { method: 'GET', path: '/v2/parts/{part_number}/revisions/{revision_number}' },
  updateRevision: { method: 'PATCH', path: '/v2/parts/{part_number}/revisions/{revision_number}' },
  deleteRevision: { method: 'DELETE', path: '/v2/parts/{part_number}/revisions/{revision_number}' },

  listBatches: { method: 'GET', path: '/v2/batches' },
  createBatch: { method: 'POST', path: '/v2/batches' },
  getBatch: { method: 'GET', path: '/v2/batches/{number}' },
  updateBatch: { method: 'PATCH', path: '/v2/batches/{number}' },
  deleteBatch: { method: 'DELETE', path: '/v2/batches/{number}' },

  listUnits: { method: 'GET', path: '/v2/units' },
  createUnit: { method: 'POST', path: '/v2/units' },
  deleteUnits: { method: 'DELETE', path: '/v2/units' },
  getUnit: { method: 'GET', path: '/v2/units/{serial_number}' },
  updateUnit: { method: 'PATCH', path: '/v2/units/{serial_number}' },
  createUnitAttachment: { method: 'POST', path: '/v2/units/{serial_number}/attachments' },
  deleteUnitAttachments: { method: 'DELETE', path: '/v2/units/{serial_number}/attachments' },
  addUnitChild: { method: 'PUT', path: '/v2/units/{serial_number}/children' },
  removeUnitChild: { method: 'DELETE', path: '/v2/units/{serial_number}/children' },

  initializeAttachment: { method: 'POST', path: '/v2/attachments' },
  listUnlinkedAttachments: { method: 'GET', path: '/v2/attachments' },
  deleteAttachments: { method: 'DELETE', path: '/v2/attachments' },
  finalizeAttachment: { method: 'POST', path: '/v2/attachments/{id}/finalize' },

  importStructuredFiles: { method: 'POST', path: '/v2/imports/structured' },
  importTabularFile: { method: 'POST', path: '/v2/imports/tabular' },

  listProcedures: { method: 'GET', path: '/v2/procedures' },
  createProcedure: { method: 'POST', path: '/v2/procedures' },
  getProcedure: { method: 'GET', path: '/v2/procedures/{id}' },
  updateProcedure: { method: 'PATCH', path: '/v2/procedures/{id}' },
  deleteProcedure: { method: 'DELETE', path: '/v2/procedures/{id}' },
  createProcedureVersion: { method: 'POST', path: '/v2/procedures/{procedure_id}/versions' },
  getProcedureVersion: { method: 'GET', path: '/v2/procedures/{procedure_id}/versions/{tag}' },
  deleteProcedureVersion: { method: 'DELETE', path: '/v2/procedures/{procedure_id}/versions/{tag}' },
  listDeployments: { method: 'GET', path: '/v2/deployments' },
  getDeployment: { method: 'GET', path: '/v2/deployments/{id}' },

  listStations: { method: 'GET', path: '/v2/stations' },
  createStation: { method: 'POST', path: '/v2/stations' },
  getCurrentStation: { method: 'GET', path: '/v2/stations/current' },
  getStation: { method: 'GET', path: '/v2/stations/{id}' },
  updateStation: { method: 'PATCH', path: '/v2/stations/{id}' },
  deleteStation: { method: 'DELETE', path: '/v2/stations/{id}' },
  linkStationProcedure: { method: 'PUT', path: '/v2/stations/{id}/procedures/{procedure_id}' },
  unlinkStationProcedure: { method: 'DELETE', path: '/v2/stations/{id}/procedures/{procedure_id}' },

  createKey: { method: 'POST', path: '/v2/keys' },
  listKeys: { method: 'GET', path: '/v2/keys' },
  regenerateKey: { method: 'POST', path: '/v2/keys/{id}/regenerate' },
  deleteKey: { method: 'DELETE', path: '/v2/keys/{id}' },

  listAuditEntries: { method: 'GET', path: '/v2/audit' },

  listWebhooks: { method: 'GET', path: '/v2/webhooks' },
  createWebhook: { method: 'POST', path: '/v2/webhooks' },
  updateWebhook: { method: 'PATCH', path: '/v2/webhooks/{id}' },
  deleteWebhook: { method: 'DELETE', path: '/v2/webhooks/{id}' },
  testWebhook: { method: 'POST', path: '/v2/webhooks/{id}/test' },
  listWebhookDeliveries: { method: 'GET', path: '/v2/webhooks/{id}/deliveries' },
  retryWebhookDelivery: { method: 'POST', path: '/v2/webhooks/{id}/deliveries/{delivery_id}/retry' },

  listUsers: { method: 'GET', path: '/v2/users' },
  createUser: { method: 'POST', path: '/v2/users' },
  updateUser: { method: 'PATCH', path: '/v2/users/{id}' },

  getSettings: { method: 'GET', path: '/v2/settings' },
  updateSettings: { method: 'PATCH', path: '/v2/settings' },

  createSignInLink: { method: 'POST', path: '/v2/sign-in-links' },
  listSessions: { method: 'GET', path: '/v2/sessions' },
  deleteSession: { method: 'DELETE', path: '/v2/sessions/{id}' },
  deleteSessions: { method: 'DELETE', path: '/v2/sessions' },

  getHealth: { method: 'GET', path: '/healthz' },
  getReadiness: { method: 'GET', path: '/readyz' },
} as const satisfies Record<string, OperationRoute>

export type OperationRoutes = typeof OPERATION_ROUTES
export type OperationName = keyof OperationRoutes

/** The parameters of a path: `/v2/runs/{id}` has `{id: string}`. */
export type PathParams<Path extends string> = { [Name in ParamName<Path>]: string }

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never

export function listPathParams(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
}
