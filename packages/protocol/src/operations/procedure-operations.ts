import { IdResponseSchema } from '../resources/common'
import { DeploymentPageSchema, DeploymentSchema, ListDeploymentsQuerySchema } from '../resources/deployment'
import {
  CreateProcedureResponseSchema,
  CreateProcedureRequestSchema,
  CreateVersionRequestSchema,
  ListProceduresQuerySchema,
  ProcedureDetailSchema,
  ProcedurePageSchema,
  UpdateProcedureRequestSchema,
  VersionSchema,
} from '../resources/procedure'
import { ID_PARAMS, PROCEDURE_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Procedures'

export const PROCEDURE_OPERATIONS = {
  listProcedures: {
    tag,
    summary: 'List procedures, newest first',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListProceduresQuerySchema,
    response: ProcedurePageSchema,
  },
  createProcedure: {
    tag,
    summary: 'Create a procedure',
    access: 'user-key',
    role: 'member',
    errors: ['CONFLICT'],
    body: CreateProcedureRequestSchema,
    response: CreateProcedureResponseSchema,
  },
  getProcedure: {
    tag,
    summary: 'Get a procedure with its last runs and the stations linked to it',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    response: ProcedureDetailSchema,
  },
  updateProcedure: {
    tag,
    summary: 'Change the name of a procedure, or what is kept of its repository',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND'],
    body: UpdateProcedureRequestSchema,
    response: IdResponseSchema,
  },
  deleteProcedure: {
    tag,
    summary: 'Delete a procedure and everything under it: runs, versions, links of stations',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    response: IdResponseSchema,
  },
  createProcedureVersion: {
    tag,
    summary: 'Create a version of a procedure',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: PROCEDURE_PARAMS,
    body: CreateVersionRequestSchema,
    response: IdResponseSchema,
  },
  getProcedureVersion: {
    tag,
    summary: 'Get a version of a procedure',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: PROCEDURE_PARAMS,
    response: VersionSchema,
  },
  deleteProcedureVersion: {
    tag,
    summary: 'Delete a version that no run has',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: PROCEDURE_PARAMS,
    response: IdResponseSchema,
  },
  listDeployments: {
    tag,
    summary: 'List deployments of procedures: there are none, since this service deploys nothing',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListDeploymentsQuerySchema,
    response: DeploymentPageSchema,
  },
  getDeployment: {
    tag,
    summary: 'Get a deployment: always 404, since there are none',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: DeploymentSchema,
  },
} as const satisfies Record<string, Operation>
