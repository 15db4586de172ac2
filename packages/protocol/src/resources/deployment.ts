import * as z from 'zod'
import { optional } from '../optional'
import { TimestampSchema } from '../time-schema'
import { FilterTextSchema, pageOf, pageQueryFields, QueryBooleanSchema, queryList } from './page'
import { EnvironmentSchema } from './run-filter'

export const ListDeploymentsQuerySchema = z.object({
  ...pageQueryFields,
  procedure_ids: queryList(FilterTextSchema),
  environments: queryList(EnvironmentSchema),
  build_statuses: queryList(FilterTextSchema),
  pushed: QueryBooleanSchema,
  branch_names: queryList(FilterTextSchema),
  author_usernames: queryList(FilterTextSchema),
  deployed_after: optional(TimestampSchema),
  deployed_before: optional(TimestampSchema),
  search_query: optional(FilterTextSchema),
})

/** The service deploys nothing, so no deployment is ever returned. Runs name deployments of other systems. */
export const DeploymentSchema = z.never()
export const DeploymentPageSchema = pageOf(DeploymentSchema)
