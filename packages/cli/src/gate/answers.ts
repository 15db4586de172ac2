import { ApiError } from '@runledger/core/tools'
import {
  type Build,
  type BuildListItem,
  type BuildTest,
  type Client,
  type Comparison,
  type ListBuildsQuery,
  MAX_PAGE_LIMIT,
  type Page,
  PageMetaSchema,
  type RunListItem,
  type VerdictList,
} from '@runledger/protocol'
import * as z from 'zod'
import { findBuild } from '../ask/run'
import { listRuns } from '../ask/runs'

const text = z.string()
const count = z.int().min(0)
const hasFields = z.looseObject

/** The members that the gate needs. A later service may send states, outcomes and verdicts that this version does not know. */
const BuildShape = hasFields({
  group: text,
  url: z.url(),
  state: text,
  missing: z.array(text),
  commit: text.nullable(),
  procedures: z.array(hasFields({ id: text })),
  started_at: text,
  last_reported_at: text,
  runs: hasFields({ total: count, failed: count }),
  tests: hasFields({ passed: count, flaky: count, failed: count, skipped: count }),
})

const RunsShape = hasFields({
  data: z.array(
    hasFields({
      id: text,
      outcome: text,
      procedure: hasFields({ id: text, name: text }),
      unit: hasFields({ serial_number: text }),
      metadata: z.record(text, z.unknown()).optional(),
      first_error: text.optional(),
    }),
  ),
  meta: PageMetaSchema,
})

const VerdictsShape = hasFields({
  data: z.array(hasFields({ run_id: text, name: text, verdict: text, basis: text })),
  more_failures: count,
})

const BuildsShape = hasFields({
  data: z.array(hasFields({ group: text, is_infrastructure: z.boolean() })),
})

const ResultShape = hasFields({ outcome: text, duration_ms: z.number() }).nullable()
const ComparedShape = hasFields({
  total: count,
  data: z.array(
    hasFields({
      test: hasFields({ name: text, file: text.nullable() }),
      base: ResultShape,
      head: ResultShape,
    }),
  ),
})
const TestsShape = hasFields({
  data: z.array(
    hasFields({
      run_id: text,
      test: hasFields({ name: text }),
      error: hasFields({ message: text }).nullable(),
    }),
  ),
  meta: PageMetaSchema,
})

const FlakyShape = hasFields({ flaky: count })

const ComparisonShape = hasFields({
  slower: ComparedShape,
  fixed: ComparedShape,
  counts: hasFields({ base: FlakyShape, head: FlakyShape }),
})

/** Returns undefined if no run of the build is on record. */
export async function askBuild(client: Client, group: string): Promise<Build | undefined> {
  const build = await findBuild(client, group)
  return build === undefined ? undefined : expectShape(BuildShape, build, 'getBuild')
}

/** Newest first. */
export async function askBuilds(client: Client, query: Partial<ListBuildsQuery>): Promise<BuildListItem[]> {
  return expectShape(BuildsShape, await client.listBuilds({ query }), 'listBuilds').data
}

/** Returns a page of the runs of a build. */
export async function askRuns(
  client: Client,
  group: string,
  { cursor, limit = MAX_PAGE_LIMIT }: { cursor?: number | undefined; limit?: number } = {},
): Promise<Page<RunListItem>> {
  return expectShape(RunsShape, await listRuns(client, { group, limit, cursor }), 'listRuns')
}

export async function askVerdicts(client: Client, ids: string[]): Promise<VerdictList> {
  return expectShape(VerdictsShape, await client.listVerdicts({ query: { ids } }), 'listVerdicts')
}

export async function askComparison(client: Client, base: string, head: string): Promise<Comparison> {
  return expectShape(ComparisonShape, await client.compareBuilds({ query: { base, head } }), 'compareBuilds')
}

export async function askFailedTests(
  client: Client,
  group: string,
  cursor: number | undefined,
): Promise<Page<BuildTest>> {
  const query = { outcomes: ['failed' as const], limit: MAX_PAGE_LIMIT, cursor }
  return expectShape(TestsShape, await client.listBuildTests({ params: { group }, query }), 'listBuildTests')
}

/** @throws ApiError if the answer lacks a member that the gate needs */
function expectShape<Answer>(shape: z.ZodType, answer: Answer, operation: string): Answer {
  const { error } = shape.safeParse(answer)
  if (!error) return answer
  const [issue] = error.issues
  const place = issue?.path.join('.') || 'the response'
  throw new ApiError(
    `the service answered ${operation} with something else than its interface says: ${place}: ${issue?.message}`,
    200,
  )
}
