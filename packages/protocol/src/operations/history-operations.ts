import { BuildPageSchema, ListBuildsQuerySchema } from '../resources/build-list'
import { CompareBuildsQuerySchema, ComparisonSchema } from '../resources/comparison'
import { ExplainFailuresQuerySchema, ExplanationSchema } from '../resources/explanation'
import { HomeSchema } from '../resources/home'
import { SearchQuerySchema, SearchResultSchema } from '../resources/search'
import {
  AddTestAliasRequestSchema,
  BuildTestPageSchema,
  GetTestQuerySchema,
  ListBuildTestsQuerySchema,
  ListTestsQuerySchema,
  TestDetailSchema,
  TestPageSchema,
} from '../resources/test'
import { IdResponseSchema } from '../resources/common'
import type { Operation } from './operation'
import { ID_PARAMS } from './path-params'

const tag = 'History'

export const HISTORY_OPERATIONS = {
  getHome: {
    tag,
    summary: 'Get the last builds, and how the tests do, of every project and production procedure',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    response: HomeSchema,
  },
  search: {
    tag,
    summary: 'Search tests, builds, commits, branches, authors, owners, units, batches and errors',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: SearchQuerySchema,
    response: SearchResultSchema,
  },
  listBuilds: {
    tag,
    summary: 'List builds, the last started first',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListBuildsQuerySchema,
    response: BuildPageSchema,
  },
  listBuildTests: {
    tag,
    summary: 'List the results of the tests of a build',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ListBuildTestsQuerySchema,
    response: BuildTestPageSchema,
  },
  compareBuilds: {
    tag,
    summary: 'Compare two builds, or the last builds of two branches',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: CompareBuildsQuerySchema,
    response: ComparisonSchema,
  },
  explainFailures: {
    tag,
    summary:
      'Explain the failures of a build, a run or a test: what broke them, how flaky they are, how to run them again',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    query: ExplainFailuresQuerySchema,
    response: ExplanationSchema,
  },
  listTests: {
    tag,
    summary: 'List tests with how often they fail, how flaky and how slow they are',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListTestsQuerySchema,
    response: TestPageSchema,
  },
  getTest: {
    tag,
    summary: 'Get a test with its results, segments, changes and errors',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    query: GetTestQuerySchema,
    response: TestDetailSchema,
  },
  addTestAlias: {
    tag,
    summary: 'Say that another test is an earlier name of this one',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: AddTestAliasRequestSchema,
    response: IdResponseSchema,
  },
  removeTestAlias: {
    tag,
    summary: 'Say that another test is not an earlier name of this one',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND'],
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
